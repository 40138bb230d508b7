#include "core/effect.h"

#include <algorithm>

#include "core/conditions/swap.h"
#include "core/flow.h"

namespace drover::core {
namespace {

// One move, as its effects see it.
struct Passage {
  const Flow& flow;
  const Policy& policy;
  const Rule& rule;
  Phase from;
  const std::string& because;
  bool was_without_controller;  // no controller was at work on it, or it was at rest
};

void take(NodeView& node, const Passage& at) {
  const bool was_ours = node.claim && node.claim->cordon == Claim::Cordon::Ours;
  const bool found = node.is_cordoned && !was_ours;
  const bool has_failed = node.outcome && node.outcome->failed && node.outcome->after_swap;
  node.claim = Claim{.id = node.next_claim.str(),
                     .policy = at.policy.uid,
                     .phase = at.rule.to,
                     .target = node.target.str(),
                     // One that waits for permission is not the one that serves: that is gone already.
                     .driver_pod = node.driver.waits_for_us ? std::string() : node.driver.pod,
                     .cordon = found ? Claim::Cordon::Found : Claim::Cordon::Ours,
                     .was_asked_for = node.is_asked_for,
                     .driver_failed = has_failed || (node.claim && node.claim->driver_failed)};
  if (!at.policy.is_on) node.claim->requested_scope = node.driver.asks_for;
  node.is_asked_for = false;
  if (at.policy.cordons || node.is_cordoned) {
    cordon_and_taint(node);
  } else {
    node.claim->cordon = Claim::Cordon::None;
  }
}

void count_return(NodeView& node, const Passage& at) {
  if (node.claim && at.from == at.flow.spec.swap) ++node.claim->device_pod_returns;
}

void widen_scope(NodeView& node, const Passage&) {
  if (node.claim && node.claim->requested_scope) node.claim->requested_scope = Scope::AllPods;
}

void retarget(NodeView& node, const Passage&) {
  if (node.claim) node.claim->target = node.target;  // it may have changed since the cordon
}

void close_gates(NodeView& node, const Passage&) {
  if (node.claim) core::close_gates(node);
}

void open_gates(NodeView& node, const Passage&) {
  if (!node.claim) return;
  node.claim->gates.clear();
  node.is_tainted = false;
}

void accept_unproven(NodeView& node, const Passage& at) {
  if (node.claim && node.claim->requested_scope && at.from == at.flow.spec.swap) node.claim->driver_failed = false;
}

// A node that a person uncordoned is the person's.
void put_back(NodeView& node, const Passage& at) {
  if (!is_in_flight(at.from)) return;
  const bool was_held = node.claim && node.claim->driver_failed && node.is_cordoned;
  if (!was_held) return release(node);
  node.claim->gates.clear();
}

void ask_again(NodeView& node, const Passage& at) {
  if (at.from == Phase::Failed && node.driver.waits_for_us) node.is_asked_for = true;
}

void requeue(NodeView& node, const Passage& at) {
  node.without_controller = !at.policy.is_on && at.was_without_controller && !node.is_asked_for;
}

// Which driver an attempt was about. After the swap the policy may want another one already.
std::string_view target_tried(const NodeView& node, Phase from) {
  const bool has_one = from == Phase::Validate || from == Phase::Uncordon;
  return has_one && node.claim && node.driver.is_outdated ? std::string_view(node.claim->target) : node.target.view();
}

void succeed(NodeView& node, const Passage& at) { node.outcome = Outcome{.target = target_tried(node, at.from)}; }

// A failure before the swap gives the node back, unless the driver that it has is one that failed itself.
void fail(NodeView& node, const Passage& at) {
  const bool remembers_pod = at.rule.effects.has(Effect::RememberPod);
  // An init container that asked hears with this that it cannot be.
  if (node.claim && node.claim->requested_scope)
    node.refused = std::max(*node.claim->requested_scope, node.driver.asks_for.value_or(Scope::DevicePods));
  const bool swapped = is_swapped(node, at.flow, at.from);
  const bool has_failed = !swapped && node.claim && node.claim->driver_failed;
  const std::string_view target = target_tried(node, at.from);
  const bool is_old_news = has_failed && node.outcome && node.outcome->failed && node.outcome->target == target;
  if (!is_old_news) {
    const bool is_its_own = swapped || (has_failed && !node.driver.is_outdated);
    node.outcome = Outcome{
        .failed = true, .after_swap = is_its_own, .target = target, .code = at.rule.reason, .reason = at.because};
    // It goes on asking; only another pod is another attempt.
    if (remembers_pod && node.driver.waits_for_us) node.outcome->pod = node.driver.pod;
  }
  if (!swapped && !has_failed) release(node);
  if (!node.claim) return;
  if (remembers_pod) node.claim->driver_pod = node.driver.pod;  // the one that failed
  node.claim->driver_failed = true;
  node.claim->was_asked_for = false;  // the request had its swap
  node.claim->gates.clear();
}

void remember_pod(NodeView&, const Passage&) {}  // a manner of Fail

void forget_outcome(NodeView& node, const Passage& at) {
  if (at.policy.is_ending || !node.is_selected) node.outcome.reset();
}

void release(NodeView& node, const Passage&) { core::release(node); }

struct EffectStep {
  Effect effect;
  void (*apply)(NodeView&, const Passage&);
};

constexpr EffectStep kInOrder[] = {
    {Effect::Take, take},
    {Effect::CountReturn, count_return},
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

void release(NodeView& node) {
  if (!node.claim) return;
  if (node.claim->cordon == Claim::Cordon::Ours && !node.is_held) node.is_cordoned = false;
  for (const auto& [key, value] : node.claim->gates) node.gates.emplace_back(key, value);
  node.claim.reset();
}

void cordon_and_taint(NodeView& node) {
  node.is_cordoned = true;
  node.is_tainted = true;
  node.pods.reset();  // what was seen before the cordon does not count
}

void close_gates(NodeView& node) {
  for (const auto& [key, value] : node.gates) node.claim->gates.try_emplace(key.str(), value.str());
}

bool is_swapped(const NodeView& node, const Flow& flow, Phase phase) {
  return kAfterSwap.has(phase) && !(phase == flow.spec.swap && old_driver_serves(node));
}

void enter(NodeView& node, const Flow& flow, const Policy& policy, const Rule& rule, const std::string& because) {
  const Passage at{.flow = flow,
                   .policy = policy,
                   .rule = rule,
                   .from = node.phase,
                   .because = because,
                   .was_without_controller = goes_without_controller(node, policy) || !is_in_flight(node.phase)};
  node.phase = rule.to;
  node.spent = {};
  node.tried = false;
  if (node.claim) node.claim->phase = rule.to;
  for (const EffectStep& step : kInOrder) {
    if (rule.effects.has(step.effect)) step.apply(node, at);
  }
  // What holds after any move.
  if (!node.claim || !is_in_flight(rule.to)) node.is_tainted = false;
  if (node.claim && !is_in_flight(rule.to)) node.claim->requested_scope.reset();  // held for another reason
}

}  // namespace drover::core
