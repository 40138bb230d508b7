#include "sim/kubelet.h"

#include <gmock/gmock.h>

#include "kubelet_fixture.h"

namespace drover::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- nodes

TEST_F(KubeletTest, RegistersItsNodesAsReadyWithResourcesAndABootId) {
  begin("nvidia=2");
  ASSERT_TRUE(soon([this] { return node_is_ready("nvidia-1") && node_is_ready("nvidia-2"); }));
  EXPECT_NE(boot_of("nvidia-1"), boot_of("nvidia-2"));
  EXPECT_EQ(boot_of("nvidia-1").size(), 36u);
  EXPECT_EQ(json::text_at(*node("nvidia-1"), {"status", "allocatable", "nvidia.com/gpu"}), "8");
  EXPECT_EQ(json::text_at(*node("nvidia-1"), {"status", "nodeInfo", "kernelVersion"}), "6.8.0-90-generic");
  EXPECT_EQ(kubelets->count().nodes_up, 2);
}

TEST_F(KubeletTest, LeavesNodesAloneThatAreNotSimulated) {
  expect(world.server().serve(kube::create(kube::kNodes, "", node_named("real-1"))));
  begin("cpu=1");
  add_pod("theirs", "real-1");
  pass(1min);
  EXPECT_EQ(condition(*node("real-1"), "Ready"), "");
  EXPECT_EQ(phase("theirs"), "Pending");
  EXPECT_EQ(kubelets->count().pods, 0);
}

TEST_F(KubeletTest, RenewsALeaseThatTheNodeOwnsEveryTenSeconds) {
  auto plan = exact();
  plan.leases = true;
  begin("cpu=1", plan);
  const auto lease = [this] { return world.store().find("leases.coordination.k8s.io", "kube-node-lease/cpu-1"); };
  ASSERT_TRUE(soon([&] { return lease() != nullptr; }));
  EXPECT_EQ(json::text_at(json::array_at(*lease(), {"metadata", "ownerReferences"})[0], {"uid"}),
            kube::uid_of(*node("cpu-1")));
  pass(15s);
  const std::string before(json::text_at(*lease(), {"spec", "renewTime"}));
  pass(10s);
  const auto first = base::parse_rfc3339(before);
  const auto second = base::parse_rfc3339(json::text_at(*lease(), {"spec", "renewTime"}));
  EXPECT_EQ(*second - *first, 10s);
}

TEST_F(KubeletTest, WritesNothingWhileNothingChanges) {
  begin("cpu=3");
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  pass(10s);
  const auto before = kubelets->count().writes;
  pass(4min);
  EXPECT_EQ(kubelets->count().writes, before);
}

TEST_F(KubeletTest, TakesUpANodeThatComesLaterWithThePodsThatWaitOnIt) {
  begin("cpu=1");
  add_pod("early", "nvidia-1");
  pass(5s);
  for (auto& node : make_nodes(*parse_fleet("nvidia=1")))
    expect(world.server().serve(kube::create(kube::kNodes, "", std::move(node))));
  EXPECT_TRUE(soon([this] { return is_ready("early"); }, 1min));
}

TEST_F(KubeletTest, ForgetsADeletedNodeAndMeetsItsSuccessorAsANewMachine) {
  begin("cpu=1");
  ASSERT_TRUE(soon([this] { return node_is_ready("cpu-1"); }));
  const auto boot = boot_of("cpu-1");
  expect(world.server().serve(kube::remove(kube::kNodes, "", "cpu-1", "")));
  ASSERT_TRUE(soon([this] { return kubelets->host("cpu-1") == nullptr; }));
  for (auto& node : make_nodes(*parse_fleet("cpu=1")))
    expect(world.server().serve(kube::create(kube::kNodes, "", std::move(node))));
  ASSERT_TRUE(soon([this] { return node_is_ready("cpu-1"); }));
  EXPECT_NE(boot_of("cpu-1"), boot);
}

