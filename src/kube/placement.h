// May this pod be on that node? Taints and tolerations, node selectors and required node affinity.
//
// Shared by `drover plan` and the simulator's scheduler, DaemonSet controller and taint eviction, which must agree.
// Pure.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"

namespace drover::kube {

inline constexpr std::string_view kTaintNotReady = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kTaintUnreachable = "node.kubernetes.io/unreachable";
inline constexpr std::string_view kTaintUnschedulable = "node.kubernetes.io/unschedulable";
inline constexpr std::string_view kTaintMemoryPressure = "node.kubernetes.io/memory-pressure";
inline constexpr std::string_view kTaintDiskPressure = "node.kubernetes.io/disk-pressure";
inline constexpr std::string_view kTaintPidPressure = "node.kubernetes.io/pid-pressure";
inline constexpr std::string_view kTaintNetworkUnavailable = "node.kubernetes.io/network-unavailable";

bool toleration_matches(const json::Value& toleration, const json::Value& taint);
// The first taint with one of these effects that nothing tolerates, or nullptr.
const json::Value* untolerated_taint(const json::Array& taints, const json::Array& tolerations,
                                     std::initializer_list<std::string_view> effects);
inline const json::Array& taints_of(const Object& node) { return json::array_at(node, {"spec", "taints"}); }
inline const json::Array& tolerations_of(const json::Value& pod_spec) {
  return json::array_at(pod_spec, {"tolerations"});
}

// How long a pod may stay on a node with these NoExecute taints: nothing means for ever, zero means not at all.
std::optional<base::Span> stays_for(const json::Array& taints, const json::Array& tolerations);

// spec.nodeSelector and the required node affinity (matchExpressions, matchFields metadata.name).
bool selects_node(const json::Value& pod_spec, const Object& node);
// The same of a node with this name and these labels; nothing for one that is absent.
using LabelOf = std::function<std::optional<std::string_view>(std::string_view key)>;
bool selects_node(const json::Value& pod_spec, std::string_view name, const LabelOf& label);

// The only nodes that the required node affinity allows by name, or nothing when it does not name nodes in every term.
std::optional<std::vector<std::string>> nodes_named_by(const json::Value& pod_spec);

// The node a DaemonSet's pod is on or meant for; "" when it names none.
std::string target_node(const Object& pod);

}  // namespace drover::kube
