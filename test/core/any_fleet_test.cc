// Whatever the facts say, contradictions included: the promises that hold for every single write.
#include <gtest/gtest.h>

#include "base/random.h"
#include "core/fleet.h"

namespace drover::core::testing {
namespace {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}

  bool maybe(double chance = 0.5) { return random_.chance(chance); }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_.below(end)); }
  Phase phase() { return kPhaseTable[below(kPhases)].phase; }
  Span span() { return std::chrono::seconds(below(4000)); }

  PodView any_pod() {
    PodView one = pod("p" + std::to_string(below(10)));
    if (maybe(0.2)) one.owner.clear();
    for (bool* fact : {&one.uses_device, &one.is_finished, &one.is_going, &one.is_mirror, &one.is_daemon, &one.returns,
                       &one.has_local_data, &one.is_ours, &one.is_waited_for, &one.is_drained})
      *fact = maybe(0.3);
    return one;
  }

  NodeView any_node(int number) {
    NodeView one = node("n" + std::to_string(number), phase());
    if (maybe()) one.label.reset();
    if (maybe(0.3)) one.label = phase();
    one.spent = span();
    one.unready_for = span();
    for (bool* fact : {&one.is_cordoned, &one.is_skipped, &one.is_held, &one.is_asked_for, &one.is_tainted,
                       &one.driver.is_hosts_own, &one.driver.is_first, &one.driver.is_going, &one.driver.waits_for_us})
      *fact = maybe(0.2);
    for (bool* fact : {&one.is_selected, &one.is_ready, &one.tried, &one.driver.is_ready, &one.driver.is_settled})
      *fact = maybe(0.8);
    one.driver.is_outdated = maybe();
    if (maybe(0.2)) one.driver.asks_for = maybe() ? Scope::DevicePods : Scope::AllPods;
    if (maybe(0.1)) one.refused = maybe() ? Scope::DevicePods : Scope::AllPods;
    one.rolls = maybe(0.2);
    one.cannot_unload = maybe(0.05);
    one.driver.asks_nothing = maybe(0.2) && !one.driver.asks_for;
    if (one.driver.asks_for) one.driver.waits_for_us = true;  // it would not ask if it were ready
    if (one.driver.asks_for) one.driver.is_ready = false;
    one.validator.has_passed = maybe();
    if (maybe(0.2)) one.driver.pod.clear();
    if (maybe(0.1)) one.other_claim = "somebody";
    if (maybe(0.1)) one.given_back_for = span();
    if (maybe(0.1)) one.odd_label = "what";
    if (maybe(0.5)) one.gates = {{"plugin", "true"}, {"exporter", "paused"}};
    if (maybe(0.3)) one.outcome = Outcome{.failed = maybe(), .after_swap = maybe(), .target = maybe() ? "new" : "x"};
    if (maybe(0.6) || is_in_flight(one.phase)) {
      one.claim =
          Claim{.id = "c", .policy = "policy", .phase = one.phase, .driver_pod = maybe() ? one.driver.pod : "z"};
      one.claim->cordon = maybe() ? Claim::Cordon::Ours : Claim::Cordon::Found;
      one.claim->was_asked_for = maybe(0.2);
      if (maybe(0.3)) one.claim->gates = {{"plugin", "true"}};
      if (maybe(0.3)) one.claim->serves = maybe() ? Scope::DevicePods : Scope::AllPods;
    }
    if (maybe(0.7)) {
      one.pods.emplace();
      for (std::size_t i = below(4); i > 0; --i) one.pods->push_back(any_pod());
    }
    one.preflight.state = static_cast<PreflightView::State>(below(4));
    return one;
  }

  FleetView any_fleet() {
    FleetView some = fleet({});
    for (int i = 0, end = static_cast<int>(below(8)); i < end; ++i) some.nodes.push_back(any_node(i));
    some.policy.is_on = maybe(0.7);
    some.policy.rolls_by_itself = maybe();
    some.policy.is_ending = maybe(0.1);
    some.policy.at_once = maybe() ? std::optional<int>(static_cast<int>(below(4))) : std::nullopt;
    some.policy.away = {static_cast<int>(below(120)), maybe()};
    some.policy.nodes_at_start = static_cast<int>(below(10));
    some.policy.jobs.is_wanted = maybe();
    if (maybe()) some.policy.jobs.at_most = span();
    if (maybe(0.3)) some.policy.device_pods.reset();
    if (maybe())
      some.policy.drain = Removal{.takes_bare_pods = maybe(), .takes_local_data = maybe(), .at_most = span()};
    return some;
  }

 private:
  base::Random random_;
};

