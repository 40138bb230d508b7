// The stage with Tenstorrent's machines, whose builders run the real agent, and with eyes for what may never be: they
// look at every write.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "operator/stage.h"
#include "protocol/keys.h"
#include "protocol/record.h"
#include "vendors/tenstorrent/module.h"
#include "vendors/tenstorrent/words.h"

namespace drover::operate::testing {

inline const kube::Resource kDriverPolicies{"driver.tenstorrent.com", "v1alpha1", "tenstorrentdriverpolicies",
                                            "TenstorrentDriverPolicy", kube::Scope::Cluster};
inline constexpr std::string_view kGate = "tenstorrent.com/deploy.tt-telemetry";
inline constexpr std::string_view kTenstorrentNamespace = "tt-k8s-driver-manager-system";

// `more` are further members of the spec as JSON text, each with its comma before it.
inline Object driver_policy(std::string_view version, std::string_view more = "",
                            std::string_view affinity = "\"nodeAffinity\": {}", std::string_view name = "default") {
  return parsed(fmt::format(R"({{"apiVersion": "driver.tenstorrent.com/v1alpha1", "kind": "TenstorrentDriverPolicy",
    "metadata": {{"name": "{}"}}, "spec": {{"version": "{}", {}{}}}}})",
                            name, version, affinity, more));
}

class TenstorrentStage : public Stage {
 public:
  explicit TenstorrentStage(int nodes = 3, std::uint64_t seed = 1)
      : Stage({.seed = seed, .nodes = fmt::format("tenstorrent={}", nodes)}) {
    ask(kube::create(kube::kCustomResourceDefinitions, "",
                     manifest("charts/drover/crds/driver.tenstorrent.com_tenstorrentdriverpolicies.yaml")));
    ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", kTenstorrentNamespace}}}}));
    subscription_ = world.server().store().subscribe([this](const sim::Commit& commit) { look_at(commit); });
  }
  ~TenstorrentStage() { world.server().store().unsubscribe(subscription_); }

  void start() { start(luck); }
  void start(kube::Api& door) { serve(door, {{.profile = &vendors::tenstorrent_driver(), .operands = operands()}}); }
  vendors::OperandSettings operands() const {
    return {.ns = std::string(kTenstorrentNamespace), .own_image = builder_image};
  }

  // A fleet that runs `version`.
  void settle(std::string_view version, std::string_view more = "") {
    ask(kube::create(kDriverPolicies, "", driver_policy(version, more)));
    start();
    EXPECT_TRUE(run_until_loaded(version)) << told();
    world.run_for(1min);
  }
  void patch(std::string_view merge, const std::string& name = "default") {
    ask(kube::patch(kDriverPolicies, "", name, kube::PatchKind::Merge, parsed(merge)));
  }
  void want(std::string_view version) { patch(fmt::format(R"({{"spec": {{"version": "{}"}}}})", version)); }

  // ---- eyes

