#include "sim/controllers/node_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kube/placement.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kNodeSource = "node-controller";

std::string_view heartbeat_of(const kube::Object& node) {
  const json::Value* ready = find_condition(node, "Ready");
  return ready ? json::text_at(*ready, {"lastHeartbeatTime"}) : std::string_view{};
}

bool concerns_taints(const kube::Object& before, const kube::Object& after) {
  if (!same(kube::taints_of(before), kube::taints_of(after))) return true;
  if (json::flag_at(before, {"spec", "unschedulable"}) != json::flag_at(after, {"spec", "unschedulable"})) return true;
  for (std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"}) {
    if (condition_status(before, type) != condition_status(after, type)) return true;
  }
  return false;
}

struct Taint {
  std::string_view key;
  std::string_view effect;
  bool operator==(const Taint&) const = default;
};

// Every taint that this controller puts on nodes and takes off them.
constexpr Taint kOurs[] = {
    {kube::kTaintNotReady, "NoSchedule"},       {kube::kTaintUnreachable, "NoSchedule"},
    {kube::kTaintMemoryPressure, "NoSchedule"}, {kube::kTaintDiskPressure, "NoSchedule"},
    {kube::kTaintPidPressure, "NoSchedule"},    {kube::kTaintNetworkUnavailable, "NoSchedule"},
    {kube::kTaintUnschedulable, "NoSchedule"},  {kube::kTaintNotReady, "NoExecute"},
    {kube::kTaintUnreachable, "NoExecute"},
};

std::vector<Taint> wanted_taints(const kube::Object& node) {
  std::vector<Taint> wanted;
  const std::string_view ready = condition_status(node, "Ready");
  if (ready == "False") wanted.push_back({kube::kTaintNotReady, "NoSchedule"});
  if (ready == "Unknown") wanted.push_back({kube::kTaintUnreachable, "NoSchedule"});
  if (condition_status(node, "MemoryPressure") == "True") wanted.push_back({kube::kTaintMemoryPressure, "NoSchedule"});
  if (condition_status(node, "DiskPressure") == "True") wanted.push_back({kube::kTaintDiskPressure, "NoSchedule"});
  if (condition_status(node, "PIDPressure") == "True") wanted.push_back({kube::kTaintPidPressure, "NoSchedule"});
  if (condition_status(node, "NetworkUnavailable") == "True")
    wanted.push_back({kube::kTaintNetworkUnavailable, "NoSchedule"});
  if (json::flag_at(node, {"spec", "unschedulable"})) wanted.push_back({kube::kTaintUnschedulable, "NoSchedule"});
  if (ready == "False") wanted.push_back({kube::kTaintNotReady, "NoExecute"});
  if (ready == "Unknown") wanted.push_back({kube::kTaintUnreachable, "NoExecute"});
  return wanted;
}

}  // namespace

NodeLifecycle::NodeLifecycle(ControlPlane plane, NodePatience patience)
    : Controller(plane, "kube-controller-manager"), patience_(patience) {}

void NodeLifecycle::heard(const Commit& commit) {
  if (commit.resource == "nodes") return heard_node(commit);
  if (commit.kind == Commit::Kind::Removed || kube::namespace_of(*commit.after) != "kube-node-lease") return;
  const bool renewed = !commit.before || json::text_at(*commit.before, {"spec", "renewTime"}) !=
                                             json::text_at(*commit.after, {"spec", "renewTime"});
  auto pulse = pulses_.find(std::string(kube::name_of(*commit.after)));
  if (renewed && pulse != pulses_.end()) pulse->second.heard_at = loop().now();
}

void NodeLifecycle::heard_node(const Commit& commit) {
  const kube::Object& node = *commit.after;
  const std::string name(kube::name_of(node));
  if (commit.kind == Commit::Kind::Removed) {
    pulses_.erase(name);
    forget(name);
    return;
  }
  auto [at, is_new] = pulses_.try_emplace(name);
  Pulse& pulse = at->second;
  if (is_new || pulse.uid != kube::uid_of(node)) {
    pulse = Pulse{std::string(kube::uid_of(node)), loop().now(), condition_status(node, "Ready") == "True"};
    enqueue(name);
    return;
  }
  if (commit.before && heartbeat_of(*commit.before) != heartbeat_of(node)) pulse.heard_at = loop().now();
  if (!commit.before || concerns_taints(*commit.before, node)) enqueue(name);
}

