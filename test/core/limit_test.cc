// Several policies at once, under the limit over all of them.
#include "core/limit.h"

#include <gtest/gtest.h>

#include "core/decide.h"
#include "core/fleet.h"
#include "core/flows/flows.h"

namespace drover::core::testing {
namespace {

FleetView of_policy(const std::string& uid, int nodes) {
  FleetView view = fleet({});
  view.policy.uid = uid;
  view.policy.max_parallel.reset();
  for (int i = 0; i < nodes; ++i) view.nodes.push_back(node(uid + "-" + std::to_string(i), Phase::Required));
  return view;
}

int taken_by(const Plan& plan) {
  int taken = 0;
  for (const Decision& decision : plan.decisions)
    taken += decision.change && is_in_flight(decision.change->after.phase) ? 1 : 0;
  return taken;
}

std::vector<Plan> decided(FleetView& one, FleetView& other, std::optional<Share> limit, bool one_is_unseen = false) {
  const std::vector<Rollout> rollouts = {{.flow = &in_place(), .fleet = &one, .has_unseen_takes = one_is_unseen},
                                         {.flow = &in_place(), .fleet = &other}};
  return decide(rollouts, limit);
}

TEST(GlobalLimit, WhileOnePolicyTakesTheNextOnesWait) {
  FleetView one = of_policy("one", 4);
  FleetView other = of_policy("other", 4);
  one.policy.max_parallel = 1;
  const std::vector<Plan> plans = decided(one, other, Share{.amount = 3});
  EXPECT_EQ(taken_by(plans[0]), 1);
  EXPECT_EQ(taken_by(plans[1]), 0);
}

TEST(GlobalLimit, IsAQuarterWhereSeveralPoliciesHaveNodes) {
  FleetView one = of_policy("one", 4);
  FleetView other = of_policy("other", 4);
  const std::vector<Plan> plans = decided(one, other, {});
  EXPECT_EQ(taken_by(plans[0]) + taken_by(plans[1]), 2);
}

TEST(GlobalLimit, LeavesAPolicyAloneThatIsTheOnlyOneWithNodes) {
  FleetView one = of_policy("one", 4);
  FleetView other = of_policy("other", 0);
  EXPECT_EQ(taken_by(decided(one, other, {})[0]), 4);
}

TEST(GlobalLimit, CountsNodesThatAreOutOfServiceForWhateverReason) {
  FleetView one = of_policy("one", 4);
  FleetView other = of_policy("other", 4);
  other.nodes[0].is_ready = false;
  other.nodes[1].is_cordoned = true;
  EXPECT_EQ(taken_by(decided(one, other, Share{.amount = 3})[0]), 1);
}

// A node with devices of two vendors is in the fleets of both.
TEST(GlobalLimit, CountsANodeOnceThatSeveralPoliciesHave) {
  FleetView one = of_policy("one", 8);
  FleetView other = of_policy("one", 4);
  EXPECT_EQ(taken_by(decided(one, other, {})[0]), 2);  // a quarter of eight, not of twelve
  other.nodes[0].is_ready = false;
  one.nodes[0].is_ready = false;
  EXPECT_EQ(taken_by(decided(one, other, Share{.amount = 2})[0]), 1);
}

// In the fleet of the policy that has taken it, which cordons no node, it is in flight; in the other's it waits.
TEST(GlobalLimit, CountsANodeThatOnlyOneOfItsPoliciesHasTaken) {
  FleetView one = of_policy("one", 4);
  FleetView other = of_policy("one", 4);
  other.nodes[0] = taken("one-0", Phase::Drain, Claim::Cordon::None);
  other.nodes[0].is_cordoned = false;
  EXPECT_EQ(taken_by(decided(one, other, Share{.amount = 1})[0]), 0);
}

// Until the watch shows it, how many are out of service is not known.
TEST(GlobalLimit, TakesNothingWhileATakenNodeIsNotSeen) {
  FleetView one = of_policy("one", 4);
  FleetView other = of_policy("other", 4);
  const std::vector<Plan> plans = decided(one, other, Share{.amount = 3}, true);
  EXPECT_EQ(taken_by(plans[0]) + taken_by(plans[1]), 0);
}

TEST(GlobalLimit, CountsANodeAgainstThePolicyThatTookItWhicheverHasItNow) {
  FleetView one = of_policy("one", 2);
  FleetView other = of_policy("other", 2);
  one.policy.max_parallel = 1;
  other.nodes[0] = taken("other-0", Phase::Drain);
  other.nodes[0].claim->policy = "one";
  EXPECT_EQ(taken_by(decided(one, other, Share{.amount = 100, .is_percent = true})[0]), 0);
  EXPECT_EQ(one.in_flight_elsewhere, 1);
}

// The policy was deleted and made again while a node was past its swap, and no longer selects it.
TEST(GlobalLimit, CountsNodesOfAPolicyThatIsGoneAgainstThoseOfTheirKind) {
  FleetView one = of_policy("one", 2);
  one.policy.max_parallel = 1;
  FleetView none = of_policy("", 1);
  none.nodes[0] = taken("left", Phase::Restart);
  none.nodes[0].claim->policy = "gone";
  const auto taken_beside = [&](std::string_view kind) {
    const Rollout rollouts[] = {{.kind = "acme/driver", .flow = &in_place(), .fleet = &one},
                                {.kind = kind, .flow = &in_place(), .fleet = &none, .is_of_policy = false}};
    return taken_by(core::decide(rollouts, {})[0]);
  };
  EXPECT_EQ(taken_beside("acme/driver"), 0);
  EXPECT_EQ(taken_beside("other/driver"), 1);
  none.nodes[0].claim->policy = "one";
  EXPECT_EQ(taken_beside("acme/driver"), 0);
}

}  // namespace
}  // namespace drover::core::testing
