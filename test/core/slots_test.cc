// Who may start: the rows of NVIDIA's own tests, and what the rulings change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fleet.h"

namespace drover::core::testing {
namespace {

struct Row {
  std::string_view name;
  int required;           // schedulable nodes that wait
  int required_cordoned;  // nodes that wait, cordoned by others
  int cordoning;          // in flight
  int done_cordoned;
  std::optional<int> max_parallel;
  Share away;
  int starts;
};

constexpr Share kAll = {100, true};

constexpr Row kRows[] = {
    // name                          req  req-c  fly  done-c  at once   away          starts
    {"no limit", 5, 0, 0, 0, {}, kAll, 5},
    {"three at once", 5, 0, 0, 0, 3, kAll, 3},
    {"four at once, three in flight", 2, 0, 3, 0, 4, kAll, 1},
    {"cordoned ones count as away", 3, 2, 0, 0, {}, kAll, 5},
    {"half may be away, two are", 3, 2, 0, 0, {}, {50, true}, 3},
    {"half may be away, two others are", 3, 0, 0, 2, {}, {50, true}, 1},
    {"the smaller limit counts", 5, 0, 0, 0, 3, {2, false}, 2},
    {"both limits leave one", 2, 0, 3, 0, 4, {4, false}, 1},
    {"a quarter of ten, rounded up", 10, 0, 0, 0, 4, {25, true}, 3},
    {"a quarter of one is one", 1, 0, 0, 0, 1, {25, true}, 1},
    {"none may be away", 4, 0, 0, 0, {}, {0, false}, 0},
    {"none may be away, cordoned ones included", 2, 2, 0, 0, {}, {0, true}, 0},
    {"a tenth of 101, rounded up", 101, 0, 0, 0, {}, {10, true}, 11},
    {"met by cordoned nodes", 3, 0, 0, 2, {}, {2, false}, 0},
    {"met by cordoned nodes that wait themselves", 3, 2, 0, 0, {}, {2, false}, 0},
};

class SlotsTest : public ::testing::TestWithParam<Row> {};

TEST_P(SlotsTest, AsManyStartAsMay) {
  const Row& row = GetParam();
  FleetView nodes = fleet({});
  int number = 0;
  const auto add = [&](int count, Phase phase, bool cordoned) {
    for (int i = 0; i < count; ++i) {
      const std::string name = "n" + std::to_string(number++);
      NodeView one = is_in_flight(phase) ? taken(name, phase) : node(name, phase);
      if (phase == Phase::Done) one.driver.is_outdated = false;
      one.is_cordoned = cordoned || is_in_flight(phase);
      if (is_in_flight(phase)) one.pods.reset();
      nodes.nodes.push_back(one);
    }
  };
  add(row.required, Phase::Required, false);
  add(row.required_cordoned, Phase::Required, true);
  add(row.cordoning, Phase::EvictDevicePods, true);
  add(row.done_cordoned, Phase::Done, true);
  nodes.policy.max_parallel = row.max_parallel;
  nodes.policy.unavailable = row.away;
  EXPECT_EQ(starts(nodes), row.starts);
}

INSTANTIATE_TEST_SUITE_P(Rows, SlotsTest, ::testing::ValuesIn(kRows), [](const auto& info) {
  std::string name;
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

TEST(Slots, AShareIsOfTheSmallerOfThenAndNow) {
  FleetView nodes = fleet({});
  for (int i = 0; i < 20; ++i) nodes.nodes.push_back(node("n" + std::to_string(i), Phase::Required));
  nodes.policy.max_parallel.reset();
  nodes.policy.unavailable = {25, true};
  nodes.policy.nodes_at_start = 8;
  EXPECT_EQ(starts(nodes), 2);
  nodes.policy.nodes_at_start = 40;
  EXPECT_EQ(starts(nodes), 5);
}

TEST(Slots, TheLimitOverAllPoliciesIsALimitToo) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.policy.max_parallel = 2;
  nodes.global_headroom = 1;
  EXPECT_EQ(starts(nodes), 1);
  nodes.global_headroom = 0;
  EXPECT_EQ(starts(nodes), 0);
  EXPECT_THAT(reason(nodes), ::testing::HasSubstr("over all policies"));
}

// It is away because of us already: else a node that failed could never be tried again where it uses up the limit.
TEST(Slots, ANodeThatIsHeldSinceAnEarlierTryStartsAlsoWhenTheLimitOverAllPoliciesIsReached) {
  NodeView held = taken("a", Phase::Failed);
  held.phase = Phase::Required;
  held.claim->phase = Phase::Required;
  held.claim->driver_failed = true;
  held.is_asked_for = true;
  NodeView cordoned = node("b", Phase::Required);
  cordoned.is_cordoned = true;
  FleetView nodes = fleet({held, cordoned, node("c", Phase::Required)});
  nodes.policy.max_parallel.reset();
  nodes.global_headroom = 0;
  EXPECT_EQ(starts(nodes), 1);
  nodes.has_unseen_takes = true;
  EXPECT_EQ(starts(nodes), 0);
}

TEST(Slots, APolicyThatCannotBeReadStartsNothing) {
  FleetView nodes = fleet({node("a", Phase::Required)});
  nodes.policy.trouble = "maxUnavailable is \"5x\"";
  EXPECT_EQ(starts(nodes), 0);
  EXPECT_EQ(reason(nodes), "its turn has not come: the policy cannot be read: maxUnavailable is \"5x\"");
}

TEST(Slots, WhoDisturbsLeastGoesFirst) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required), node("c", Phase::Required)});
  nodes.nodes[0].device_pods = 4;
  nodes.nodes[1].device_pods = 1;
  nodes.nodes[2].device_pods = 1;
  EXPECT_EQ(verdict(nodes, 1), "required > cordon > wait-for-jobs > evict-device-pods");
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(verdict(nodes, 2), "waits");
}

