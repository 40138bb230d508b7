// A door that counts what passes through it, by kind of request.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "kube/api.h"

namespace drover::operate::testing {

class CountingApi final : public kube::Api {
 public:
  explicit CountingApi(kube::Api& inner) : inner_(inner) {}

  // "patch nodes", "evict pods", "create events", "list pods", "watch nodes": how many of each.
  std::map<std::string, int> count;

  [[nodiscard]] kube::Call call(kube::Request request, Answer answer) override {
    const std::string what = sentence(request);
    const std::size_t slash = what.find('/');
    std::string kind = what.substr(0, slash);
    if (!request.subresource.empty() && request.subresource != "eviction") kind += "/" + request.subresource;
    ++count[kind];
    return inner_.call(std::move(request), std::move(answer));
  }
  [[nodiscard]] kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    ++count["list " + request.range.resource.qualified()];
    return inner_.list(std::move(request), std::move(sink));
  }
  [[nodiscard]] kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    ++count["watch " + request.range.resource.qualified()];
    return inner_.watch(std::move(request), std::move(sink));
  }

 private:
  kube::Api& inner_;
};

}  // namespace drover::operate::testing
