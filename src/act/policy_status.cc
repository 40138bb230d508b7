#include "act/policy_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "act/events.h"
#include "base/same.h"
#include "base/text.h"
#include "core/explain.h"

namespace drover::act {
namespace {

using core::Phase;
using json::Array;
using json::Members;

constexpr std::size_t kMostMessage = 1024;

// The time of a condition is that of its last change of status, which is known from the object itself.
json::Value rendered(const Condition& condition, const vendors::ConditionWords& words, const json::Value* policy,
                     std::int64_t generation, base::WallTime now) {
  const auto& [status, reason] = words;
  std::string since = base::rfc3339(now);
  if (policy != nullptr) {
    for (const json::Value& before : json::array_at(*policy, {"status", "conditions"})) {
      if (json::text_at(before, {"type"}) == condition.type && json::text_at(before, {"status"}) == status) {
        since = json::text_at(before, {"lastTransitionTime"});
      }
    }
  }
  return Members{
      {"type", condition.type},      {"status", status}, {"observedGeneration", generation},
      {"lastTransitionTime", since}, {"reason", reason}, {"message", base::one_line(condition.message, kMostMessage)}};
}

vendors::ConditionWords words_of(const Condition& condition) {
  return {.status = std::string(word(condition.status)), .reason = condition.reason};
}

// A merge patch replaces the whole list: what others have written there stays in it.
Array rendered_all(const std::vector<Condition>& conditions, const vendors::WorkProfile& profile,
                   const json::Value* policy, std::int64_t generation, base::WallTime now) {
  Array rows;
  for (const Condition& condition : conditions) {
    vendors::ConditionWords words = words_of(condition);
    if (profile.condition_words != nullptr) words = profile.condition_words(condition.type, words);
    rows.push_back(rendered(condition, words, policy, generation, now));
  }
  if (policy == nullptr) return rows;
  const bool all_are_ours = conditions.size() > 1;
  for (const json::Value& there : json::array_at(*policy, {"status", "conditions"})) {
    const std::string_view type = json::text_at(there, {"type"});
    const bool is_written = std::any_of(conditions.begin(), conditions.end(),
                                        [&](const Condition& condition) { return condition.type == type; });
    if (!is_written && !(all_are_ours && is_our_condition(type))) rows.push_back(there);
  }
  return rows;
}

// It was done, and its driver serves no longer, or nothing is heard of it.
bool is_broken(const core::NodeView& node) { return core::serves(node) != core::Serves::Yes; }

// Failed and broken ones first, then those in flight, then those that wait.
int urgency(const core::NodeView& node) {
  if (node.phase == Phase::Failed || is_broken(node)) return 0;
  return core::is_in_flight(node.phase) ? 1 : 2;
}

void list_nodes(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                const StatusFacts& facts, Members& status) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const core::NodeView& node = fleet.nodes[i];
    if (node.is_managed() && (node.phase != Phase::Done || is_broken(node))) left.push_back(i);
  }
  std::sort(left.begin(), left.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(urgency(fleet.nodes[a]), a) < std::pair(urgency(fleet.nodes[b]), b);
  });
  Array nodes;
  for (std::size_t k = 0; k < std::min(left.size(), kMostNodesListed); ++k) {
    const core::NodeView& node = fleet.nodes[left[k]];
    const std::string reason = reason_to_tell(fleet, plan, profile, left[k]);
    Members row = {{"name", node.name}, {"state", profile.state(node.phase)}, {"version", node.driver.wanted}};
    row["reason"] = reason;
    row["code"] = core::name(core::reason_code(node, plan.decisions[left[k]]));
    if (left[k] < facts.since.size() && !facts.since[left[k]].empty()) row["since"] = facts.since[left[k]];
    nodes.push_back(std::move(row));
  }
  status["nodes"] = std::move(nodes);
  status["nodesNotListed"] = static_cast<std::int64_t>(left.size() - std::min(left.size(), kMostNodesListed));
}

