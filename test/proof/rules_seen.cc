#include "rules_seen.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/change.h"
#include "core/repair.h"

namespace drover::proof {

using core::Flow;
using core::Rule;

std::string text_of(const Rule& rule) {
  std::string phases;
  for (const core::PhaseRow& row : core::kPhaseTable) {
    if (rule.in.has(row.phase)) phases += fmt::format("{}{}", phases.empty() ? "" : ", ", row.name);
  }
  std::string_view then = "waits";
  if (rule.kind == Rule::Kind::Move) then = core::name(rule.to);
  if (rule.kind == Rule::Kind::Work) then = core::name(rule.action);
  std::string when(rule.when.first.text);
  if (rule.when.second.holds != nullptr) when += fmt::format(" and {}", rule.when.second.text);
  return fmt::format("{} -> {}: {} (when {})", phases, then, rule.because, when);
}

void RulesSeen::look(operate::Operator& drover) {
  for (const auto& controller : drover.controllers()) {
    if (!controller->knows_its_policies()) continue;
    for (const auto& state : controller->policy_states()) look(controller->flow(), state->fleet.seen());
  }
}

void RulesSeen::look(const Flow& flow, const core::FleetView& fleet) {
  std::set<const Rule*>& fired = fired_[&flow];
  for (const core::Decision& decision : core::decide(flow, fleet).decisions) {
    if (decision.rule != nullptr && decision.rule->kind != Rule::Kind::Move) fired.insert(decision.rule);
    if (!decision.change) continue;
    for (const core::Step& step : decision.change->path) fired.insert(step.rule);
    repaired_.insert(decision.change->repairs.begin(), decision.change->repairs.end());
  }
}

bool RulesSeen::has_fired(const Flow& flow, const Rule& rule) const {
  const auto at = fired_.find(&flow);
  return at != fired_.end() && at->second.contains(&rule);
}

std::vector<std::string> RulesSeen::missing(const Flow& flow) const {
  std::vector<std::string> texts;
  for (const Rule& rule : flow.rules()) {
    if (!has_fired(flow, rule)) texts.push_back(text_of(rule));
  }
  return texts;
}

std::vector<std::string> RulesSeen::missing_repairs() const {
  std::vector<std::string> texts;
  for (const core::Repair& repair : core::repairs()) {
    if (!repaired_.contains(&repair)) texts.emplace_back(repair.text);
  }
  return texts;
}

}  // namespace drover::proof
