#include "core/decide.h"

#include <algorithm>
#include <utility>

#include "core/deadline.h"
#include "core/effect.h"
#include "core/first_rule.h"
#include "core/limit.h"

namespace drover::core {
namespace {

// The marks as they are written, when nothing more moves the node.
const NodeMarks& settled(WalkedNode& node, const Policy& policy) {
  NodeMarks& marks = node.marks();
  marks.label = label_of(marks, policy);
  if (marks.phase != Phase::Required) marks.without_controller = false;
  if (marks.phase != Phase::Failed || refusal_is_stale(node.now())) marks.refused.reset();
  return marks;
}

// Walks the table until the node works or waits. Each turn is a phase passed, and no phase is passed twice.
Decision decide_for(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t index,
                    std::optional<Span>& look_again_in) {
  const NodeView& node = fleet.nodes[index];
  Decision decision{.node = index};
  Explanation words = Explanation::mute();
  decision.rule = first_that_applies(flow, input_of(fleet, slots, index, node), words);
  const bool moves = decision.rule != nullptr && decision.rule->kind == Rule::Kind::Move;
  if (moves || needs_repair(node, flow, fleet.policy)) {
    WalkedNode walked(node);
    const NodeView& now = walked.now();
    std::vector<const Repair*> repairs = repair(walked, flow, fleet.policy);
    const bool repairs_show = now.is_cordoned != node.is_cordoned || now.is_tainted != node.is_tainted;
    // A repair that cordons makes what was known of the pods old: the rule that was chosen by them is chosen again.
    if (node.pods && !now.pods) decision.rule = first_that_applies(flow, input_of(fleet, slots, index, now), words);
    std::vector<Step> path;
    Phases passed = node.phase;
    while (decision.rule != nullptr && decision.rule->kind == Rule::Kind::Move && !passed.has(decision.rule->to)) {
      Explanation spoken = Explanation::spoken();
      decision.rule->when.holds(input_of(fleet, slots, index, now), spoken);
      const Rule& rule = *decision.rule;
      path.push_back({now.phase, rule.to, with_detail(rule.because, spoken.text()), rule.reason, &rule});
      enter(walked, flow, fleet.policy, rule, path.back().because);
      passed = passed | rule.to;
      words = Explanation::mute();
      decision.rule = first_that_applies(flow, input_of(fleet, slots, index, now), words);
    }
    decision.change = Change{.path = std::move(path),
                             .after = settled(walked, fleet.policy),
                             .repairs = std::move(repairs),
                             .repairs_show = repairs_show};
  } else if (decision.rule != nullptr) {
    decision.action = decision.rule->action;
  }
  decision.wants_news = words.wants_news();
  for (const auto& again : {words.look_again_in(), time_is_written_in(node, flow, fleet.policy)}) {
    if (again) look_again_in = look_again_in ? std::min(*look_again_in, *again) : again;
  }
  return decision;
}

}  // namespace

Plan decide(const Flow& flow, const FleetView& fleet) {
  Plan plan{.slots = count_slots(fleet), .decisions = {}};
  plan.look_again_in = plan.slots.look_again_in;
  plan.decisions.reserve(fleet.nodes.size());
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    plan.decisions.push_back(decide_for(flow, fleet, plan.slots, i, plan.look_again_in));
  }
  return plan;
}

namespace {

// Nodes that this policy has taken, and that other policies have by now, or none; and those of a policy that is gone,
// which may have been this one before it was made again.
int in_flight_elsewhere(std::span<const Rollout> rollouts, const Rollout& of) {
  const std::string& policy = of.fleet->policy.uid;
  const auto is_gone = [&](const std::string& uid) {
    return std::none_of(rollouts.begin(), rollouts.end(),
                        [&](const Rollout& one) { return one.is_of_policy && one.fleet->policy.uid == uid; });
  };
  std::ptrdiff_t count = 0;
  for (const Rollout& other : rollouts) {
    if (other.fleet == of.fleet || policy.empty()) continue;
    count += std::count_if(other.fleet->nodes.begin(), other.fleet->nodes.end(), [&](const NodeView& node) {
      if (!node.claim || !is_in_flight(node.phase)) return false;
      const bool has_no_policy = !other.is_of_policy && other.kind == of.kind && is_gone(node.claim->policy);
      return node.claim->policy == policy || has_no_policy;
    });
  }
  return static_cast<int>(count);
}

bool takes_a_node(const Plan& plan) {
  return std::any_of(plan.decisions.begin(), plan.decisions.end(), [](const Decision& decision) {
    return decision.change && std::any_of(decision.change->path.begin(), decision.change->path.end(),
                                          [](const Step& step) { return step.to == Phase::Cordon; });
  });
}

}  // namespace

std::vector<Plan> decide(std::span<const Rollout> rollouts, const std::optional<Share>& limit) {
  std::vector<const FleetView*> policies;
  bool is_sure = true;
  for (const Rollout& rollout : rollouts) {
    if (rollout.is_of_policy) policies.push_back(rollout.fleet);
    is_sure = is_sure && !rollout.has_unseen_takes;
  }
  const std::optional<GlobalLimit> over_all = limit_over(limit, policies);
  int headroom = over_all ? (is_sure ? over_all->headroom() : 0) : FleetView{}.global_headroom;
  std::vector<Plan> plans;
  plans.reserve(rollouts.size());
  for (const Rollout& rollout : rollouts) {
    rollout.fleet->global_headroom = rollout.has_unseen_takes ? 0 : headroom;
    rollout.fleet->has_unseen_takes = rollout.has_unseen_takes;
    rollout.fleet->in_flight_elsewhere = in_flight_elsewhere(rollouts, rollout);
    plans.push_back(decide(*rollout.flow, *rollout.fleet));
    // As long as the watch does not show what this one takes, the others wait.
    if (over_all && takes_a_node(plans.back())) headroom = 0;
  }
  return plans;
}

}  // namespace drover::core
