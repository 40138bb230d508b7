#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class Disruption : public WorldTest {
 protected:
  void SetUp() override { add_nodes(3); }

  void add_budget(const std::string& rule) {
    create(kube::kDisruptionBudgets, fmt::format(R"({{"metadata": {{"name": "budget", "namespace": "default"}},
                         "spec": {{"selector": {{"matchLabels": {{"app": "web"}}}}, {}}}}})",
                                                 rule));
  }
  void add_deployment(int replicas) {
    create(kube::kDeployments,
           fmt::format(R"({{"metadata": {{"name": "web", "namespace": "default"}}, "spec": {{"replicas": {},
                         "selector": {{"matchLabels": {{"app": "web"}}}}, "template": {}}}}})",
                       replicas, pod_template("web", "v1")));
  }
  std::int64_t number(std::string_view field) { return status("poddisruptionbudgets.policy", "budget", field); }
  std::string reason() {
    const json::Value* condition =
        find_condition(*find("poddisruptionbudgets.policy", "default/budget"), "DisruptionAllowed");
    return condition ? std::string(json::text_at(*condition, {"reason"})) : "";
  }
  Answer<Stored> evict(const Stored& pod) {
    return world.server().serve(
        kube::evict("default", std::string(kube::name_of(*pod)), std::string(kube::uid_of(*pod))));
  }
  // disruptionsAllowed once all `replicas` pods of the Deployment are ready.
  std::int64_t allowed_for(const std::string& rule, int replicas) {
    add_deployment(replicas);
    add_budget(rule);
    EXPECT_TRUE(soon([&] { return number("currentHealthy") == replicas; }));
    world.run_for(1s);
    return number("disruptionsAllowed");
  }
};

TEST_F(Disruption, CountsWhatMayGoUnderAnAbsoluteMinimum) {
  EXPECT_EQ(allowed_for(R"("minAvailable": 3)", 5), 2);
  EXPECT_EQ(number("desiredHealthy"), 3);
  EXPECT_EQ(number("expectedPods"), 5);
  EXPECT_EQ(number("observedGeneration"), 1);
  EXPECT_EQ(reason(), "SufficientPods");
}

TEST_F(Disruption, RoundsAPercentageOfMinAvailableUpSoThatFewerMayGo) {
  EXPECT_EQ(allowed_for(R"("minAvailable": "50%")", 7), 3);
}

TEST_F(Disruption, RoundsAPercentageOfMaxUnavailableUpSoThatMoreMayGo) {
  EXPECT_EQ(allowed_for(R"("maxUnavailable": "30%")", 7), 3);
}

TEST_F(Disruption, AllowsNothingAtAHundredPercent) {
  EXPECT_EQ(allowed_for(R"("minAvailable": "100%")", 3), 0);
  EXPECT_EQ(reason(), "InsufficientPods");
}

TEST_F(Disruption, TakesThePercentageOfTheOwnersScaleNotOfThePodsThatExist) {
  add_deployment(10);
  ASSERT_TRUE(soon([&] { return ready("web") == 10; }));
  kubelet.never_ready.insert("web");
  for (int i = 0; i < 4; ++i) remove(kube::kPods, "default", std::string(kube::name_of(*pods("web")[0])));
  add_budget(R"("minAvailable": "60%")");
  world.run_for(1min);
  EXPECT_EQ(number("expectedPods"), 10);
  EXPECT_EQ(number("desiredHealthy"), 6);
}

TEST_F(Disruption, GrantsEvictionsOneByOneAndBlocksTheRest) {
  ASSERT_EQ(allowed_for(R"("maxUnavailable": 1)", 3), 1);
  kubelet.never_ready.insert("web");
  const auto before = pods("web");
  EXPECT_TRUE(evict(before[0]).has_value());
  EXPECT_EQ(expect_refused(evict(before[1])).code, 429);
  ASSERT_TRUE(soon([&] { return number("currentHealthy") == 2; }, 10s));
  EXPECT_EQ(number("disruptionsAllowed"), 0);
  EXPECT_FALSE(evict(before[1]).has_value());
}

TEST_F(Disruption, GivesTheBudgetBackWhenTheReplacementIsReady) {
  ASSERT_EQ(allowed_for(R"("maxUnavailable": 1)", 3), 1);
  EXPECT_TRUE(evict(pods("web")[0]).has_value());
  EXPECT_TRUE(soon([&] { return number("currentHealthy") == 3 && number("disruptionsAllowed") == 1; }, 1min));
}

TEST_F(Disruption, ForgetsAPromisedDeletionThatNeverHappensAfterTwoMinutes) {
  ASSERT_EQ(allowed_for(R"("minAvailable": 2)", 3), 1);
  const std::string name(kube::name_of(*pods("web")[0]));
  const std::string now = base::rfc3339(world.loop.wall());
  patch(kube::kDisruptionBudgets, "default", "budget",
        fmt::format(R"({{"status": {{"disruptionsAllowed": 0, "disruptedPods": {{"{}": "{}"}}}}}})", name, now),
        "status");
  world.run_for(1min);
  EXPECT_EQ(number("currentHealthy"), 2);
  EXPECT_EQ(number("disruptionsAllowed"), 0);
  world.run_for(2min);
  EXPECT_EQ(number("currentHealthy"), 3);
  EXPECT_EQ(number("disruptionsAllowed"), 1);
  EXPECT_FALSE(json::find(*find("poddisruptionbudgets.policy", "default/budget"), {"status", "disruptedPods"}));
}

TEST_F(Disruption, AllowsNothingWhileItMatchesNothing) {
  add_budget(R"("maxUnavailable": 1)");
  world.run_for(1min);
  EXPECT_EQ(number("disruptionsAllowed"), 0);
  EXPECT_EQ(number("expectedPods"), 0);
}

TEST_F(Disruption, FailsSafeWhereTheOwnersHaveNoScale) {
  add_daemonset("web");
  add_budget(R"("maxUnavailable": 1)");
  world.run_for(1min);
  EXPECT_EQ(number("disruptionsAllowed"), 0);
  EXPECT_EQ(reason(), "SyncFailed");
}

TEST_F(Disruption, DoesNotCountADeletedPodAsHealthyWhileItEnds) {
  ASSERT_EQ(allowed_for(R"("minAvailable": 2)", 3), 1);
  kubelet.never_ready.insert("web");
  kubelet.takes = 30s;
  remove(kube::kPods, "default", std::string(kube::name_of(*pods("web")[0])));
  world.run_for(1s);
  EXPECT_EQ(number("currentHealthy"), 2);
  EXPECT_EQ(number("disruptionsAllowed"), 0);
}

}  // namespace
}  // namespace drover::sim