// ---- a pod's life

TEST_F(KubeletTest, PullsStartsAndMakesReadyInTheTimeThatTheTempoSays) {
  begin("cpu=1");
  pass(10s - world.loop.now().time_since_epoch());
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  EXPECT_NEAR(noted_at("ready", "web"), 10 + 2.5, 0.1);
  EXPECT_EQ(phase("web"), "Running");
  EXPECT_EQ(condition(*pod("web"), "ContainersReady"), "True");
  EXPECT_EQ(condition(*pod("web"), "Initialized"), "True");
  EXPECT_THAT(std::string(json::text_at(*pod("web"), {"status", "podIP"})), HasSubstr("10."));
  EXPECT_TRUE(json::flag_at(container("web"), {"started"}));
}

TEST_F(KubeletTest, PullsAnImageOncePerNode) {
  begin("cpu=2");
  add_pod("a", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("a"); }));
  add_pod("b", "cpu-1");
  add_pod("c", "cpu-2");
  ASSERT_TRUE(soon([this] { return is_ready("b") && is_ready("c"); }));
  EXPECT_EQ(noted("pull-began", "b"), 0);
  EXPECT_EQ(noted("pull-began", "c"), 1);
}

TEST_F(KubeletTest, WritesAFewStatusesForAPodAndEachOnlyOnce) {
  begin("cpu=1");
  ASSERT_TRUE(soon([this] { return node_is_ready("cpu-1"); }));
  pass(1s);
  const auto before = kubelets->count().writes;
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  pass(1min);
  EXPECT_EQ(kubelets->count().writes - before, 2u);  // admitted, running
  delete_pod("web");
  ASSERT_TRUE(soon([this] { return pod("web") == nullptr; }));
  EXPECT_EQ(kubelets->count().writes - before, 4u);  // ended, deleted
}

TEST_F(KubeletTest, BacksOffFromAMissingImageAndFindsItWhenItComes) {
  begin("cpu=1");
  ASSERT_TRUE(kubelets->images().prefer("example/*", "", "missing"));
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return waiting("web") == "ErrImagePull"; }));
  ASSERT_TRUE(soon([this] { return waiting("web") == "ImagePullBackOff"; }));
  EXPECT_EQ(phase("web"), "Pending");
  pass(5min);
  const int tries = noted("pull-failed", "web");
  EXPECT_GE(tries, 4);
  EXPECT_LE(tries, 6);  // 10, 20, 40, 80, 160 s
  ASSERT_TRUE(kubelets->images().prefer("example/*", "", "wait forever"));
  EXPECT_TRUE(soon([this] { return is_ready("web"); }, 6min));
}

TEST_F(KubeletTest, ShowsAScriptThatMakesNoSenseInThePodsStatus) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "dance");
  ASSERT_TRUE(soon([this] { return waiting("web") == "CreateContainerConfigError"; }));
  EXPECT_THAT(std::string(json::text_at(container("web"), {"state", "waiting", "message"})), HasSubstr("dance"));
}

TEST_F(KubeletTest, RunsInitContainersOneAfterTheOtherBeforeTheMainOnes) {
  begin("cpu=1");
  add_pod(
      "web", "cpu-1", {},
      R"({"initContainers": [{"name": "one", "image": "i:1", "command": ["sleep", "3"]}, {"name": "two", "image": "i:2"}]})");
  ASSERT_TRUE(soon([this] { return noted("started", "web") == 1; }));
  EXPECT_EQ(waiting("web"), "PodInitializing");
  EXPECT_EQ(condition(*pod("web"), "Initialized"), "False");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  std::vector<std::string> order;
  for (const auto& line : journal_lines) {
    if (json::text_at(line, {"event"}) == "started") order.emplace_back(json::text_at(line, {"container"}));
  }
  EXPECT_THAT(order, ElementsAre("one", "two", "main"));
  EXPECT_EQ(json::text_at(container("web", 0, "initContainerStatuses"), {"state", "terminated", "reason"}),
            "Completed");
  EXPECT_TRUE(json::flag_at(container("web", 1, "initContainerStatuses"), {"ready"}));
}