void expect_promises(const NodeView& before, const Change& change, const Policy& policy) {
  const bool was_ours = before.claim && before.claim->cordon == Claim::Cordon::Ours;
  if (change.cordoned == true) {
    ASSERT_TRUE(change.claim) << "a cordon without a claim";
    EXPECT_EQ(change.claim->cordon, Claim::Cordon::Ours);
  }
  if (change.cordoned == false) {
    EXPECT_TRUE(was_ours) << "uncordoned what was not ours";
    EXPECT_FALSE(before.is_held);
  }
  if (!change.claim && was_ours && before.is_cordoned && !before.is_held) {
    EXPECT_EQ(change.cordoned, false) << "let go of a node, but not of its cordon";
  }
  if (!change.claim) {
    EXPECT_FALSE(change.tainted.value_or(before.is_tainted)) << "let go of a node, but not of its taint";
    EXPECT_TRUE(change.gates_to_pause.empty());
    if (before.claim) {
      for (const auto& [key, value] : before.claim->gates) EXPECT_EQ(change.gates_to_restore.at(key), value);
    }
  }
  if (is_in_flight(change.phase)) {
    EXPECT_TRUE(change.claim) << "in flight without a claim";
  }
  if (change.claim) {
    EXPECT_EQ(change.claim->phase, change.phase);
  }
  for (const Step& step : change.path) {
    if (step.to == Phase::Cordon) {
      EXPECT_TRUE(!policy.is_ending && (policy.is_on || before.driver.asks_for));
      EXPECT_TRUE(policy.is_on || !change.claim || change.claim->serves);
    }
    // A policy that evicts nobody may pass on at once; every other looks at the emptied node first.
    if (step.to != Phase::Restart || (!policy.device_pods && !policy.drain)) continue;
    EXPECT_TRUE(before.is_cordoned && before.claim) << "the swap begins on a node that nobody had emptied";
    EXPECT_TRUE(before.pods) << "the swap begins unseen";
  }
}

NodeView after(NodeView node, const Change& change) {
  node.phase = change.phase;
  node.label = change.label;
  if (change.cordoned) node.is_cordoned = *change.cordoned;
  if (change.tainted) node.is_tainted = *change.tainted;
  node.claim = change.claim;
  node.outcome = change.outcome;
  node.rolls = change.rolls;
  node.refused = change.refuses;
  if (change.wish_is_heard) node.is_asked_for = false;
  if (change.gives_back_to_person) node.given_back_for = Span{};
  node.spent = {};
  return node;
}

TEST(AnyFleet, EveryWriteKeepsThePromises) {
  for (std::uint64_t seed = 1; seed <= 30'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FleetView some = Dice(seed).any_fleet();
    const Plan plan = decide(some);
    for (const Decision& decision : plan.decisions) {
      if (decision.change) {
        EXPECT_EQ(decision.work, Work::None) << "a move and work in one pass";
      }
      if (decision.change) expect_promises(some.nodes[decision.node], *decision.change, some.policy);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(AnyFleet, NobodyStartsBeyondTheLimits) {
  for (std::uint64_t seed = 1; seed <= 30'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FleetView some = Dice(seed).any_fleet();
    const Plan plan = decide(some);
    int fresh = 0;
    int newly_away = 0;
    for (const Decision& decision : plan.decisions) {
      if (!decision.change || is_in_flight(some.nodes[decision.node].phase)) continue;
      if (!is_in_flight(decision.change->phase)) continue;
      ++fresh;
      newly_away += some.nodes[decision.node].is_away() ? 0 : 1;
    }
    if (fresh > 0 && some.policy.at_once) {
      EXPECT_LE(plan.slots.in_flight + fresh, *some.policy.at_once);
    }
    if (newly_away > 0) {
      EXPECT_LE(plan.slots.away + newly_away, plan.slots.may_be_away);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(AnyFleet, ComesToRestWhenNothingElseChanges) {
  for (std::uint64_t seed = 1; seed <= 10'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    FleetView some = Dice(seed).any_fleet();
    int passes = 0;
    std::string path;
    for (bool moved = true; moved; ++passes) {
      ASSERT_LT(passes, 40) << "a node goes in circles:" << path;
      moved = false;
      for (const Decision& decision : decide(some).decisions) {
        if (!decision.change) continue;
        path += " " + some.nodes[decision.node].name + ":";
        for (const Step& step : decision.change->path) path += fmt::format(">{}", name(step.to));
        some.nodes[decision.node] = after(some.nodes[decision.node], *decision.change);
        moved = true;
      }
    }
  }
}

TEST(AnyFleet, EveryWaitHasAReason) {
  for (std::uint64_t seed = 1; seed <= 5'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FleetView some = Dice(seed).any_fleet();
    const Slots slots = count_slots(some);
    for (std::size_t i = 0; i < some.nodes.size(); ++i) {
      EXPECT_FALSE(reason_of(upgrade_in_place(), some, slots, i).empty());
      const auto considered = explain(upgrade_in_place(), some, slots, i);
      ASSERT_FALSE(considered.empty());
      EXPECT_TRUE(considered.back().holds);
    }
  }
}

}  // namespace
}  // namespace drover::core::testing
