#include "act/announcements.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "act/events.h"
#include "act/obstacles.h"
#include "core/explain.h"
#include "core/node_class.h"

namespace drover::act {

void Announcements::begin(const json::Value& policy) {
  has_begun_ = true;
  all_are_told_ = json::int_at(policy, {"status", "nodesNotListed"}) == 0;
  for (const json::Value& row : json::array_at(policy, {"status", "nodes"})) {
    told_[std::string(json::text_at(row, {"name"}))] = {.state = std::string(json::text_at(row, {"state"})),
                                                        .reason = std::string(json::text_at(row, {"reason"}))};
  }
}

std::vector<kube::Event> Announcements::look(const core::FleetView& fleet, const core::Plan& plan,
                                             const Obstacles& obstacles, const vendors::WorkProfile& profile,
                                             const kube::Resource& kind, const json::Value& policy) {
  std::vector<kube::Event> events;
  if (profile.node_state != nullptr) look_at_words(fleet, plan, profile, kind, policy, events);
  look_at_waits(fleet, plan, profile, events);
  look_at_obstacles(obstacles, kind, policy, events);
  return events;
}

void Announcements::look_at_words(const core::FleetView& fleet, const core::Plan& plan,
                                  const vendors::WorkProfile& profile, const kube::Resource& kind,
                                  const json::Value& policy, std::vector<kube::Event>& events) {
  if (!has_begun_) begin(policy);
  const std::string_view done = profile.state(core::Phase::Done);
  std::size_t selected = 0;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const core::NodeView& node = fleet.nodes[i];
    if (!node.is_selected) continue;
    ++selected;
    const vendors::NodeState words = profile.node_state(node, fleet.policy);
    const auto [at, is_new] = told_.try_emplace(node.name);
    Told& told = at->second;
    if (told.state == words.state && told.reason == words.reason) continue;
    told = {.state = std::string(words.state), .reason = std::string(words.reason)};
    const bool was_told = is_new && words.state == done && !all_are_told_;
    if (words.tone == vendors::NodeState::Tone::Silent || was_told) continue;
    const std::string why = words.state == done ? std::string() : reason_to_tell(fleet, plan, profile, i);
    events.push_back(policy_event(kind, policy, node.name, words, why));
  }
  if (told_.size() > selected) {
    std::set<std::string_view> names;
    for (const core::NodeView& node : fleet.nodes) {
      if (node.is_selected) names.insert(node.name);
    }
    std::erase_if(told_, [&](const auto& one) { return !names.contains(one.first); });
  }
}

void Announcements::look_at_waits(const core::FleetView& fleet, const core::Plan& plan,
                                  const vendors::WorkProfile& profile, std::vector<kube::Event>& events) {
  for (const core::Decision& decision : plan.decisions) {
    const core::NodeView& node = fleet.nodes[decision.node];
    const bool is_announced = (node.refusal && node.refusal->reason == core::Reason::WriteRefused) ||
                              (decision.rule != nullptr && decision.rule->is_announced);
    if (!is_announced || !core::is_meant(node)) {
      if (!announced_.empty()) announced_.erase(node.name);
      continue;
    }
    const core::Reason reason = core::reason_code(node, decision);
    core::Reason& told = announced_[node.name];
    if (std::exchange(told, reason) == reason) continue;
    events.push_back(announced_event({.name = node.name, .uid = node.uid},
                                     reason_to_tell(fleet, plan, profile, decision.node), profile));
  }
}

void Announcements::look_at_obstacles(const Obstacles& obstacles, const kube::Resource& kind, const json::Value& policy,
                                      std::vector<kube::Event>& events) {
  std::map<std::string, Budget> now;
  look_again_in_ = obstacles.look_again_in;
  for (const Obstacle& obstacle : obstacles.found) {
    now.emplace(obstacle.object, Budget{obstacle.budget_ns, obstacle.budget});
    if (blocked_by_.contains(obstacle.object)) continue;
    events.push_back(blocked_event(kind, policy, text_of(obstacle)));
    if (obstacle.budget.empty()) continue;
    const std::string after = obstacle.next.empty() ? "drover waits for it" : obstacle.next;
    events.push_back(budget_event(
        obstacle.budget_ns, obstacle.budget, true,
        fmt::format("It keeps pods on {}, whose driver is to be upgraded; {}", list_of(obstacle.nodes, 5), after)));
  }
  for (const auto& [object, budget] : blocked_by_) {
    if (!now.contains(object) && !budget.name.empty())
      events.push_back(budget_event(budget.ns, budget.name, false, "It no longer keeps a driver's upgrade waiting"));
  }
  if (now.empty() && !blocked_by_.empty()) events.push_back(unblocked_event(kind, policy));
  blocked_by_ = std::move(now);
}

}  // namespace drover::act