TEST_F(KubeletTest, StartsASidecarFirstAndEndsItLast) {
  begin("cpu=1");
  add_pod("web", "cpu-1", {}, R"({"initContainers": [{"name": "side", "image": "i:1", "restartPolicy": "Always"}]})");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  EXPECT_TRUE(json::flag_at(container("web", 0, "initContainerStatuses"), {"started"}));
  delete_pod("web");
  ASSERT_TRUE(soon([this] { return pod("web") == nullptr; }));
  std::vector<std::string> order;
  for (const auto& line : journal_lines) {
    if (json::text_at(line, {"event"}) == "exited") order.emplace_back(json::text_at(line, {"container"}));
  }
  EXPECT_THAT(order, ElementsAre("main", "side"));
}

TEST_F(KubeletTest, EndsAJobsPodAsSucceededAndItsSidecarWithIt) {
  begin("cpu=1");
  add_pod(
      "job", "cpu-1", "say done; exit 0",
      R"({"restartPolicy": "Never", "initContainers": [{"name": "side", "image": "i:1", "restartPolicy": "Always"}]})");
  ASSERT_TRUE(soon([this] { return phase("job") == "Succeeded"; }));
  EXPECT_EQ(json::int_at(container("job"), {"state", "terminated", "exitCode"}, -1), 0);
  EXPECT_TRUE(soon(
      [this] { return json::find(container("job", 0, "initContainerStatuses"), {"state", "terminated"}) != nullptr; }));
  EXPECT_THAT(said("job"), ElementsAre("done"));
}

TEST_F(KubeletTest, EndsAPodAsFailedThatIsNotRestarted) {
  begin("cpu=1");
  add_pod("job", "cpu-1", "exit 3", R"({"restartPolicy": "Never"})");
  ASSERT_TRUE(soon([this] { return phase("job") == "Failed"; }));
  EXPECT_EQ(json::int_at(container("job"), {"state", "terminated", "exitCode"}), 3);
  pass(1min);
  EXPECT_EQ(restarts("job"), 0);
}

TEST_F(KubeletTest, RestartsOnFailureUntilItSucceeds) {
  begin("cpu=1");
  add_pod("job", "cpu-1", "need nvidia; exit 0", R"({"restartPolicy": "OnFailure"})");
  ASSERT_TRUE(soon([this] { return restarts("job") == 2; }));
  ASSERT_TRUE(kubelets->host("cpu-1")->insert("nvidia", "1"));
  EXPECT_TRUE(soon([this] { return phase("job") == "Succeeded"; }));
}

TEST_F(KubeletTest, RestartsACrashingContainerAtOnceAndThenAfterTenTwentyFortySeconds) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "exit 1");
  ASSERT_TRUE(soon([this] { return waiting("web") == "CrashLoopBackOff"; }));
  EXPECT_EQ(restarts("web"), 1);
  EXPECT_EQ(json::int_at(container("web"), {"lastState", "terminated", "exitCode"}), 1);
  std::vector<double> starts;
  ASSERT_TRUE(soon([this] { return noted("started", "web") == 5; }));
  for (const auto& line : journal_lines) {
    if (json::text_at(line, {"event"}) == "started") starts.push_back(line.at("mono").to_number<double>());
  }
  EXPECT_NEAR(starts[1] - starts[0], 0.5, 0.1);
  EXPECT_NEAR(starts[2] - starts[1], 10.5, 0.1);
  EXPECT_NEAR(starts[3] - starts[2], 20.5, 0.1);
  EXPECT_NEAR(starts[4] - starts[3], 40.5, 0.1);
  EXPECT_EQ(phase("web"), "Running");
}

