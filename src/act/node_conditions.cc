#include "act/node_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "protocol/keys.h"

namespace drover::act {
namespace {

constexpr std::size_t kMostConditionMessage = 1024;

const Obstacle* obstacle_of(const std::vector<Obstacle>& obstacles, const std::string& node) {
  for (const Obstacle& one : obstacles) {
    if (one.is_about_nodes && std::find(one.nodes.begin(), one.nodes.end(), node) != one.nodes.end()) return &one;
  }
  return nullptr;
}

json::Value blocked_condition(const std::string& type, const Obstacle* obstacle, base::WallTime now) {
  if (obstacle == nullptr) return json::Members{{"$patch", "delete"}, {"type", type}};
  std::string message = obstacle->object;
  if (!obstacle->why.empty()) message += ": " + obstacle->why;
  if (!obstacle->next.empty()) message += "; " + obstacle->next;
  return json::Members{{"type", type},
                       {"status", "True"},
                       {"reason", obstacle->reason},
                       {"message", base::one_line(message, kMostConditionMessage)},
                       {"lastHeartbeatTime", base::rfc3339(now)},
                       {"lastTransitionTime", base::rfc3339(now)}};
}

}  // namespace

std::string node_condition_of(const vendors::WorkProfile& profile) {
  std::string type;
  bool is_first = true;
  for (const char c : profile.kind) {
    if (c != '/') type += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_first = c == '/';
  }
  return type += protocol::kBlockedSuffix;
}

std::vector<Write> node_conditions(const observe::Fleet& fleet, const std::vector<Obstacle>& obstacles,
                                   const vendors::WorkProfile& profile, const PendingWrites& pending,
                                   base::WallTime now) {
  std::vector<Write> writes;
  const std::string type = node_condition_of(profile);
  const std::vector<core::NodeView>& nodes = fleet.seen().nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Obstacle* obstacle = obstacle_of(obstacles, nodes[i].name);
    if (obstacle == nullptr && !fleet.says_blocked(i)) continue;
    const observe::NodeFacts* facts = fleet.facts(i);
    if (facts == nullptr) continue;
    const std::string_view said = facts->blocked_by(type);
    if (said == (obstacle == nullptr ? std::string_view() : obstacle->reason)) continue;
    const std::string key = "node/" + facts->name;
    if (pending.is_behind(*facts) || !pending.is_free(key)) continue;
    json::Value body =
        json::Members{{"metadata", json::Members{{"uid", facts->uid}}},
                      {"status", json::Members{{"conditions", json::Array{blocked_condition(type, obstacle, now)}}}}};
    writes.push_back(
        {.key = key,
         .request = kube::patch(kube::kNodes, "", facts->name, kube::PatchKind::Strategic, std::move(body), "status"),
         .purpose = Purpose::NodeStatus,
         .subject = {.policy = fleet.policy_ref(), .node = facts->name}});
  }
  return writes;
}

}  // namespace drover::act
