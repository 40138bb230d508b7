#include "core/repair.h"

#include <algorithm>

#include "core/change.h"
#include "core/deadline.h"
#include "core/drain.h"

namespace drover::core {
namespace {

using In = const RepairInput&;

// A pause outlives the process that saw it begin only in the record; so does a wait for what holds the device, or for a
// node that is not ready.
bool deadline_runs(In c) {
  return (c.policy.is_on || goes_without_controller(c.node, c.policy)) && c.node.driver.held_by.empty() &&
         c.node.is_ready;
}

int returns_of(const NodeView& node) {
  int most = 0;
  if (!node.pods) return most;
  for (const PodView& pod : *node.pods) {
    if (pod.uses_device) most = std::max(most, std::min(pod.generation - 1, kMostReturns));
  }
  return most;
}

bool is_shut_in(In c) { return c.flow.on_entry(c.node.phase).has(Effect::CloseGates); }

// A claim that is taken over holds the node as one of ours would.
void hold_properly(NodeMarks& marks, WalkState& walk, In c) {
  if (!is_in_flight(marks.phase)) return;
  const bool is_closed = is_shut_in(c);
  if (is_closed) close_gates(marks, walk);
  const bool is_shut = marks.claim->cordon != Claim::Cordon::None;
  if (is_shut && (is_closed || kBeforeSwap.has(marks.phase))) marks.is_tainted = true;
}

constexpr Repair kRepairs[] = {
    // The policy was deleted and made again, or the record came from elsewhere: the policy that decides now owns the
    // claim.
    {Reason::ClaimOfAnotherPolicy, "the claim names another policy",
     [](In c) { return c.node.claim && !c.policy.uid.empty() && c.node.claim->policy != c.policy.uid; },
     [](NodeMarks& marks, WalkState&, In c) { marks.claim->policy = c.policy.uid; }},
    // A node that a user uncordons after the swap, or after a failure under us, is the user's, and so is a cordon
    // that it gets later.
    {Reason::CordonNoLongerOurs, "a user uncordoned it; another cordon is not ours",
     [](In c) {
       if (!c.node.claim || c.node.claim->cordon != Claim::Cordon::Ours || c.node.is_cordoned) return false;
       return c.node.phase == Phase::Failed || is_swapped(c.node, c.flow, c.node.phase);
     },
     [](NodeMarks& marks, WalkState&, In) { marks.claim->cordon = Claim::Cordon::Found; }},
    // A node at rest is not held, nor one that waits for another attempt, unless it is cordoned because its driver
    // failed.
    {Reason::HeldWithoutReason, "it is held without a reason",
     [](In c) {
       if (!c.node.claim) return false;
       const bool has_failed = c.node.claim->driver_failed || (c.node.outcome && c.node.outcome->failed);
       const bool could_serve = c.node.phase == Phase::Required && !(has_failed && c.node.is_cordoned);
       return could_serve || c.node.phase == Phase::Idle || c.node.phase == Phase::Done;
     },
     [](NodeMarks& marks, WalkState& walk, In c) { release(marks, walk, c.node.is_held); }},
    // A failure that something else left is written down: else a request for another attempt, or another version, could
    // not be told from it later. It says nothing about the version that is wanted now.
    {Reason::FailureNotRecorded, "its failure is in no record",
     [](In c) { return c.node.phase == Phase::Failed && !c.node.outcome && !c.node.target.empty(); },
     [](NodeMarks& marks, WalkState&, In c) {
       marks.outcome = Outcome{.failed = true,
                               .target = c.node.target,
                               .code = Reason::FailureNotRecorded,
                               .reason = "it had failed before drover came"};
     }},
    // A controller is at work again: what was begun without it is its own now.
    {Reason::ControllerIsBack, "upgrades are on again",
     [](In c) { return c.policy.is_on && c.node.claim && c.node.claim->requested_scope; },
     [](NodeMarks& marks, WalkState&, In) { marks.claim->requested_scope.reset(); }},
    {Reason::ControllerIsBack, "it waits with the others again",
     [](In c) { return c.policy.is_on && c.node.without_controller; },
     [](NodeMarks& marks, WalkState&, In) { marks.without_controller = false; }, true},
    {Reason::ClockIsWrong, "its deadline runs while it should stand, or stands while it should run",
     [](In c) {
       return c.node.claim && is_in_flight(c.node.phase) && c.node.claim->deadline_paused == deadline_runs(c);
     },
     [](NodeMarks& marks, WalkState&, In c) { marks.claim->deadline_paused = !deadline_runs(c); }},
    // The next leader goes on from the time that stands there.
    {Reason::TimeSpent, "the time that it has spent in its phase is written down",
     [](In c) { return time_is_to_be_written(c.node, c.flow, c.policy); },
     [](NodeMarks& marks, WalkState&, In c) { marks.claim->spent = c.node.spent; }},
    // Else a restart would begin to count at zero, and pods that always come back would be evicted for ever.
    {Reason::ReturnsCounted, "pods that use the device have come back",
     [](In c) { return c.node.claim && returns_of(c.node) > c.node.claim->device_pod_returns; },
     [](NodeMarks& marks, WalkState&, In c) { marks.claim->device_pod_returns = returns_of(c.node); }},
    {Reason::OrphanedTaint, "it has our taint and is not in flight",
     [](In c) { return c.node.is_tainted && !(c.node.claim && is_in_flight(c.node.phase)); },
     [](NodeMarks& marks, WalkState&, In) { marks.is_tainted = false; }},
    {Reason::CordonWanted, "the policy has its nodes cordoned now",
     [](In c) {
       return c.node.claim && c.node.claim->cordon == Claim::Cordon::None && c.policy.cordons &&
              kBeforeSwap.has(c.node.phase);
     },
     [](NodeMarks& marks, WalkState& walk, In) {
       marks.claim->cordon = marks.is_cordoned ? Claim::Cordon::Found : Claim::Cordon::Ours;
       cordon_and_taint(marks, walk);
     }},
    // The permission to swap names a driver; since a moment ago another one is wanted.
    {Reason::PermissionOutdated, "its permission to swap names another driver",
     [](In c) {
       return c.node.claim && c.node.phase == c.flow.spec.swap && !c.node.target.empty() &&
              c.node.claim->target != c.node.target;
     },
     [](NodeMarks& marks, WalkState&, In c) { marks.claim->target = c.node.target; }},
    // Gates are closed for a swap; a node that only rests under its claim keeps no other pod away.
    {Reason::GatesClosedAtRest, "its gates are closed, and it is not in flight",
     [](In c) { return c.node.claim && !is_in_flight(c.node.phase) && !c.node.claim->gates.empty(); },
     [](NodeMarks& marks, WalkState&, In) { marks.claim->gates.clear(); }},
    {Reason::ClaimNotWritten, "its claim is in no record yet",
     [](In c) { return c.node.claim && !c.node.claim_is_written; }, hold_properly},
    {Reason::GatesLost, "gates are closed, and no claim says so", [](In c) { return !c.node.lost_gates.empty(); },
     [](NodeMarks& marks, WalkState&, In c) {
       if (marks.claim && is_shut_in(c)) marks.claim->gates.insert(c.node.lost_gates.begin(), c.node.lost_gates.end());
     }},
    {Reason::RecordUnreadable, "its record cannot be read whole", [](In c) { return c.node.record_is_odd; }, nullptr},
    {Reason::RefusalHeard, "its driver's init container was refused, and asks no more",
     [](In c) { return refusal_is_stale(c.node); }, nullptr},
    {Reason::LabelWrong, "its state label says something else",
     [](In c) { return c.flow.has(Trait::StateLabel) && label_of(c.node, c.policy) != c.node.label; }, nullptr},
};

}  // namespace

std::span<const Repair> repairs() { return kRepairs; }

bool needs_repair(const NodeView& node, const Flow& flow, const Policy& policy) {
  return std::any_of(std::begin(kRepairs), std::end(kRepairs), [&](const Repair& repair) {
    return !repair.is_along_only && repair.needed({node, flow, policy});
  });
}

std::vector<const Repair*> repair(WalkedNode& node, const Flow& flow, const Policy& policy) {
  const RepairInput in{node.now(), flow, policy};
  std::vector<const Repair*> done;
  for (const Repair& repair : kRepairs) {
    if (!repair.needed(in)) continue;
    if (repair.apply != nullptr) repair.apply(node.marks(), node.walk(), in);
    done.push_back(&repair);
  }
  return done;
}

bool refusal_is_stale(const NodeView& node) { return node.refused && !node.driver.asks_for; }

}  // namespace drover::core