TEST(Slots, NoNodeIsNextBeforeItIsKnownWhichDisturbsLeast) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[0].preflight = {};
  nodes.pods_are_counted = false;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(verdict(nodes, 1), "waits");
  EXPECT_EQ(reason(nodes), "its turn has not come: the pods on the nodes are being counted");
}

TEST(Slots, ANodeWhoseDriverWaitsForPermissionGoesBeforeAll) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[1].driver.waits_for_us = true;
  EXPECT_EQ(verdict(nodes, 1), "required > cordon > wait-for-jobs > evict-device-pods");
  EXPECT_EQ(verdict(nodes, 0), "waits");
}

TEST(Slots, AnImageThatCannotBeHadHoldsUpItsOwnNodeOnly) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[0].preflight = {PreflightView::State::Missing, "no such tag"};
  EXPECT_EQ(verdict(nodes, 0), "prove-image");
  EXPECT_THAT(reason(nodes, 0), ::testing::HasSubstr("no such tag"));
  EXPECT_EQ(starts(nodes), 1);
}

TEST(Slots, ANodeWhoseImageIsOnItsWayKeepsItsPlaceForAWhile) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.policy.max_parallel = 1;
  nodes.policy.unavailable = kAll;
  nodes.nodes[0].preflight = {.state = PreflightView::State::Running, .running_for = std::chrono::seconds(20)};
  EXPECT_EQ(starts(nodes), 0);
  EXPECT_EQ(decide(nodes).look_again_in, std::chrono::seconds(40));
  EXPECT_THAT(reason(nodes, 1), ::testing::HasSubstr("a is first, and its image is being fetched"));
  nodes.nodes[0].preflight.running_for = std::chrono::minutes(1);
  EXPECT_EQ(starts(nodes), 1);
  EXPECT_EQ(verdict(nodes, 1), "required > cordon > wait-for-jobs > evict-device-pods");
}

TEST(Slots, ImagesAreFetchedForThoseWhoseTurnIsNearOnly) {
  FleetView nodes = fleet({});
  for (int i = 0; i < 50; ++i) {
    nodes.nodes.push_back(node("n" + std::to_string(100 + i), Phase::Required));
    nodes.nodes.back().preflight.state = PreflightView::State::Unasked;
  }
  int asked = 0;
  for (const Decision& decision : decide(nodes).decisions) asked += decision.action == Action::ProveImage ? 1 : 0;
  EXPECT_EQ(asked, 5);
}

