#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class Job : public WorldTest {
 protected:
  void SetUp() override { add_nodes(2); }
  void add_job(const std::string& spec) {
    create(kube::kJobs,
           fmt::format(R"({{"metadata": {{"name": "work", "namespace": "default"}}, "spec": {{"template": {} {}}}}})",
                       pod_template("work", "i", R"("restartPolicy": "Never")"), spec.empty() ? "" : ", " + spec));
  }
  std::string condition(std::string_view type) {
    const Stored job = find("jobs.batch", "default/work");
    const json::Value* found = job ? find_condition(*job, type) : nullptr;
    return found ? fmt::format("{} {}", json::text_at(*found, {"status"}), json::text_at(*found, {"reason"})) : "";
  }
  std::int64_t number(std::string_view field) { return status("jobs.batch", "work", field); }
};

TEST_F(Job, CompletesWhenEnoughPodsSucceeded) {
  kubelet.ends_as["work"] = "Succeeded";
  add_job(R"("completions": 5, "parallelism": 2)");
  std::size_t most = 0;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource == "pods") most = std::max(most, count("work", pod_is_active));
  });
  ASSERT_TRUE(soon([&] { return condition("Complete") == "True CompletionsReached"; }));
  EXPECT_EQ(condition("SuccessCriteriaMet"), "True CompletionsReached");
  EXPECT_EQ(number("succeeded"), 5);
  EXPECT_EQ(pods("work").size(), 5U);
  EXPECT_EQ(most, 2U);
  EXPECT_FALSE(json::text_at(*find("jobs.batch", "default/work"), {"status", "completionTime"}).empty());
  EXPECT_EQ(events("Completed"), 1U);
  for (const Stored& pod : pods("work")) EXPECT_TRUE(json::array_at(*pod, {"metadata", "finalizers"}).empty());
}

TEST_F(Job, HoldsItsPodsByAFinalizerUntilTheyAreCounted) {
  add_job("");
  ASSERT_TRUE(soon([&] { return pods("work").size() == 1; }));
  EXPECT_EQ(json::text_of(*json::find(*pods("work")[0], {"metadata", "finalizers"})),
            R"(["batch.kubernetes.io/job-tracking"])");
  EXPECT_EQ(number("active"), 1);
}

TEST_F(Job, FailsAfterItsBackoffLimitEachTryLaterThanTheOneBefore) {
  kubelet.ends_as["work"] = "Failed";
  std::vector<base::Instant> tries;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource == "pods" && commit.kind == Commit::Kind::Created) tries.push_back(world.loop.now());
  });
  add_job(R"("backoffLimit": 3)");
  ASSERT_TRUE(soon([&] { return condition("Failed") == "True BackoffLimitExceeded"; }, 1h));
  EXPECT_EQ(condition("FailureTarget"), "True BackoffLimitExceeded");
  EXPECT_EQ(number("failed"), 4);
  ASSERT_EQ(tries.size(), 4U);
  EXPECT_GE(tries[1] - tries[0], 10s);
  EXPECT_GE(tries[2] - tries[1], 20s);
  EXPECT_GE(tries[3] - tries[2], 40s);
  EXPECT_LE(tries[3] - tries[2], 50s);
}

TEST_F(Job, EndsAtItsDeadlineAndTakesItsPodsAlong) {
  add_job(R"("activeDeadlineSeconds": 30)");
  world.run_for(20s);
  EXPECT_EQ(count("work", pod_is_active), 1U);
  ASSERT_TRUE(soon([&] { return condition("Failed") == "True DeadlineExceeded"; }, 30s));
  EXPECT_EQ(count("work", pod_is_active), 0U);
}

TEST_F(Job, IsFailedOnlyWhenItsLastPodIsGone) {
  kubelet.takes = 10s;
  add_job(R"("activeDeadlineSeconds": 30)");
  world.run_for(31s);
  EXPECT_EQ(condition("FailureTarget"), "True DeadlineExceeded");
  EXPECT_EQ(condition("Failed"), "");
  EXPECT_EQ(number("terminating"), 1);
  EXPECT_TRUE(soon([&] { return condition("Failed") == "True DeadlineExceeded"; }, 30s));
}

TEST_F(Job, GoesAwayByItselfAfterItsTimeToLive) {
  kubelet.ends_as["work"] = "Succeeded";
  add_job(R"("ttlSecondsAfterFinished": 100)");
  ASSERT_TRUE(soon([&] { return condition("Complete") == "True CompletionsReached"; }));
  world.run_for(90s);
  EXPECT_TRUE(find("jobs.batch", "default/work"));
  EXPECT_TRUE(soon([&] { return !find("jobs.batch", "default/work") && pods("work").empty(); }, 30s));
}

TEST_F(Job, SuspendsAndResumes) {
  add_job("");
  ASSERT_TRUE(soon([&] { return ready("work") == 1; }));
  patch(kube::kJobs, "default", "work", R"({"spec": {"suspend": true}})");
  ASSERT_TRUE(soon([&] { return pods("work").empty(); }));
  world.run_for(1min);
  EXPECT_EQ(condition("Suspended"), "True JobSuspended");
  EXPECT_TRUE(pods("work").empty());
  patch(kube::kJobs, "default", "work", R"({"spec": {"suspend": false}})");
  ASSERT_TRUE(soon([&] { return ready("work") == 1; }));
  EXPECT_EQ(condition("Suspended"), "False JobResumed");
}

TEST_F(Job, ReplacesADeletedPod) {
  add_job("");
  ASSERT_TRUE(soon([&] { return ready("work") == 1; }));
  const std::string first(kube::name_of(*pods("work")[0]));
  remove(kube::kPods, "default", first);
  ASSERT_TRUE(soon([&] { return ready("work") == 1 && !find("pods", "default/" + first); }, 2min));
  EXPECT_EQ(number("failed"), 1);
}

TEST_F(Job, DeletedInTheBackgroundLeavesNoPodBehind) {
  add_job(R"("completions": 3, "parallelism": 3)");
  ASSERT_TRUE(soon([&] { return ready("work") == 3; }));
  remove(kube::kJobs, "default", "work");
  EXPECT_TRUE(soon([&] { return pods("work").empty(); }, 1min));
}

TEST_F(Job, CountsEveryPodOnceAlthoughTheControllersDieInTheMiddle) {
  kubelet.ends_as["work"] = "Succeeded";
  add_job(R"("completions": 20, "parallelism": 3)");
  for (int i = 0; i < 200 && condition("Complete").empty(); ++i) {
    world.run_for(270ms);
    world.cluster.stop_controllers();
    world.run_for(130ms);
    world.cluster.start_controllers();
  }
  EXPECT_EQ(condition("Complete"), "True CompletionsReached");
  EXPECT_EQ(number("succeeded"), 20);
  EXPECT_EQ(pods("work").size(), 20U);
}

}  // namespace
}  // namespace drover::sim
