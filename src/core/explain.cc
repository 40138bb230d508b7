#include "core/explain.h"

#include <algorithm>

#include "core/conditions/emptying.h"
#include "core/first_rule.h"

namespace drover::core {
namespace {

// A wait says itself what it is for in the rules before it that did not hold: "2 still running; 5m of 10m". Rules of
// one phase only: what holds in several is about the node, not about what the phase waits for.
std::string what_would_end_it(const Flow& flow, const RuleInput& about, const Rule& wait) {
  std::string details;
  for (const Rule& rule : flow.rules()) {
    if (&rule == &wait) break;
    const bool ends_it = rule.kind == Rule::Kind::Move && rule.in == Phases(about.node.phase);
    if (!ends_it) continue;
    Explanation words = Explanation::spoken();
    rule.when.holds(about, words);
    if (!words.text().empty()) details += (details.empty() ? "" : "; ") + words.text();
  }
  return details;
}

}  // namespace

std::vector<Considered> explain(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t index) {
  std::vector<Considered> considered;
  const RuleInput about = input_of(fleet, slots, index, fleet.nodes[index]);
  for (const Rule& rule : flow.rules()) {
    if (!rule.in.has(about.node.phase)) continue;
    Explanation words = Explanation::spoken();
    const bool holds = rule.when.holds(about, words);
    considered.push_back({&rule, holds, words.text()});
    if (holds) break;
  }
  return considered;
}

std::string reason_of(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t index) {
  const NodeView& node = fleet.nodes[index];
  if (node.refusal) return with_detail(refusal_row(node.refusal->reason)->because, node.refusal->text.str());
  const RuleInput about = input_of(fleet, slots, index, node);
  Explanation words = Explanation::spoken();
  const Rule* rule = first_that_applies(flow, about, words);
  if (rule == nullptr) return {};
  if (rule->kind == Rule::Kind::Wait && words.text().empty() && is_in_flight(about.node.phase)) {
    return with_detail(rule->because, what_would_end_it(flow, about, *rule));
  }
  // Work in a node that has pods in the way says which.
  if (rule->kind == Rule::Kind::Work && about.node.pods && words.text().empty()) {
    const Clearing left =
        rule->action == Action::EvictAll ? clearing::of_all_pods(about) : clearing::of_device_pods(about);
    return with_detail(rule->because, names_of(left));
  }
  return with_detail(rule->because, words.text());
}

Reason reason_code(const NodeView& node, const Decision& decision) {
  if (node.refusal) return node.refusal->reason;
  if (node.phase == Phase::Failed && node.outcome && node.outcome->code != Reason::None) return node.outcome->code;
  return decision.rule == nullptr ? Reason::None : decision.rule->reason;
}

std::vector<Reason> standing_reasons(const Flow& flow) {
  std::vector<Reason> reasons;
  for (const Rule& rule : flow.rules()) {
    const bool stands = rule.kind != Rule::Kind::Move || rule.to == Phase::Failed;
    if (stands && std::find(reasons.begin(), reasons.end(), rule.reason) == reasons.end())
      reasons.push_back(rule.reason);
  }
  for (const RefusalRow& row : kRefusalTable) reasons.push_back(row.reason);
  return reasons;
}

}  // namespace drover::core
