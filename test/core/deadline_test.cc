// When a limit is over, and when the time that was spent is written down.
#include "core/deadline.h"

#include <gmock/gmock.h>

#include "fleet.h"

namespace drover::core::testing {
namespace {

FleetView emptying(Span spent, Span written = {}) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.policy.device_pods->at_most = 100s;
  nodes.nodes[0].pods = {pod("held")};
  nodes.nodes[0].spent = spent;
  nodes.nodes[0].claim->spent = written;
  return nodes;
}

TEST(Deadline, IsOverOnlyWhenThePodsWereHeardOfAfterIt) {
  FleetView nodes = emptying(103s, 75s);
  nodes.nodes[0].unheard_for = 10s;
  const Plan plan = decide(nodes);
  EXPECT_TRUE(plan.decisions[0].wants_news);
  EXPECT_EQ(plan.decisions[0].action, Action::EvictDevicePods) << "a watch may stand still";
  nodes.nodes[0].unheard_for = 3s;
  EXPECT_EQ(verdict(nodes), "delete-device-pods");
  EXPECT_FALSE(decide(nodes).decisions[0].wants_news);
}

TEST(Deadline, TheTimeSpentIsWrittenThreeTimesAtMost) {
  int writes = 0;
  Span written{};
  for (Span spent{}; spent < 200s; spent += 1s) {
    const FleetView nodes = emptying(spent, written);
    const Plan plan = decide(nodes);
    if (!plan.decisions[0].change) continue;
    ++writes;
    written = plan.decisions[0].change->after.claim->spent;
    EXPECT_EQ(written, spent);
  }
  EXPECT_EQ(writes, 3);
}

TEST(Deadline, TheNextQuarterIsWokenFor) {
  EXPECT_EQ(decide(emptying(10s)).look_again_in, 15s);
  EXPECT_EQ(decide(emptying(80s, 75s)).look_again_in, 20s) << "then the limit itself";
}

TEST(Deadline, WithoutALimitNothingIsWritten) {
  FleetView nodes = emptying(10h);
  nodes.policy.device_pods->at_most.reset();
  EXPECT_FALSE(decide(nodes).decisions[0].change);
}

TEST(Deadline, ASuccessorWritesWhatItRestored) {
  FleetView nodes = emptying(30s, 10s);
  nodes.nodes[0].time_is_restored = true;
  ASSERT_TRUE(decide(nodes).decisions[0].change);
  EXPECT_EQ(change_of(nodes).claim->spent, 30s);
}

TEST(Deadline, StandsWhileTheNodeIsNotReady) {
  FleetView nodes = emptying(10s);
  nodes.nodes[0].is_ready = false;
  ASSERT_TRUE(decide(nodes).decisions[0].change);
  EXPECT_TRUE(change_of(nodes).claim->deadline_paused);
}

TEST(Deadline, ANewPhaseBeginsAtZero) {
  FleetView nodes = emptying(60s, 50s);
  nodes.nodes[0].pods->clear();
  EXPECT_EQ(verdict(nodes), "evict-device-pods > restart");
  EXPECT_EQ(change_of(nodes).claim->spent, 0s);
}

TEST(Returns, AreCountedInTheRecordAndEndTheAttempt) {
  FleetView nodes = emptying(0s);
  nodes.nodes[0].pods->front().generation = 3;
  ASSERT_TRUE(decide(nodes).decisions[0].change);
  EXPECT_EQ(change_of(nodes).claim->device_pod_returns, 2);
  nodes.nodes[0].claim->device_pod_returns = 2;
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
  nodes.nodes[0].pods->front().generation = 4;
  EXPECT_EQ(verdict(nodes), "evict-device-pods > failed");
  EXPECT_THAT(change_of(nodes).outcome->reason, ::testing::HasSubstr("ReplicaSet ml/train"));
}

TEST(Returns, OfPodsWithoutADeviceAreLeftAndNamed) {
  FleetView nodes = fleet({taken("a", Phase::Drain)});
  nodes.policy.drain = Removal{};
  nodes.nodes[0].pods = {pod("stubborn")};
  nodes.nodes[0].pods->front().uses_device = false;
  EXPECT_EQ(verdict(nodes), "evict-all");
  nodes.nodes[0].pods->front().generation = 4;
  EXPECT_EQ(verdict(nodes), "drain > restart");
  EXPECT_THAT(decide(nodes).decisions[0].change->path[0].because, ::testing::HasSubstr("ml/stubborn"));
}

}  // namespace
}  // namespace drover::core::testing