json::Value rollout(const core::FleetView& fleet, const StatusFacts& facts, const Summary& summary,
                    base::WallTime now) {
  Members rollout;
  if (facts.policy != nullptr) rollout = json::members_at(*facts.policy, {"status", "rollout"});
  std::string target;
  for (const core::NodeView& node : fleet.nodes) {
    if (node.is_managed() && !node.driver.wanted.empty()) target = node.driver.wanted;
  }
  const bool is_under_way = summary.done < summary.total;
  const bool is_new = json::text_at(rollout, {"target"}) != target || json::int_at(rollout, {"startNodes"}) == 0;
  if (is_under_way && is_new) {
    rollout = {{"target", target}, {"startedAt", base::rfc3339(now)}, {"startNodes", summary.total}};
  }
  if (!is_under_way) rollout["startNodes"] = 0;
  return rollout;
}

// What the status says and what came since: it outlives the process. A pod is deleted once.
Array forced_deletions(const StatusFacts& facts) {
  Array rows;
  if (facts.policy != nullptr) rows = json::array_at(*facts.policy, {"status", "forcedDeletions"});
  for (const ForcedDeletion& one : facts.forced) {
    Members row = {{"pod", one.pod}, {"node", one.node}, {"at", one.at}};
    if (!one.budget.empty()) row["budget"] = one.budget;
    const bool is_there = std::any_of(rows.begin(), rows.end(), [&](const json::Value& there) {
      return json::text_at(there, {"pod"}) == one.pod && json::text_at(there, {"at"}) == one.at;
    });
    if (!is_there) rows.push_back(std::move(row));
  }
  const std::size_t more = rows.size() - std::min(rows.size(), kMostForcedListed);
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(more));
  return rows;
}

// For a vendor that has words of its own.
vendors::StatusRows rows_of(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                            const StatusFacts& facts) {
  vendors::StatusRows rows{.policy = &fleet.policy};
  if (facts.policy != nullptr) rows.before = json::find(*facts.policy, {"status"});
  if (facts.about.wants != nullptr && !facts.about.wants->daemon_sets().empty())
    rows.daemon_set = json::text_at(facts.about.wants->daemon_sets().front(), {"metadata", "name"});
  if (facts.about.wants != nullptr) rows.version = facts.about.wants->version();
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const core::NodeView& node = fleet.nodes[i];
    if (!node.is_selected) continue;
    rows.nodes.push_back({.node = &node, .message = reason_to_tell(fleet, plan, profile, i)});
  }
  return rows;
}

}  // namespace

Summary summary_of(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile) {
  Summary summary;
  std::array<int, core::kPhases> by_phase = {};
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const core::NodeView& node = fleet.nodes[i];
    if (!node.is_managed()) continue;
    ++summary.total;
    if (node.phase == Phase::Required) {
      ++summary.pending;
      if (plan.slots.is_admitted[i]) ++summary.available;
    }
    if (core::is_in_flight(node.phase)) ++summary.in_flight;
    if (node.phase == Phase::Done) ++summary.done;
    if (core::class_of(node) == core::NodeClass::Serving) ++summary.serving;
    if (node.phase == Phase::Failed) ++summary.failed;
    if (node.is_unavailable()) ++summary.unavailable;
    ++by_phase[static_cast<std::size_t>(node.phase)];
    ++summary.reasons[core::reason_code(node, plan.decisions[i])];
  }
  for (const core::PhaseRow& row : core::kPhaseTable) {
    const int count = by_phase[static_cast<std::size_t>(row.phase)];
    const std::string_view word = profile.state(row.phase);
    if (count > 0) summary.states[word.empty() ? "unknown" : std::string(word)] = count;
  }
  return summary;
}

