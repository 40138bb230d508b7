// Whatever the facts say, contradictions included: the promises that hold for every single write.
#include <gtest/gtest.h>

#include "core/any_fleet.h"

namespace drover::core::testing {
namespace {

void expect_promises(const NodeView& before, const MadeChange& change, const Policy& policy) {
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
      EXPECT_TRUE(policy.is_on || !change.claim || change.claim->requested_scope);
    }
    // A policy that evicts no pod may pass on at once; every other looks at the emptied node first.
    if (step.to != Phase::Restart || (!policy.device_pods && !policy.drain)) continue;
    EXPECT_TRUE(before.is_cordoned && before.claim) << "the swap begins on a node that was not emptied";
    EXPECT_TRUE(before.pods) << "the swap begins unseen";
  }
}

NodeView after(NodeView node, const Change& change) {
  if (gives_back_to_person(node, change.after)) node.given_back_for = Span{};
  read_back(node, change.after);
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
        EXPECT_EQ(decision.action, Action::None) << "a move and work in one pass";
      }
      if (decision.change) expect_promises(some.nodes[decision.node], change_of(some, decision), some.policy);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(AnyFleet, NoNodeStartsBeyondTheLimits) {
  for (std::uint64_t seed = 1; seed <= 30'000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const FleetView some = Dice(seed).any_fleet();
    const Plan plan = decide(some);
    int fresh = 0;
    int newly_away = 0;
    for (const Decision& decision : plan.decisions) {
      if (!decision.change || is_in_flight(some.nodes[decision.node].phase)) continue;
      if (!is_in_flight(decision.change->after.phase)) continue;
      ++fresh;
      newly_away += some.nodes[decision.node].is_unavailable() ? 0 : 1;
    }
    if (fresh > 0 && some.policy.max_parallel) {
      EXPECT_LE(plan.slots.in_flight + fresh, *some.policy.max_parallel);
    }
    if (newly_away > 0) {
      EXPECT_LE(plan.slots.unavailable + newly_away, plan.slots.max_unavailable);
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
      EXPECT_FALSE(reason_of(in_place(), some, slots, i).empty());
      const auto considered = explain(in_place(), some, slots, i);
      ASSERT_FALSE(considered.empty());
      EXPECT_TRUE(considered.back().holds);
    }
  }
}

}  // namespace
}  // namespace drover::core::testing