TEST(Slots, AFailureOfTheVersionHaltsTheRollout) {
  FleetView nodes = fleet({node("a", Phase::Required), taken("b", Phase::Failed)});
  nodes.nodes[1].outcome = Outcome{.failed = true, .after_swap = true, .target = "new", .reason = "no device"};
  EXPECT_EQ(starts(nodes), 0);
  EXPECT_THAT(reason(nodes), ::testing::HasSubstr("1 of 1 that finished: b"));
}

TEST(Slots, AnOutcomeThatWasForgedOnOneNodeHaltsNothing) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Failed)});
  nodes.nodes[1].outcome = Outcome{.failed = true, .after_swap = true, .target = "new", .reason = "believe me"};
  EXPECT_EQ(starts(nodes), 1);
}

TEST(Slots, OneBadMachineAmongTwentyDoesNotHaltTheRollout) {
  FleetView nodes = fleet({node("a", Phase::Required), taken("b", Phase::Failed)});
  nodes.nodes[1].outcome = Outcome{.failed = true, .after_swap = true, .target = "new", .reason = "no device"};
  for (int i = 0; i < 19; ++i) {
    nodes.nodes.push_back(node("done" + std::to_string(i)));
    nodes.nodes.back().driver.is_outdated = false;
    nodes.nodes.back().outcome = Outcome{.target = "new"};
  }
  EXPECT_EQ(starts(nodes), 1);
  // A failure before the swap says nothing about the version; one of another version neither.
  nodes.nodes[1].outcome->after_swap = false;
  EXPECT_FALSE(decide(nodes).slots.is_halted);
}

TEST(Slots, APersonsRetryIsLetThroughAHaltedRollout) {
  FleetView nodes = fleet({node("a", Phase::Required), taken("b", Phase::Failed)});
  nodes.nodes[1].outcome = Outcome{.failed = true, .after_swap = true, .target = "new", .reason = "no device"};
  nodes.nodes[1].is_asked_for = true;
  EXPECT_EQ(verdict(nodes, 1), "failed > required");
  nodes.nodes[1].phase = Phase::Required;
  nodes.nodes[1].claim->phase = Phase::Required;
  nodes.nodes[1].label = Phase::Required;
  EXPECT_EQ(verdict(nodes, 1), "required > cordon > wait-for-jobs > evict-device-pods");
}

TEST(Slots, SayWhoIsInTheWay) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b")});
  nodes.nodes[1].is_cordoned = true;
  nodes.nodes[1].driver.is_outdated = false;
  nodes.policy.unavailable = {1, false};
  EXPECT_EQ(reason(nodes), "no slot is free: maxUnavailable reached (1 of 1); cordoned by others: b");
}

// The fault: one node that admission protects held the only slot for ever.
TEST(Slots, ANodeThatTheApiServerRefusesKeepsNoOtherWaiting) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[0].refusal = RefusalView{.text = "patch nodes/a: no", .retry_in = 30s};
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(reason(nodes, 0), "the API server refuses a write: patch nodes/a: no");
  EXPECT_EQ(verdict(nodes, 1), "required > cordon > wait-for-jobs > evict-device-pods");
  EXPECT_EQ(decide(nodes).look_again_in, 30s);
  nodes.nodes[0].refusal = RefusalView{.text = "patch nodes/a: no"};
  EXPECT_EQ(starts(nodes), 1) << "its turn comes again, and the limit holds";
  EXPECT_EQ(verdict(nodes, 1), "waits");
}

// A node that left the policy in the middle is its own until it was given back.
TEST(Slots, CountWhatThePolicyHoldsElsewhere) {
  FleetView nodes = fleet({node("a", Phase::Required)});
  EXPECT_EQ(starts(nodes), 1);
  nodes.in_flight_elsewhere = 1;
  EXPECT_EQ(starts(nodes), 0);
}

}  // namespace
}  // namespace drover::core::testing