json::Value policy_status(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                          const StatusFacts& facts, base::WallTime now) {
  const std::int64_t generation = facts.policy == nullptr ? 0 : json::int_at(*facts.policy, {"metadata", "generation"});
  const std::vector<Condition> conditions = conditions_of(fleet, plan, profile, facts.about);
  Members status;
  if (!facts.about.competing_operator.empty() && facts.policy != nullptr)
    status = json::members_at(*facts.policy, {"status"});
  status["conditions"] = json::Value(rendered_all(conditions, profile, facts.policy, generation, now));
  if (!facts.about.competing_operator.empty()) return status;
  const Summary summary = summary_of(fleet, plan, profile);
  status["state"] = conditions.front().status == Condition::Status::True ? "ready" : "notReady";
  status["namespace"] = facts.ns;
  status["observedGeneration"] = generation;
  const OperatorName& at_work = facts.operator_name;
  status["operator"] = Members{
      {"instance", at_work.instance}, {"version", at_work.version}, {"since", at_work.since}, {"lease", at_work.lease}};
  Members states;
  for (const auto& [word, count] : summary.states) states[word] = count;
  status["summary"] =
      Members{{"total", summary.total},     {"pending", summary.pending}, {"inFlight", summary.in_flight},
              {"done", summary.done},       {"failed", summary.failed},   {"unavailable", summary.unavailable},
              {"serving", summary.serving}, {"states", std::move(states)}};
  status["rollout"] = rollout(fleet, facts, summary, now);
  if (Array forced = forced_deletions(facts); !forced.empty()) status["forcedDeletions"] = std::move(forced);
  if (profile.fill_status != nullptr) {
    vendors::StatusRows its_rows = rows_of(fleet, plan, profile, facts);
    its_rows.now = base::rfc3339(now);
    profile.fill_status(its_rows, status);
  } else {
    list_nodes(fleet, plan, profile, facts, status);
  }
  return status;
}

json::Value ignored_status(const json::Value& policy, const std::string& because, base::WallTime now) {
  const std::int64_t generation = json::int_at(policy, {"metadata", "generation"});
  const Condition ready{"Ready", Condition::Status::False, "Ignored", because};
  Members status = json::members_at(policy, {"status"});
  status["state"] = "ignored";
  status["observedGeneration"] = generation;
  Array conditions = {rendered(ready, words_of(ready), &policy, generation, now)};
  for (const json::Value& there : json::array_at(policy, {"status", "conditions"})) {
    if (!is_our_condition(json::text_at(there, {"type"}))) conditions.push_back(there);
  }
  status["conditions"] = std::move(conditions);
  return status;
}

std::optional<json::Value> merge_between(const json::Value& before, const json::Value& after) {
  if (json::same(before, after)) return {};
  if (!before.is_object() || !after.is_object()) return after;
  Members patch;
  for (const auto& member : before.get_object()) {
    if (!after.get_object().contains(member.key())) patch[member.key()] = nullptr;
  }
  for (const auto& member : after.get_object()) {
    const json::Value* there = before.get_object().if_contains(member.key());
    auto part = there == nullptr ? std::optional(member.value()) : merge_between(*there, member.value());
    if (part) patch[member.key()] = std::move(*part);
  }
  return patch;
}

bool is_same_but_for_times(const json::Value& before, const json::Value& after) {
  if (before.is_object() && after.is_object()) {
    const auto is_time = [](std::string_view key) { return key == "lastTransitionTime" || key == "startedAt"; };
    const Members& one = before.get_object();
    const Members& other = after.get_object();
    return one.size() == other.size() && std::all_of(one.begin(), one.end(), [&](const auto& member) {
             const json::Value* there = other.if_contains(member.key());
             return there != nullptr && (is_time(member.key()) || is_same_but_for_times(member.value(), *there));
           });
  }
  if (!before.is_array() || !after.is_array()) return json::same(before, after);
  return std::equal(before.get_array().begin(), before.get_array().end(), after.get_array().begin(),
                    after.get_array().end(), is_same_but_for_times);
}

int nodes_at_start(const json::Value& policy) {
  return static_cast<int>(json::int_at(policy, {"status", "rollout", "startNodes"}));
}

}  // namespace drover::act