TEST_F(KubeletTest, NeverWaitsLongerThanFiveMinutesAndForgivesAfterALongRun) {
  begin("cpu=1");
  ASSERT_TRUE(kubelets->images().prefer("example/*", "", "exit 1"));
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return restarts("web") == 9; }, 1h));
  const double before = noted_at("exited", "web");
  ASSERT_TRUE(kubelets->images().prefer("example/*", "", "wait 11m; exit 1"));
  ASSERT_TRUE(soon([this] { return restarts("web") == 10; }, 1h));
  EXPECT_NEAR(noted_at("started", "web") - before, 300.5, 0.2);
  ASSERT_TRUE(soon([this] { return restarts("web") == 11; }, 1h));
  EXPECT_NEAR(noted_at("started", "web") - noted_at("exited", "web"), 0.5, 0.1);
}

// ---- probes

TEST_F(KubeletTest, IsReadyAtTheFirstProbeAfterTheScriptSaysSo) {
  begin("cpu=1");
  add_pod(
      "web", "cpu-1", "wait 12s; ready; wait forever",
      R"({"containers": [{"name": "main", "image": "example/image:1", "readinessProbe": {"initialDelaySeconds": 5, "periodSeconds": 10}}]})");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  EXPECT_NEAR(noted_at("ready", "web") - noted_at("started", "web"), 15, 0.01);  // probes at 5, 15
}

TEST_F(KubeletTest, KillsAContainerWhoseStartupProbeRunsOutAndStartsItAgain) {
  begin("cpu=1");
  add_pod(
      "web", "cpu-1", "wait 1h; ready; wait forever",
      R"({"containers": [{"name": "main", "image": "example/image:1", "startupProbe": {"periodSeconds": 10, "failureThreshold": 3}}]})");
  ASSERT_TRUE(soon([this] { return noted("exited", "web") == 1; }));
  EXPECT_NEAR(noted_at("exited", "web") - noted_at("started", "web"), 20 + 1,
              0.1);  // probes at 0, 10, 20; then a second to stop
  EXPECT_TRUE(soon([this] { return restarts("web") == 1; }));
  EXPECT_FALSE(is_ready("web"));
}

TEST_F(KubeletTest, IsNotReadyBeforeTheStartupProbePassed) {
  begin("cpu=1");
  add_pod(
      "web", "cpu-1", "wait 25s; ready; wait forever",
      R"({"containers": [{"name": "main", "image": "example/image:1", "startupProbe": {"periodSeconds": 10, "failureThreshold": 9},
                              "readinessProbe": {"periodSeconds": 60}}]})");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  EXPECT_NEAR(noted_at("ready", "web") - noted_at("started", "web"), 30, 0.01);
}

TEST_F(KubeletTest, TurnsUnreadyAfterThreeFailedProbesAndRestartsTheSick) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "ready; wait 31s; unready; wait 60s; sick; wait forever",
          R"({"containers": [{"name": "main", "image": "example/image:1", "readinessProbe": {"periodSeconds": 10},
                              "livenessProbe": {"periodSeconds": 10, "failureThreshold": 2}}]})");
  ASSERT_TRUE(soon([this] { return noted("unready", "web") == 1; }));
  EXPECT_NEAR(noted_at("unready", "web") - noted_at("started", "web"), 60, 0.1);  // 40, 50, 60
  ASSERT_TRUE(soon([this] { return noted("exited", "web") == 1; }));
  EXPECT_NEAR(noted_at("exited", "web") - noted_at("started", "web"), 110 + 1, 0.1);  // sick at 91: 100, 110
  EXPECT_TRUE(soon([this] { return restarts("web") == 1; }));
}

// ---- the end of a pod

