// An Api that counts what passes through it: what an operator costs its API server, for the demo's summary.
#pragma once

#include <string>
#include <utility>

#include "kube/api.h"

namespace drover::sim_cli {

class CountedApi final : public kube::Api {
 public:
  // Pods outside `own` are other people's.
  CountedApi(kube::Api& api, std::string own) : api_(api), own_(std::move(own)) {}

  struct Count {
    int node_patches = 0;
    int events = 0;
    int evictions = 0;  // granted
    int refusals = 0;   // of evictions, by a disruption budget
    int deletes = 0;
    int forced = 0;  // of those, other people's pods
    int other_writes = 0;

    int writes() const { return node_patches + events + evictions + deletes + other_writes; }
  };
  const Count& count() const { return count_; }

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override {
    const bool is_eviction = request.subresource == "eviction";
    if (!is_eviction) note(request);
    return api_.call(std::move(request),
                     [this, is_eviction, answer = std::move(answer)](kube::Result<kube::Object> outcome) {
                       if (is_eviction && outcome) ++count_.evictions;
                       if (is_eviction && !outcome && outcome.error().kind == base::Fault::Kind::Blocked) {
                         ++count_.refusals;
                       }
                       answer(std::move(outcome));
                     });
  }
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    return api_.list(std::move(request), std::move(sink));
  }
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return api_.watch(std::move(request), std::move(sink));
  }

 private:
  void note(const kube::Request& request) {
    if (request.verb == kube::Verb::Get) return;
    if (request.verb == kube::Verb::Delete) {
      ++count_.deletes;
      if (request.resource.plural == "pods" && request.ns != own_) ++count_.forced;
    } else if (request.resource.plural == "events") {
      ++count_.events;
    } else if (request.resource.plural == "nodes") {
      ++count_.node_patches;
    } else {
      ++count_.other_writes;
    }
  }

  kube::Api& api_;
  std::string own_;
  Count count_;
};

}  // namespace drover::sim_cli
