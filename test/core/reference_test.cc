// The composed flows decide like the tables that they were made from: the old core, frozen, beside the new one, on
// random fleets. DROVER_FLEETS says how many (2,000).
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/any_fleet.h"
#include "core/explain.h"
#include "core/flows/flows.h"
#include "core/reference/decide.cc"
#include "core/reference/drain.cc"
#include "core/reference/flow.cc"
#include "core/reference/flow_when_prepared.cc"
#include "core/reference/slots.cc"

namespace drover::core::testing {
namespace {

namespace old = drover::reference;

template <class To, class From>
To same(From from) {
  return static_cast<To>(static_cast<int>(from));
}
template <class To, class From>
std::optional<To> same(const std::optional<From>& from) {
  return from ? std::optional<To>(same<To>(*from)) : std::nullopt;
}

old::Share as_old(const Share& share) { return {share.amount, share.is_percent}; }
std::optional<old::Removal> as_old(const std::optional<Removal>& removal) {
  if (!removal) return {};
  return old::Removal{removal->takes_bare_pods, removal->takes_local_data, removal->at_most, removal->forces};
}

old::Policy as_old(const Policy& policy) {
  old::Policy one;
  one.name = policy.name;
  one.uid = policy.uid;
  one.is_on = policy.is_on;
  one.rolls_by_itself = policy.rolls_by_itself;
  one.is_ending = policy.is_ending;
  one.trouble = policy.trouble;
  one.at_once = policy.at_once;
  one.away = as_old(policy.away);
  one.nodes_at_start = policy.nodes_at_start;
  one.failures = as_old(policy.failures);
  one.cordons = policy.cordons;
  one.jobs = {policy.jobs.is_wanted, policy.jobs.at_most};
  one.device_pods = as_old(policy.device_pods);
  one.drain = as_old(policy.drain);
  one.restart_at_most = policy.restart_at_most;
  one.validate_at_most = policy.validate_at_most;
  return one;
}

old::PodView as_old(const PodView& pod) {
  return {.ns = pod.ns,
          .name = pod.name,
          .uid = pod.uid,
          .owner = pod.owner,
          .uses_device = pod.uses_device,
          .is_finished = pod.is_finished,
          .is_going = pod.is_going,
          .is_mirror = pod.is_mirror,
          .is_daemon = pod.is_daemon,
          .returns = pod.returns,
          .has_local_data = pod.has_local_data,
          .is_ours = pod.is_ours,
          .is_waited_for = pod.is_waited_for,
          .is_drained = pod.is_drained,
          .held_by = pod.held_by};
}

old::DriverView as_old(const DriverView& driver) {
  return {.wanted = driver.wanted,
          .pod = driver.pod,
          .is_hosts_own = driver.is_hosts_own,
          .is_first = driver.is_first,
          .is_outdated = driver.is_outdated,
          .is_going = driver.is_going,
          .is_ready = driver.is_ready,
          .is_settled = driver.is_settled,
          .waits_for_us = driver.waits_for_us,
          .asks_for = same<old::Scope>(driver.asks_for),
          .asks_nothing = driver.asks_nothing,
          .is_stale = driver.is_stale,
          .may_not_force = driver.may_not_force,
          .trouble = driver.trouble,
          .loaded = driver.loaded,
          .held_by = driver.held_by,
          .refusal = driver.refusal};
}

old::Claim as_old(const Claim& claim) {
  return {.id = claim.id,
          .policy = claim.policy,
          .phase = same<old::Phase>(claim.phase),
          .target = claim.target,
          .driver_pod = claim.driver_pod,
          .boot = claim.boot,
          .cordon = same<old::Claim::Cordon>(claim.cordon),
          .was_asked_for = claim.was_asked_for,
          .driver_failed = claim.driver_failed,
          .comebacks = claim.comebacks,
          .clock_stands = claim.clock_stands,
          .gates = claim.gates,
          .serves = same<old::Scope>(claim.serves)};
}
base::Box<old::Claim> as_old(const base::Box<Claim>& claim) {
  return claim ? base::Box<old::Claim>(as_old(*claim)) : base::Box<old::Claim>();
}
base::Box<old::Outcome> as_old(const base::Box<Outcome>& outcome) {
  if (!outcome) return {};
  return old::Outcome{outcome->failed, outcome->after_swap, outcome->target, outcome->reason, outcome->pod};
}

old::NodeView as_old(const NodeView& node) {
  old::NodeView one{.name = node.name,
                    .uid = node.uid,
                    .phase = same<old::Phase>(node.phase),
                    .spent = node.spent,
                    .tried = node.tried,
                    .is_untouched = node.is_untouched,
                    .is_selected = node.is_selected,
                    .is_cordoned = node.is_cordoned,
                    .is_ready = node.is_ready,
                    .unready_for = node.unready_for,
                    .is_skipped = node.is_skipped,
                    .is_held = node.is_held,
                    .is_asked_for = node.is_asked_for,
                    .rolls = node.rolls,
                    .refused = same<old::Scope>(node.refused),
                    .cannot_unload = node.cannot_unload,
                    .other_claim = node.other_claim,
                    .given_back_for = node.given_back_for,
                    .label = same<old::Phase>(node.label),
                    .odd_label = node.odd_label,
                    .claim = as_old(node.claim),
                    .claim_is_written = node.claim_is_written,
                    .record_is_odd = node.record_is_odd,
                    .outcome = as_old(node.outcome),
                    .driver = as_old(node.driver)};
  one.validator = {node.validator.has_passed, node.validator.is_stale, node.validator.trouble};
  one.preflight = {same<old::PreflightView::State>(node.preflight.state), node.preflight.trouble,
                   node.preflight.running_for};
  one.target = node.target;
  one.next_claim = node.next_claim;
  one.is_tainted = node.is_tainted;
  one.gates = node.gates;
  one.lost_gates = node.lost_gates;
  one.device_pods = node.device_pods;
  if (node.pods) {
    one.pods.emplace();
    for (const PodView& pod : *node.pods) one.pods->push_back(as_old(pod));
  }
  return one;
}

old::FleetView as_old(const FleetView& fleet) {
  old::FleetView one;
  one.policy = as_old(fleet.policy);
  for (const NodeView& node : fleet.nodes) one.nodes.push_back(as_old(node));
  one.room_elsewhere = fleet.room_elsewhere;
  one.in_flight_elsewhere = fleet.in_flight_elsewhere;
  one.pods_are_counted = fleet.pods_are_counted;
  return one;
}

void expect_same_change(const Change& now, const old::Change& then) {
  EXPECT_EQ(same<old::Phase>(now.phase), then.phase);
  EXPECT_EQ(same<old::Phase>(now.label), then.label);
  EXPECT_EQ(now.label_was_wrong, then.label_was_wrong);
  EXPECT_EQ(now.cordoned, then.cordoned);
  EXPECT_EQ(now.tainted, then.tainted);
  EXPECT_TRUE(as_old(now.claim) == then.claim);
  EXPECT_TRUE(as_old(now.outcome) == then.outcome);
  EXPECT_EQ(now.gates_to_pause, then.gates_to_pause);
  EXPECT_EQ(now.gates_to_restore, then.gates_to_restore);
  EXPECT_EQ(now.wish_is_heard, then.wish_is_heard);
  EXPECT_EQ(now.is_asked_for, then.is_asked_for);
  EXPECT_EQ(now.rolls, then.rolls);
  EXPECT_EQ(now.is_alone, then.is_alone);
  EXPECT_EQ(same<old::Scope>(now.refuses), then.refuses);
  EXPECT_EQ(now.gives_back_to_person, then.gives_back_to_person);
  ASSERT_EQ(now.path.size(), then.path.size());
  for (std::size_t i = 0; i < now.path.size(); ++i) {
    EXPECT_EQ(same<old::Phase>(now.path[i].from), then.path[i].from);
    EXPECT_EQ(same<old::Phase>(now.path[i].to), then.path[i].to);
    EXPECT_EQ(now.path[i].because, then.path[i].because);
    EXPECT_NE(now.path[i].reason, Reason::None);
  }
}

void expect_same_slots(const Slots& now, const old::Slots& then) {
  EXPECT_EQ(now.in_flight, then.in_flight);
  EXPECT_EQ(now.away, then.away);
  EXPECT_EQ(now.may_be_away, then.may_be_away);
  EXPECT_EQ(now.is_halted, then.is_halted);
  EXPECT_EQ(now.is_admitted, then.is_admitted);
  EXPECT_EQ(now.is_next_in_line, then.is_next_in_line);
  EXPECT_EQ(now.may_renew, then.may_renew);
  EXPECT_EQ(now.look_again_in, then.look_again_in);
  EXPECT_EQ(now.obstacle(), then.obstacle());
}

// The old core looked at pods that a cordon had just made unknown, and was ended by it.
void leave_out_what_ended_the_old_core(FleetView& fleet) {
  for (NodeView& node : fleet.nodes) {
    if (node.claim && node.claim->cordon == Claim::Cordon::None && fleet.policy.cordons) node.pods.reset();
  }
}

void expect_same(const Flow& flow, const old::Flow& old_flow, const FleetView& fleet) {
  const old::FleetView old_fleet = as_old(fleet);
  const Plan now = decide(flow, fleet);
  const old::Plan then = old::decide(old_flow, old_fleet);
  expect_same_slots(now.slots, then.slots);
  EXPECT_EQ(now.look_again_in, then.look_again_in);
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const Decision& decision = now.decisions[i];
    const old::Decision& old_decision = then.decisions[i];
    ASSERT_EQ(decision.rule == nullptr, old_decision.rule == nullptr);
    if (decision.rule != nullptr) {
      EXPECT_EQ(decision.rule->because, old_decision.rule->because);
    }
    EXPECT_EQ(name(decision.action), name(old_decision.work));
    ASSERT_EQ(static_cast<bool>(decision.change), static_cast<bool>(old_decision.change));
    if (decision.change) expect_same_change(*decision.change, *old_decision.change);
    EXPECT_EQ(reason_of(flow, fleet, now.slots, i), old::reason_of(old_flow, old_fleet, then.slots, i));
  }
}

std::uint64_t fleets() {
  const char* said = std::getenv("DROVER_FLEETS");
  return said == nullptr ? 2'000 : std::strtoull(said, nullptr, 10);
}

TEST(Reference, UpgradeInPlaceDecidesAsItsTableDid) {
  for (std::uint64_t seed = 1; seed <= fleets(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    FleetView some = Dice(seed, seed % 4 != 0).any_fleet();
    leave_out_what_ended_the_old_core(some);
    expect_same(in_place(), old::upgrade_in_place(), some);
    if (::testing::Test::HasFailure()) return;
  }
}

// Without requests of init containers, which its vendor does not have.
TEST(Reference, UpgradeWhenPreparedDecidesAsItsTableDid) {
  for (std::uint64_t seed = 1; seed <= fleets(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    FleetView some = Dice(seed, seed % 4 != 0).any_fleet();
    leave_out_what_ended_the_old_core(some);
    for (NodeView& node : some.nodes) {
      node.driver.asks_for.reset();
      if (node.claim) node.claim->serves.reset();
    }
    expect_same(prepared(), old::upgrade_when_prepared(), some);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace drover::core::testing
