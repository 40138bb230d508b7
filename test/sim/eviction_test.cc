// Evictions and the budgets that hold them.
#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/server.h"

namespace drover::sim {
namespace {

using namespace kube;

class Evictions : public ::testing::Test {
 protected:
  void SetUp() override {
    Object pod = pod_named("default", "p", "n1");
    json::ensure(pod, {"metadata", "labels", "app"}) = "web";
    expect(server.serve(create(kPods, "default", pod)));
    set_pod("Running", true);
  }
  void set_pod(std::string_view phase, bool ready) {
    expect(server.serve(
        patch(kPods, "default", "p", PatchKind::Merge,
              {{"status",
                {{"phase", phase},
                 {"conditions", json::Array{json::Value{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}},
              "status")));
  }
  void budget(const std::string& name, int allowed, int healthy, int desired, std::string_view policy = "") {
    Object object = {
        {"metadata", json::Members{{"name", name}}},
        {"spec",
         {{"minAvailable", desired}, {"selector", json::Members{{"matchLabels", json::Members{{"app", "web"}}}}}}}};
    if (!policy.empty()) json::ensure(object, {"spec", "unhealthyPodEvictionPolicy"}) = policy;
    expect(server.serve(create(kDisruptionBudgets, "default", object)));
    expect(server.serve(patch(kDisruptionBudgets, "default", name, PatchKind::Merge,
                              {{"status",
                                {{"disruptionsAllowed", allowed},
                                 {"currentHealthy", healthy},
                                 {"desiredHealthy", desired},
                                 {"expectedPods", healthy},
                                 {"observedGeneration", 1}}}},
                              "status")));
  }
  Answer<Stored> evict_it(const std::string& uid = {}) { return server.serve(evict("default", "p", uid)); }
  Stored pod() { return server.store().find("pods", "default/p"); }

  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
};

TEST_F(Evictions, WithoutABudgetThePodIsMarkedAndGoesWithGrace) {
  const Stored answer = expect(evict_it());
  EXPECT_EQ(json::text_at(*answer, {"status"}), "Success");
  ASSERT_TRUE(pod());
  EXPECT_TRUE(is_being_deleted(*pod()));
  const json::Array& conditions = json::array_at(*pod(), {"status", "conditions"});
  EXPECT_EQ(json::text_at(conditions.back(), {"type"}), "DisruptionTarget");
  EXPECT_EQ(json::text_at(conditions.back(), {"reason"}), "EvictionByEvictionAPI");
}

TEST_F(Evictions, ABudgetWithNothingLeftHoldsThePod) {
  budget("web", 0, 3, 3);
  const Rejection no = expect_refused(evict_it());
  EXPECT_EQ(no.code, 429);
  EXPECT_EQ(no.reason, "TooManyRequests");
  EXPECT_EQ(no.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  EXPECT_EQ(
      json::text_of(no.details),
      R"({"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web needs 3 healthy pods and has 3 currently"}]})");
  EXPECT_FALSE(no.retry_after.has_value());
  EXPECT_FALSE(is_being_deleted(*pod()));
}

TEST_F(Evictions, ADisruptionIsSpentInTheSameAct) {
  budget("web", 2, 3, 1);
  expect(evict_it());
  const Stored after = server.store().find("poddisruptionbudgets.policy", "default/web");
  EXPECT_EQ(json::int_at(*after, {"status", "disruptionsAllowed"}), 1);
  EXPECT_EQ(json::text_at(*after, {"status", "disruptedPods", "p"}), "2026-01-01T00:00:00Z");
  EXPECT_TRUE(is_being_deleted(*pod()));
}

TEST_F(Evictions, ABudgetThatIsNotCountedYetAsksToWait) {
  budget("web", 1, 3, 1);
  expect(server.serve(
      patch(kDisruptionBudgets, "default", "web", PatchKind::Merge, {{"spec", json::Members{{"minAvailable", 2}}}})));
  const Rejection no = expect_refused(evict_it());
  EXPECT_EQ(no.code, 429);
  EXPECT_EQ(no.retry_after, base::Span(std::chrono::seconds(10)));
  EXPECT_EQ(
      json::text_of(no.details),
      R"({"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web is still being processed by the server."}],"retryAfterSeconds":10})");
}

TEST_F(Evictions, TwoBudgetsAreTooMany) {
  budget("web", 1, 3, 1);
  budget("web2", 1, 3, 1);
  const Rejection no = expect_refused(evict_it());
  EXPECT_EQ(no.code, 500);
  EXPECT_EQ(no.message,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
}

TEST_F(Evictions, AFinishedPodIsEvictedWithoutABudget) {
  budget("web", 0, 3, 3);
  set_pod("Succeeded", false);
  expect(evict_it());
  EXPECT_FALSE(pod());
}

TEST_F(Evictions, AnUnreadyPodMayGoWhileTheBudgetHasEnoughHealthyOnes) {
  budget("web", 0, 3, 3);
  set_pod("Running", false);
  expect(evict_it());
  EXPECT_EQ(json::int_at(*server.store().find("poddisruptionbudgets.policy", "default/web"),
                         {"status", "disruptionsAllowed"}),
            0);
}

TEST_F(Evictions, AnUnreadyPodIsHeldWhileTooFewAreHealthy) {
  budget("web", 0, 2, 3);
  set_pod("Running", false);
  EXPECT_EQ(expect_refused(evict_it()).code, 429);
}

TEST_F(Evictions, AlwaysAllowLetsAnUnreadyPodGo) {
  budget("web", 0, 2, 3, "AlwaysAllow");
  set_pod("Running", false);
  expect(evict_it());
  EXPECT_TRUE(is_being_deleted(*pod()));
}

TEST_F(Evictions, AnotherPodOfTheSameNameIsNotEvicted) {
  const Rejection no = expect_refused(evict_it("another-uid"));
  EXPECT_EQ(no.code, 409);
  EXPECT_NE(no.message.find("Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (another-uid)"),
            std::string::npos);
  EXPECT_FALSE(is_being_deleted(*pod()));
}

}  // namespace
}  // namespace drover::sim