TEST_F(KubeletTest, EndsADeletedPodAfterItsStopTimeAndThenDeletesItForGood) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "stop 7s");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  const double asked = now();
  delete_pod("web");
  ASSERT_TRUE(soon([this] { return pod("web") == nullptr; }));
  EXPECT_NEAR(now() - asked, 7, 0.2);
  EXPECT_EQ(noted("deleted-seen", "web"), 1);
  EXPECT_EQ(noted("stopped", "web"), 1);
  EXPECT_TRUE(soon([this] { return kubelets->count().pods == 0; }));
  EXPECT_EQ(noted("gone", "web"), 1);
  EXPECT_EQ(logs.run("default/web/main"), nullptr);
}

TEST_F(KubeletTest, KillsADeafContainerAtTheEndOfItsGrace) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "deaf", R"({"terminationGracePeriodSeconds": 20})");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  const double asked = now();
  delete_pod("web");
  ASSERT_TRUE(soon([this] { return pod("web") == nullptr; }));
  EXPECT_NEAR(now() - asked, 20, 0.2);
}

TEST_F(KubeletTest, TakesItsStepsBetweenTheSignalAndItsEnd) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "wait forever; when-stopped; say saving; wait 4s; say saved");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  const double asked = now();
  delete_pod("web");
  ASSERT_TRUE(soon([this] { return noted("exited", "web") == 1; }));
  EXPECT_NEAR(now() - asked, 1 + 4, 0.1);
  EXPECT_THAT(said("web"), ElementsAre("saving", "saved"));
}

TEST_F(KubeletTest, IsKilledInTheMiddleOfStepsThatTakeTooLong) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "wait forever; when-stopped; wait 1h", R"({"terminationGracePeriodSeconds": 5})");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  const double asked = now();
  delete_pod("web");
  ASSERT_TRUE(soon([this] { return pod("web") == nullptr; }));
  EXPECT_NEAR(now() - asked, 5, 0.2);
}

TEST_F(KubeletTest, ShortensTheGraceWhenAskedAgainWithLess) {
  begin("cpu=1");
  add_pod("web", "cpu-1", "deaf", R"({"terminationGracePeriodSeconds": 600})");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  delete_pod("web");
  pass(5s);
  const double asked = now();
  delete_pod("web", 10s);
  ASSERT_TRUE(soon([this] { return pod("web") == nullptr; }, 5min));
  EXPECT_LT(now() - asked, 11);
}

TEST_F(KubeletTest, StopsTheContainersOfAPodThatWasDeletedByForce) {
  begin("nvidia=1");
  ASSERT_TRUE(kubelets->host("nvidia-1")->insert("nvidia", "535"));
  add_pod("train", "nvidia-1", "deaf; hold /dev/nvidia0; wait forever");
  ASSERT_TRUE(soon([this] { return is_ready("train"); }));
  delete_pod("train", 0s);
  ASSERT_EQ(pod("train"), nullptr);
  pass(500ms);
  EXPECT_EQ(kubelets->host("nvidia-1")->holders("/dev/")->size(), 1u) << "the object is gone, the process is not yet";
  EXPECT_TRUE(soon([this] { return kubelets->host("nvidia-1")->holders("/dev/")->empty(); }, 5s));
  EXPECT_TRUE(soon([this] { return noted("gone", "train") == 1; }, 5s));
}

TEST_F(KubeletTest, DeletesAPodThatNeverStarted) {
  begin("cpu=1");
  ASSERT_TRUE(kubelets->images().prefer("example/*", "", "missing"));
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return waiting("web") == "ErrImagePull"; }));
  delete_pod("web");
  EXPECT_TRUE(soon([this] { return pod("web") == nullptr; }, 5s));
}

TEST_F(KubeletTest, RunsAPodOfTheSameNameAsAnother) {
  begin("cpu=1");
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  const std::string uid(kube::uid_of(*pod("web")));
  delete_pod("web", 0s);
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  EXPECT_NE(kube::uid_of(*pod("web")), uid);
  pass(1min);
  EXPECT_TRUE(is_ready("web"));
  EXPECT_EQ(kubelets->count().pods, 1);
}

}  // namespace
}  // namespace drover::sim