Done NodeLifecycle::sync(const std::string& name) {
  const Stored node = store().find("nodes", name);
  auto found = pulses_.find(name);
  if (!node || found == pulses_.end()) return {};
  Pulse& pulse = found->second;
  const bool said_something = find_condition(*node, "Ready") != nullptr;
  if (const auto patience = said_something ? patience_.silence : patience_.startup) {
    const base::Instant lost_at = pulse.heard_at + *patience;
    if (loop().now() < lost_at) {
      enqueue_after(name, lost_at - loop().now());
    } else if (condition_status(*node, "Ready") != "Unknown") {
      ASK_VOID(declare_unknown(node));
    }
  }
  const Stored latest = store().find("nodes", name);
  if (!latest) return {};
  ASK_VOID(tell_readiness(pulse, *latest));
  return settle_taints(latest);
}

Done NodeLifecycle::declare_unknown(const Stored& node) {
  kube::Object changed = copy_to_change(*node);
  const std::string now = now_text();
  for (std::string_view type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
    const bool known = find_condition(changed, type) != nullptr;
    if (known && condition_status(changed, type) == "Unknown") continue;
    set_condition(
        changed,
        known ? Condition{std::string(type), "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."}
              : Condition{std::string(type), "Unknown", "NodeStatusNeverUpdated", "Kubelet never posted node status."},
        now);
    if (known) continue;
    json::Value& added = json::find(changed, {"status", "conditions"})->as_array().back();
    added.as_object()["lastHeartbeatTime"] = json::text_at(*node, {"metadata", "creationTimestamp"});
  }
  return ask_unless_gone(kube::replace(kube::kNodes, std::move(changed), "status"));
}

Done NodeLifecycle::tell_readiness(Pulse& pulse, const kube::Object& node) {
  if (!std::exchange(pulse.is_registered, true)) {
    events().normal(About::object(kube::kNodes, node), kNodeSource, "RegisteredNode",
                    fmt::format("Node {0} event: Registered Node {0} in Controller", kube::name_of(node)));
  }
  const bool ready = condition_status(node, "Ready") == "True";
  const bool turned = pulse.was_ready && !ready;
  if (turned) {
    const std::string name(kube::name_of(node));
    events().normal(About::object(kube::kNodes, node), kNodeSource, "NodeNotReady",
                    fmt::format("Node {} status is now: NodeNotReady", name));
    ASK_VOID(mark_pods_not_ready(name));
  }
  pulse.was_ready = ready;
  return {};
}

Done NodeLifecycle::mark_pods_not_ready(const std::string& node) {
  for (const Stored& pod : store().pods_on(node)) {
    const json::Value* ready = find_condition(*pod, "Ready");
    if (!ready || json::text_at(*ready, {"status"}) == "False") continue;
    kube::Object changed = copy_to_change(*pod);
    set_condition(changed,
                  {"Ready", "False", std::string(json::text_at(*ready, {"reason"})),
                   std::string(json::text_at(*ready, {"message"}))},
                  now_text());
    json::Value body = {{"status", {{"conditions", json::array_at(changed, {"status", "conditions"})}}}};
    ASK_VOID(ask_unless_gone(kube::patch(kube::kPods, std::string(kube::namespace_of(*pod)),
                                         std::string(kube::name_of(*pod)), kube::PatchKind::Merge, std::move(body),
                                         "status")));
    events().warning(About::object(kube::kPods, *pod), kNodeSource, "NodeNotReady", "Node is not ready");
  }
  return {};
}

Done NodeLifecycle::settle_taints(const Stored& node) {
  std::vector<Taint> missing = wanted_taints(*node);
  json::Array taints;
  bool dropped = false;
  for (const json::Value& taint : kube::taints_of(*node)) {
    const Taint it{json::text_at(taint, {"key"}), json::text_at(taint, {"effect"})};
    const bool ours = std::ranges::find(kOurs, it) != std::end(kOurs);
    const bool wanted = std::erase(missing, it) > 0;
    if (ours && !wanted) {
      dropped = true;
    } else {
      taints.push_back(taint);
    }
  }
  if (missing.empty() && !dropped) return {};
  for (const Taint& taint : missing) {
    taints.push_back({{"key", taint.key}, {"effect", taint.effect}, {"timeAdded", now_text()}});
  }
  json::Value list = taints.empty() ? json::Value(nullptr) : json::Value(std::move(taints));
  json::Value body = {{"metadata", {{"resourceVersion", kube::version_of(*node)}}},
                      {"spec", {{"taints", std::move(list)}}}};
  return ask_unless_gone(
      kube::patch(kube::kNodes, "", std::string(kube::name_of(*node)), kube::PatchKind::Merge, std::move(body)));
}

}  // namespace drover::sim