  std::string loaded_on(const std::string& node) {
    return kubelets.host(node)->loaded_version("tenstorrent").value_or("");
  }
  bool all_loaded(std::string_view version) {
    const auto all = names();
    return std::all_of(all.begin(), all.end(), [&](const std::string& name) { return loaded_on(name) == version; });
  }
  // Loaded, and no node is held any more.
  bool is_over(std::string_view version) {
    const auto all = names();
    return all_loaded(version) &&
           std::none_of(all.begin(), all.end(), [&](const std::string& name) { return claim_on(name).has_value(); });
  }
  bool run_until_loaded(std::string_view version, base::Span at_most = 1h) {
    for (base::Span passed{}; passed < at_most && !is_over(version); passed += 100ms) world.run_for(100ms);
    return is_over(version);
  }
  protocol::Record record_on(const std::string& name) const {
    const auto record = protocol::parse_record(kube::annotation_of(*node(name), protocol::kRecordAnnotation));
    return record ? *record : protocol::Record{};
  }
  std::optional<core::Claim> claim_on(const std::string& name) const {
    const protocol::Record record = record_on(name);
    return record.held ? std::optional(record.held->claim) : std::nullopt;
  }
  std::string phase_on(const std::string& name) const {
    const auto claim = claim_on(name);
    return claim ? std::string(core::name(claim->phase)) : "";
  }
  std::string gate_on(const std::string& name) const {
    const json::Value* value = json::find(*node(name), {"metadata", "labels", kGate});
    return value == nullptr ? "absent" : std::string(value->get_string());
  }
  std::string order_on(const std::string& name) const {
    return std::string(kube::annotation_of(*node(name), vendors::kTenstorrentDriverChannel.order));
  }
  sim::Stored pod_on(const std::string& name) const {
    sim::Stored found;
    world.store().each("pods", kTenstorrentNamespace, [&](const sim::Stored& pod) {
      if (json::text_at(*pod, {"spec", "nodeName"}) == name && !kube::is_being_deleted(*pod)) found = pod;
    });
    return found;
  }
  void delete_pod(const std::string& name) {
    ask(kube::remove(kube::kPods, std::string(kTenstorrentNamespace), std::string(kube::name_of(*pod_on(name))), ""));
  }
  // A member of the policy's status, as it is once everything has been told.
  json::Value status(const std::string& policy = "default") {
    world.run_for(11s);
    const sim::Stored object = world.store().find("tenstorrentdriverpolicies.driver.tenstorrent.com", policy);
    return object ? json::Value(json::members_at(*object, {"status"})) : json::Value();
  }
  std::int64_t counted(std::string_view what) { return json::int_at(status(), {"summary", what}, -1); }
  // "Draining/Draining"
  std::string told_of(const std::string& name) {
    const json::Value status = this->status();
    for (const json::Value& row : json::array_at(status, {"nodes"})) {
      if (json::text_at(row, {"name"}) == name)
        return fmt::format("{}/{}", json::text_at(row, {"state"}), json::text_at(row, {"reason"}));
    }
    return "";
  }
  std::string told() { return json::text_of(status()); }

  // A bare process, as tt-smi in a shell of the machine: it cannot be evicted.
  int hold_device(const std::string& name) {
    const auto pid = kubelets.host(name)->open("/dev/tenstorrent/0", "", "tt-smi");
    EXPECT_TRUE(pid);
    return pid ? *pid : 0;
  }
  // A Deployment with one pod on each of `replicas` nodes that mounts the device.
  void run_work(const std::string& name, int replicas, std::string_view more = "") {
    ask(kube::create(kube::kDeployments, "ml",
                     parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}}, "spec": {{"replicas": {1},
      "selector": {{"matchLabels": {{"app": "{0}"}}}},
      "template": {{"metadata": {{"labels": {{"app": "{0}"}}}},
                    "spec": {{"containers": [{{"name": "work", "image": "work:1"}}]{2}}}}}}}}})",
                                        name, replicas, more))));
    world.run_for(10s);
  }

  std::string builder_image = "drover:1";
  // Counted at every write.
  std::size_t most_cordoned = 0;
  std::set<std::string> ever_cordoned = {};
  std::map<std::string, int> builder_pods_made = {};  // by node
  std::vector<std::string> troubles = {};

 private:
  void look_at(const sim::Commit& commit) {
    if (!commit.after) return;
    if (commit.resource == "nodes") look_at_node(*commit.after);
    if (commit.resource == "pods" && kube::namespace_of(*commit.after) == kTenstorrentNamespace) {
      const std::string node(json::text_at(*commit.after, {"spec", "nodeName"}));
      const bool was_placed = commit.before && !json::text_at(*commit.before, {"spec", "nodeName"}).empty();
      if (!was_placed && !node.empty()) ++builder_pods_made[node];
    }
  }
  // A node that we have cordoned has its gate closed, in the very same write.
  void look_at_node(const Object& object) {
    const std::string name(kube::name_of(object));
    const bool is_cordoned = json::flag_at(object, {"spec", "unschedulable"});
    if (is_cordoned) {
      cordoned_.insert(name);
      ever_cordoned.insert(name);
    } else {
      cordoned_.erase(name);
    }
    most_cordoned = std::max(most_cordoned, cordoned_.size());
    const auto record = protocol::parse_record(kube::annotation_of(object, protocol::kRecordAnnotation));
    const bool is_ours = record && record->held && record->held->claim.cordon == core::Claim::Cordon::Ours &&
                         core::is_in_flight(record->held->claim.phase);
    if (is_ours && is_cordoned && kube::label_of(object, kGate) != "false") troubles.push_back(name + ": gate is open");
    if (is_ours && !is_cordoned && !record->held->claim.gates.empty()) troubles.push_back(name + ": not cordoned");
  }

  int subscription_ = 0;
  std::set<std::string> cordoned_;
};

}  // namespace drover::operate::testing
