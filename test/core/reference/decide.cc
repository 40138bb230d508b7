#include "core/reference/decide.h"

#include <algorithm>
#include <utility>

#include "core/reference/ask/clearing.h"
#include "core/reference/ask/swap.h"

namespace drover::reference {
namespace {

Case case_of(const FleetView& fleet, const Slots& slots, std::size_t index, const NodeView& node) {
  return {.policy = fleet.policy,
          .slots = slots,
          .node = node,
          .is_admitted = slots.is_admitted[index],
          .is_next_in_line = slots.is_next_in_line[index],
          .may_renew = slots.may_renew[index]};
}

const Rule* first_that_applies(const Flow& flow, const Case& about, Words& words) {
  for (const Rule& rule : flow.rules) {
    if (!rule.in.has(about.node.phase)) continue;
    words.forget_text();
    if (rule.when.holds(about, words)) return &rule;
  }
  return nullptr;  // the flow does not use the phase; static_assert saw to the others
}

std::string with_detail(std::string_view because, const std::string& detail) {
  std::string text(because);
  if (!detail.empty()) text += ": " + detail;
  return text;
}

// Gives the node back as it was: nothing of ours stays on it.
void release(NodeView& node) {
  if (!node.claim) return;
  if (node.claim->cordon == Claim::Cordon::Ours && !node.is_held) node.is_cordoned = false;
  for (const auto& [key, value] : node.claim->gates) node.gates.emplace_back(key, value);
  node.claim.reset();
}

// As it was before this try: in service, or held because of the try before. Who uncordoned it has it.
void put_back(NodeView& node) {
  const bool was_held = node.claim && node.claim->driver_failed && node.is_cordoned;
  if (!was_held) return release(node);
  node.claim->gates.clear();
}

// What was paused before is remembered as it was then.
void close_gates(NodeView& node) {
  for (const auto& [key, value] : node.gates) node.claim->gates.try_emplace(key.str(), value.str());
}

void shut(NodeView& node) {
  node.is_cordoned = true;
  node.is_tainted = true;
  node.pods.reset();  // what was seen before the cordon does not count
}

void take(NodeView& node, const Policy& policy) {
  const bool was_ours = node.claim && node.claim->cordon == Claim::Cordon::Ours;
  const bool found = node.is_cordoned && !was_ours;
  const bool has_failed = node.outcome && node.outcome->failed && node.outcome->after_swap;
  node.claim = Claim{.id = node.next_claim.str(),
                     .policy = policy.uid,
                     .phase = Phase::Cordon,
                     .target = node.target.str(),
                     // One that waits for permission is not the one that serves: that is gone already.
                     .driver_pod = node.driver.waits_for_us ? std::string() : node.driver.pod,
                     .cordon = found ? Claim::Cordon::Found : Claim::Cordon::Ours,
                     .was_asked_for = node.is_asked_for,
                     .driver_failed = has_failed || (node.claim && node.claim->driver_failed)};
  if (!policy.is_on) node.claim->serves = node.driver.asks_for;
  node.is_asked_for = false;
  if (policy.cordons || node.is_cordoned) {
    shut(node);
  } else {
    node.claim->cordon = Claim::Cordon::None;
  }
}

// The old driver no longer serves: there is no way back.
bool is_swapped(const NodeView& node, Phase phase) {
  return kAfterSwap.has(phase) && !(phase == Phase::Restart && old_driver_serves(node));
}

// Which driver a try was about. After the swap the policy may want another one already.
std::string_view target_tried(const NodeView& node, Phase from) {
  const bool has_one = from == Phase::Validate || from == Phase::Uncordon;
  return has_one && node.claim && node.driver.is_outdated ? std::string_view(node.claim->target) : node.target.view();
}

// A failure before the swap gives the node back, unless the driver that it has is one that failed itself.
void fail(NodeView& node, const Flow& flow, Phase from, const std::string& reason) {
  const bool swapped = is_swapped(node, from);
  const bool has_failed = !swapped && node.claim && node.claim->driver_failed;
  const std::string_view target = target_tried(node, from);
  const bool is_old_news = has_failed && node.outcome && node.outcome->failed && node.outcome->target == target;
  if (!is_old_news) {
    const bool is_its_own = swapped || (has_failed && !node.driver.is_outdated);
    node.outcome = Outcome{.failed = true, .after_swap = is_its_own, .target = target, .reason = reason};
    // It goes on asking; only another pod is another try.
    if (flow.pod_is_another_try && node.driver.waits_for_us) node.outcome->pod = node.driver.pod;
  }
  if (!swapped && !has_failed) release(node);
  if (!node.claim) return;
  if (flow.pod_is_another_try) node.claim->driver_pod = node.driver.pod;  // the one that failed
  node.claim->driver_failed = true;
  node.claim->was_asked_for = false;  // he had his swap
  node.claim->gates.clear();
}

// The node as it will be once it has entered the phase.
void enter(NodeView& node, const Flow& flow, const Policy& policy, Phase to, const std::string& reason) {
  const Phase from = node.phase;
  const bool was_alone = goes_alone(node, policy) || !is_in_flight(from);
  // Who asked hears with the failing of his node that it cannot be.
  if (to == Phase::Failed && node.claim && node.claim->serves)
    node.refused = std::max(*node.claim->serves, node.driver.asks_for.value_or(Scope::DevicePods));
  node.phase = to;
  node.spent = {};
  node.tried = false;
  if (to == Phase::Cordon) take(node, policy);
  if (node.claim) node.claim->phase = to;
  if (node.claim && from == Phase::Restart && kBeforeSwap.has(to)) ++node.claim->comebacks;
  if (node.claim && node.claim->serves && to == Phase::Drain) node.claim->serves = Scope::AllPods;
  const bool brings_target = to == Phase::Restart || to == Phase::Validate;
  if (node.claim && brings_target) node.claim->target = node.target;  // it may have changed since the cordon
  if (to == flow.gates_close_at && node.claim) close_gates(node);
  if (to == flow.gates_open_at && node.claim) {
    node.claim->gates.clear();
    node.is_tainted = false;
  }
  switch (to) {
    case Phase::Idle:
      release(node);
      if (policy.is_ending || !node.is_selected) node.outcome.reset();  // nobody asks any more
      break;
    case Phase::Done:
      node.outcome = Outcome{.target = target_tried(node, from)};
      release(node);
      break;
    case Phase::Required:
      // What a driver without the controller brings is not validated, and nobody holds its node for it.
      if (node.claim && node.claim->serves && from == Phase::Restart) node.claim->driver_failed = false;
      if (is_in_flight(from)) put_back(node);
      // Somebody deleted the pod that failed, so that another one asks: a person's word.
      if (flow.pod_is_another_try && from == Phase::Failed && node.driver.waits_for_us) node.is_asked_for = true;
      node.rolls = !policy.is_on && was_alone && !node.is_asked_for;
      break;
    case Phase::Failed: fail(node, flow, from, reason); break;
    default: break;
  }
  if (!node.claim || !is_in_flight(to)) node.is_tainted = false;
  if (node.claim && !is_in_flight(to)) node.claim->serves.reset();  // held for another reason
}

// A person who uncordons a node after the swap, or one that failed in our hands, has it: should he cordon it again,
// that is his cordon.
bool cordon_is_no_longer_ours(const NodeView& node) {
  if (!node.claim || node.claim->cordon != Claim::Cordon::Ours || node.is_cordoned) return false;
  if (node.phase == Phase::Failed) return true;
  return is_swapped(node, node.phase);
}

// Nobody holds a node that is at rest, or one that waits for another try, unless it is cordoned because its driver
// failed.
bool is_held_for_nothing(const NodeView& node) {
  if (!node.claim) return false;
  const bool has_failed = node.claim->driver_failed || (node.outcome && node.outcome->failed);
  const bool could_serve = node.phase == Phase::Required && !(has_failed && node.is_cordoned);
  return could_serve || node.phase == Phase::Idle || node.phase == Phase::Done;
}

bool is_tainted_for_nothing(const NodeView& node) {
  return node.is_tainted && !(node.claim && is_in_flight(node.phase));
}

// The policy was deleted and made again, or the record came from elsewhere: whoever decides now owns the claim.
bool claim_names_another_policy(const NodeView& node, const Policy& policy) {
  return node.claim && !policy.uid.empty() && node.claim->policy != policy.uid;
}

// A pause outlives the process that saw it begin only in the record.
// So does a wait for whoever holds the device.
bool clock_runs(const NodeView& node, const Policy& policy) {
  return (policy.is_on || goes_alone(node, policy)) && node.driver.held_by.empty();
}
bool clock_is_wrong(const NodeView& node, const Policy& policy) {
  return node.claim && is_in_flight(node.phase) && node.claim->clock_stands == clock_runs(node, policy);
}

// A controller is at work again: what was begun without it is its own now.
bool is_taken_over(const NodeView& node, const Policy& policy) {
  return policy.is_on && node.claim && node.claim->serves;
}

// He who was refused has heard it, and may ask again.
bool refusal_is_stale(const NodeView& node) { return node.refused && !node.driver.asks_for; }

// A failure that somebody else left: written down, or nobody would know later that a person asks for another try, or
// that another version is one. It says nothing about the version that is wanted now.
bool failure_is_not_written(const NodeView& node) {
  return node.phase == Phase::Failed && !node.outcome && !node.target.empty();
}

// The policy has its nodes cordoned since a moment ago.
bool should_be_shut(const NodeView& node, const Policy& policy) {
  return node.claim && node.claim->cordon == Claim::Cordon::None && policy.cordons && kBeforeSwap.has(node.phase);
}

// The permission to swap names a driver; since a moment ago another one is wanted.
bool permission_is_old(const NodeView& node) {
  return node.claim && node.phase == Phase::Restart && !node.target.empty() && node.claim->target != node.target;
}

// Gates are paused for a swap; a node that only rests under its claim keeps nobody away.
bool gates_are_closed_for_nothing(const NodeView& node) {
  return node.claim && !is_in_flight(node.phase) && !node.claim->gates.empty();
}

// What contradicts itself is put right without a move, whoever left it so.
bool has_loose_ends(const NodeView& node, const Policy& policy) {
  return node.record_is_odd || claim_names_another_policy(node, policy) || cordon_is_no_longer_ours(node) ||
         is_held_for_nothing(node) || is_tainted_for_nothing(node) || (node.claim && !node.claim_is_written) ||
         clock_is_wrong(node, policy) || failure_is_not_written(node) || !node.lost_gates.empty() ||
         is_taken_over(node, policy) || refusal_is_stale(node) || should_be_shut(node, policy) ||
         permission_is_old(node) || gates_are_closed_for_nothing(node);
}

// A claim that we take over holds the node as one of ours would.
void hold_properly(NodeView& node, const Flow& flow) {
  if (!is_in_flight(node.phase)) return;
  const bool is_closed = node.phase == flow.gates_close_at;
  if (is_closed) close_gates(node);
  const bool is_shut = node.claim->cordon != Claim::Cordon::None;
  if (is_shut && (is_closed || kBeforeSwap.has(node.phase))) node.is_tainted = true;
}

void tie_loose_ends(NodeView& node, const Flow& flow, const Policy& policy) {
  if (claim_names_another_policy(node, policy)) node.claim->policy = policy.uid;
  if (cordon_is_no_longer_ours(node)) node.claim->cordon = Claim::Cordon::Found;
  if (is_held_for_nothing(node)) release(node);
  if (failure_is_not_written(node)) {
    node.outcome = Outcome{.failed = true, .target = node.target, .reason = "it had failed before drover came"};
  }
  if (is_taken_over(node, policy)) node.claim->serves.reset();
  if (policy.is_on) node.rolls = false;
  if (clock_is_wrong(node, policy)) node.claim->clock_stands = !clock_runs(node, policy);
  if (is_tainted_for_nothing(node)) node.is_tainted = false;
  if (should_be_shut(node, policy)) {
    node.claim->cordon = node.is_cordoned ? Claim::Cordon::Found : Claim::Cordon::Ours;
    shut(node);
  }
  if (permission_is_old(node)) node.claim->target = node.target;
  if (gates_are_closed_for_nothing(node)) node.claim->gates.clear();
  if (node.claim && !node.claim_is_written) hold_properly(node, flow);
  if (node.claim && node.phase == flow.gates_close_at) node.claim->gates.merge(node.lost_gates);
}

Change difference(const NodeView& before, const NodeView& after, const Policy& policy, std::vector<Step> path) {
  Change change{.path = std::move(path), .phase = after.phase, .label = label_of(after, policy)};
  change.rolls = after.rolls && after.phase == Phase::Required;
  change.is_alone = !policy.is_on && (!before.claim || before.claim->serves);
  if (after.phase == Phase::Failed && !refusal_is_stale(after)) change.refuses = after.refused;
  change.label_was_wrong = (before.label && before.label != change.label) || !before.odd_label.empty();
  if (before.is_cordoned != after.is_cordoned) change.cordoned = after.is_cordoned;
  if (before.is_tainted != after.is_tainted) change.tainted = after.is_tainted;
  change.claim = after.claim;
  change.outcome = after.outcome;
  const std::map<std::string, std::string> none;
  const auto& closed_before = before.claim ? before.claim->gates : none;
  const auto& closed_after = after.claim ? after.claim->gates : none;
  for (const auto& [key, value] : closed_after) {
    if (!closed_before.contains(key) && !before.lost_gates.contains(key)) change.gates_to_pause.push_back(key);
  }
  for (const auto& [key, value] : closed_before) {
    if (!closed_after.contains(key)) change.gates_to_restore[key] = value;
  }
  for (const auto& [key, value] : before.lost_gates) {
    if (!closed_after.contains(key)) change.gates_to_restore[key] = value;
  }
  change.wish_is_heard = before.is_asked_for && !after.is_asked_for;
  change.is_asked_for = after.is_asked_for;
  // Whoever takes over from somebody cannot know who uncordoned the node.
  const bool was_open = before.claim && before.claim_is_written && !before.is_cordoned;
  const bool was_unswapped = kBeforeSwap.has(before.phase) || before.phase == Phase::Restart;
  change.gives_back_to_person = was_open && was_unswapped && !after.claim && after.phase == Phase::Required;
  return change;
}

// Walks the table until the node works or waits. Each turn is a phase passed, and no phase is passed twice.
Decision decide_for(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t index,
                    std::optional<Span>& look_again_in) {
  const NodeView& node = fleet.nodes[index];
  Decision decision{.node = index};
  Words words = Words::mute();
  decision.rule = first_that_applies(flow, case_of(fleet, slots, index, node), words);
  const bool moves = decision.rule != nullptr && decision.rule->kind == Rule::Kind::Move;
  const bool label_is_wrong = flow.has_label && label_of(node, fleet.policy) != node.label;
  if (moves || has_loose_ends(node, fleet.policy) || label_is_wrong) {
    NodeView after = node;
    tie_loose_ends(after, flow, fleet.policy);
    std::vector<Step> path;
    Phases passed = node.phase;
    while (decision.rule != nullptr && decision.rule->kind == Rule::Kind::Move && !passed.has(decision.rule->to)) {
      Words spoken = Words::spoken();
      decision.rule->when.holds(case_of(fleet, slots, index, after), spoken);
      const Phase to = decision.rule->to;
      path.push_back({after.phase, to, with_detail(decision.rule->because, spoken.text())});
      enter(after, flow, fleet.policy, to, path.back().because);
      passed = passed | to;
      words = Words::mute();
      decision.rule = first_that_applies(flow, case_of(fleet, slots, index, after), words);
    }
    decision.change = difference(node, after, fleet.policy, std::move(path));
  } else if (decision.rule != nullptr) {
    decision.work = decision.rule->work;
  }
  if (const auto again = words.look_again_in())
    look_again_in = look_again_in ? std::min(*look_again_in, *again) : again;
  return decision;
}

// A wait says itself what it is for in the rules before it that did not hold: "2 still running; 5m of 10m".
std::string what_would_end_it(const Flow& flow, const Case& about, const Rule& wait) {
  std::string details;
  for (const Rule* rule = flow.rules.data(); rule != &wait; ++rule) {
    const bool ends_it = rule->kind == Rule::Kind::Move && rule->in == Phases(about.node.phase);
    if (!ends_it) continue;
    Words words = Words::spoken();
    rule->when.holds(about, words);
    if (!words.text().empty()) details += (details.empty() ? "" : "; ") + words.text();
  }
  return details;
}

}  // namespace

std::optional<Phase> label_of(const NodeView& node, const Policy& policy) {
  if (node.phase == Phase::Idle) return {};
  if (!policy.is_on && (!node.claim || node.claim->serves)) return {};
  return node.phase;
}

Plan decide(const Flow& flow, const FleetView& fleet) {
  Plan plan{.slots = count_slots(fleet), .decisions = {}};
  plan.look_again_in = plan.slots.look_again_in;
  plan.decisions.reserve(fleet.nodes.size());
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    plan.decisions.push_back(decide_for(flow, fleet, plan.slots, i, plan.look_again_in));
  }
  return plan;
}

