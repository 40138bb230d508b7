#include "core/effect.h"

#include <algorithm>

#include "core/conditions/swap.h"
#include "core/flow.h"

namespace drover::core {
namespace {

// One move, as its effects see it.
struct Passage {
  const NodeView& node;  // what is being changed shows in it at once
  WalkState& walk;
  const Flow& flow;
  const Policy& policy;
  const Rule& rule;
  Phase from;
  const std::string& because;
  bool was_without_controller;  // no controller was at work on it, or it was at rest
};

void take(NodeMarks& marks, const Passage& at) {
  const bool was_ours = marks.claim && marks.claim->cordon == Claim::Cordon::Ours;
  const bool found = marks.is_cordoned && !was_ours;
  const bool has_failed = marks.outcome && marks.outcome->failed && marks.outcome->after_swap;
  marks.claim =
      Claim{.id = at.node.next_claim.str(),
            .policy = at.policy.uid,
            .phase = at.rule.to,
            .target = at.node.target.str(),
            // One that waits for permission, or never ran, is not the one that serves: that is gone already.
            .driver_pod = at.node.driver.waits_for_us || at.node.driver.never_ran ? std::string() : at.node.driver.pod,
            .cordon = found ? Claim::Cordon::Found : Claim::Cordon::Ours,
            .was_asked_for = marks.is_asked_for,
            .driver_failed = has_failed || (marks.claim && marks.claim->driver_failed)};
  if (!at.policy.is_on) marks.claim->requested_scope = at.node.driver.asks_for;
  marks.is_asked_for = false;
  if (at.policy.cordons || marks.is_cordoned) {
    cordon_and_taint(marks, at.walk);
  } else {
    marks.claim->cordon = Claim::Cordon::None;
  }
}

void widen_scope(NodeMarks& marks, const Passage&) {
  if (marks.claim && marks.claim->requested_scope) marks.claim->requested_scope = Scope::AllPods;
}

void retarget(NodeMarks& marks, const Passage& at) {
  if (marks.claim) marks.claim->target = at.node.target;  // it may have changed since the cordon
}

void close_gates(NodeMarks& marks, const Passage& at) {
  if (marks.claim) core::close_gates(marks, at.walk);
}

void open_gates(NodeMarks& marks, const Passage&) {
  if (!marks.claim) return;
  marks.claim->gates.clear();
  marks.is_tainted = false;
}

void accept_unproven(NodeMarks& marks, const Passage& at) {
  if (marks.claim && marks.claim->requested_scope && at.from == at.flow.spec.swap) marks.claim->driver_failed = false;
}

// A node that a person uncordoned is the person's.
void put_back(NodeMarks& marks, const Passage& at) {
  if (!is_in_flight(at.from)) return;
  const bool was_held = marks.claim && marks.claim->driver_failed && marks.is_cordoned;
  if (!was_held) return release(marks, at.walk, at.node.is_held);
  marks.claim->gates.clear();
}

void ask_again(NodeMarks& marks, const Passage& at) {
  if (at.from == Phase::Failed && at.node.driver.waits_for_us) marks.is_asked_for = true;
}

void requeue(NodeMarks& marks, const Passage& at) {
  marks.without_controller = !at.policy.is_on && at.was_without_controller && !marks.is_asked_for;
}

// Which driver an attempt was about. After the swap the policy may want another one already.
std::string_view target_tried(const Passage& at) {
  const NodeView& node = at.node;
  const bool has_one = at.from == Phase::Validate || at.from == Phase::Uncordon;
  return has_one && node.claim && node.driver.is_outdated ? std::string_view(node.claim->target) : node.target.view();
}

void succeed(NodeMarks& marks, const Passage& at) { marks.outcome = Outcome{.target = target_tried(at)}; }

// A failure before the swap gives the node back, unless the driver that it has is one that failed itself.
void fail(NodeMarks& marks, const Passage& at) {
  const bool remembers_pod = at.rule.effects.has(Effect::RememberPod);
  // An init container that asked hears with this that it cannot be.
  if (marks.claim && marks.claim->requested_scope)
    marks.refused = std::max(*marks.claim->requested_scope, at.node.driver.asks_for.value_or(Scope::DevicePods));
  const bool swapped = is_swapped(at.node, at.flow, at.from);
  const bool has_failed = !swapped && marks.claim && marks.claim->driver_failed;
  const std::string_view target = target_tried(at);
  const bool is_old_news = has_failed && marks.outcome && marks.outcome->failed && marks.outcome->target == target;
  if (!is_old_news) {
    const bool is_its_own = swapped || (has_failed && !at.node.driver.is_outdated);
    marks.outcome = Outcome{
        .failed = true, .after_swap = is_its_own, .target = target, .code = at.rule.reason, .reason = at.because};
    // It goes on asking; only another pod is another attempt.
    if (remembers_pod && at.node.driver.waits_for_us) marks.outcome->pod = at.node.driver.pod;
  }
  if (!swapped && !has_failed) release(marks, at.walk, at.node.is_held);
  if (!marks.claim) return;
  if (remembers_pod) marks.claim->driver_pod = at.node.driver.pod;  // the one that failed
  marks.claim->driver_failed = true;
  marks.claim->was_asked_for = false;  // the request had its swap
  marks.claim->gates.clear();
}

void remember_pod(NodeMarks&, const Passage&) {}  // a manner of Fail

void forget_outcome(NodeMarks& marks, const Passage& at) {
  if (at.policy.is_ending || !at.node.is_selected) marks.outcome.reset();
}

void release(NodeMarks& marks, const Passage& at) { core::release(marks, at.walk, at.node.is_held); }

struct EffectStep {
  Effect effect;
  void (*apply)(NodeMarks&, const Passage&);
};

constexpr EffectStep kInOrder[] = {
    {Effect::Take, take},
    {Effect::WidenScope, widen_scope},
    {Effect::Retarget, retarget},
    {Effect::CloseGates, close_gates},
    {Effect::OpenGates, open_gates},
    {Effect::AcceptUnproven, accept_unproven},
    {Effect::PutBack, put_back},
    {Effect::AskAgain, ask_again},
    {Effect::Requeue, requeue},
    {Effect::Succeed, succeed},
    {Effect::Fail, fail},
    {Effect::RememberPod, remember_pod},
    {Effect::ForgetOutcome, forget_outcome},
    {Effect::Release, release},
};
static_assert(std::size(kInOrder) == kEffectTable.size());

}  // namespace

void release(NodeMarks& marks, WalkState& walk, bool is_held) {
  if (!marks.claim) return;
  if (marks.claim->cordon == Claim::Cordon::Ours && !is_held) marks.is_cordoned = false;
  for (const auto& [key, value] : marks.claim->gates) walk.gates.emplace_back(key, value);
  marks.claim.reset();
}

void cordon_and_taint(NodeMarks& marks, WalkState& walk) {
  marks.is_cordoned = true;
  marks.is_tainted = true;
  walk.pods.reset();  // what was seen before the cordon does not count
}

void close_gates(NodeMarks& marks, const WalkState& walk) {
  for (const auto& [key, value] : walk.gates) marks.claim->gates.try_emplace(key.str(), value.str());
}

bool is_swapped(const NodeView& node, const Flow& flow, Phase phase) {
  return kAfterSwap.has(phase) && !(phase == flow.spec.swap && old_driver_serves(node));
}

void enter(WalkedNode& walked, const Flow& flow, const Policy& policy, const Rule& rule, const std::string& because) {
  const NodeView& node = walked.now();
  NodeMarks& marks = walked.marks();
  const Passage at{.node = node,
                   .walk = walked.walk(),
                   .flow = flow,
                   .policy = policy,
                   .rule = rule,
                   .from = node.phase,
                   .because = because,
                   .was_without_controller = goes_without_controller(node, policy) || !is_in_flight(node.phase)};
  marks.phase = rule.to;
  at.walk.spent = {};
  at.walk.tried = false;
  if (marks.claim) {
    marks.claim->phase = rule.to;
    marks.claim->spent = {};
  }
  for (const EffectStep& step : kInOrder) {
    if (rule.effects.has(step.effect)) step.apply(marks, at);
  }
  // What holds after any move.
  if (!marks.claim || !is_in_flight(rule.to)) marks.is_tainted = false;
  if (marks.claim && !is_in_flight(rule.to)) marks.claim->requested_scope.reset();  // held for another reason
}

}  // namespace drover::core
