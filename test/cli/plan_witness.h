// What the operator did to nodes and pods, as its API saw it.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "kube/api.h"
#include "protocol/keys.h"
#include "protocol/record.h"
#include "sim/world.h"

namespace drover::cli::testing {

class WitnessedApi final : public kube::Api {
 public:
  WitnessedApi(kube::Api& api, sim::World& world) : api_(api), world_(world) {}

  kube::Call call(kube::Request request, Answer answer) override {
    const bool evicts = request.subresource == "eviction";
    const bool deletes = request.verb == kube::Verb::Delete && request.resource.plural == "pods" && request.ns == "ml";
    const std::string claim = request.resource.plural == "nodes" ? claim_in(request.body) : std::string();
    const bool takes = !claim.empty() && !claims_.contains(claim);
    const std::string name = takes ? request.name : request.ns + "/" + request.name;
    const std::string where = deletes || evicts ? node_and_owner(name) : std::string();
    return api_.call(std::move(request), [=, this, answer = std::move(answer)](kube::Result<kube::Object> result) {
      if (result && (evicts || deletes)) gone[name] = where.substr(0, where.find(' '));
      if (result && deletes) deleted.push_back(name);
      if (result && deletes) deleted_from.insert(where);
      if (result && takes && claims_.insert(claim).second) taken.push_back(name);
      if (result && (evicts || deletes || takes)) {
        const auto at = std::chrono::round<std::chrono::seconds>(world_.loop.now() - begun_at);
        said += fmt::format("{} {} {}\n", base::human(at), evicts ? "evicts" : deletes ? "deletes" : "takes", name);
      }
      answer(std::move(result));
    });
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    return api_.list(std::move(request), std::move(sink));
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return api_.watch(std::move(request), std::move(sink));
  }
  // What was done before does not count.
  void begin() {
    begun_at = world_.loop.now();
    taken.clear();
    gone.clear();
    deleted.clear();
    deleted_from.clear();
    said.clear();
  }

  std::map<std::string, std::string> gone;  // pods that were evicted or deleted, with their nodes
  std::vector<std::string> deleted;
  std::multiset<std::string> deleted_from;  // "nvidia-1 ReplicaSet ml/train-5f6", "nvidia-1 ml/bare"
  std::vector<std::string> taken;
  std::string said;
  base::Instant begun_at = {};

 private:
  // The claim that a patch of a node writes; "" for none.
  static std::string claim_in(const json::Value& patch) {
    const auto record =
        protocol::parse_record(json::text_at(patch, {"metadata", "annotations", protocol::kRecordAnnotation}));
    return record && record->held ? record->held->claim.id : std::string();
  }
  std::string node_and_owner(const std::string& pod) const {
    const sim::Stored stored = world_.store().find("pods", pod);
    if (!stored) return {};
    const std::string node(json::text_at(*stored, {"spec", "nodeName"}));
    const json::Array& owners = json::array_at(*stored, {"metadata", "ownerReferences"});
    if (owners.empty()) return node + " " + pod;
    return fmt::format("{} {} {}/{}", node, json::text_at(owners[0], {"kind"}), kube::namespace_of(*stored),
                       json::text_at(owners[0], {"name"}));
  }

  kube::Api& api_;
  sim::World& world_;
  std::set<std::string> claims_;
};

}  // namespace drover::cli::testing