std::vector<Considered> explain(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t index) {
  std::vector<Considered> considered;
  const Case about = case_of(fleet, slots, index, fleet.nodes[index]);
  for (const Rule& rule : flow.rules) {
    if (!rule.in.has(about.node.phase)) continue;
    Words words = Words::spoken();
    const bool holds = rule.when.holds(about, words);
    considered.push_back({&rule, holds, words.text()});
    if (holds) break;
  }
  return considered;
}

std::string reason_of(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t index) {
  const Case about = case_of(fleet, slots, index, fleet.nodes[index]);
  Words words = Words::spoken();
  const Rule* rule = first_that_applies(flow, about, words);
  if (rule == nullptr) return {};
  if (rule->kind == Rule::Kind::Wait && words.text().empty() && is_in_flight(about.node.phase)) {
    return with_detail(rule->because, what_would_end_it(flow, about, *rule));
  }
  // Work in a node that has pods in the way says which.
  if (rule->kind == Rule::Kind::Work && about.node.pods && words.text().empty()) {
    const Clearing left = rule->work == Work::EvictAll ? clearing::of_all_pods(about) : clearing::of_device_pods(about);
    return with_detail(rule->because, names_of(left));
  }
  return with_detail(rule->because, words.text());
}

}  // namespace drover::reference
