// Pods and the machine under them: drivers, holders, reboots, programs.
#include <gmock/gmock.h>

#include "kubelet_fixture.h"

namespace drover::sim {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kDriver535 =
    R"({"containers": [{"name": "nvidia-driver-ctr", "image": "nvcr.io/nvidia/driver:535.1-ubuntu22.04",
                                       "startupProbe": {"periodSeconds": 1, "failureThreshold": 120}}]})";
constexpr const char* kDriver550 =
    R"({"containers": [{"name": "nvidia-driver-ctr", "image": "nvcr.io/nvidia/driver:550.2-ubuntu22.04",
                                       "startupProbe": {"periodSeconds": 1, "failureThreshold": 120}}]})";

TEST_F(KubeletTest, ADriverPodLoadsTheVersionOfItsTagAndTakesItOutAgain) {
  begin("nvidia=1");
  add_pod("driver", "nvidia-1", {}, kDriver535);
  ASSERT_TRUE(soon([this] { return is_ready("driver"); }));
  EXPECT_EQ(kubelets->host("nvidia-1")->loaded_version("nvidia"), "535.1");
  EXPECT_NEAR(noted_at("module-loaded") - noted_at("started", "driver"), 5, 0.01);
  delete_pod("driver");
  ASSERT_TRUE(soon([this] { return pod("driver") == nullptr; }));
  EXPECT_TRUE(kubelets->host("nvidia-1")->modules()->empty());
  EXPECT_EQ(noted("module-unloaded"), 3);
}

TEST_F(KubeletTest, ADriverPodCannotReplaceADriverThatAPodHolds) {
  begin("nvidia=1");
  add_pod("driver", "nvidia-1", {}, kDriver535);
  ASSERT_TRUE(soon([this] { return is_ready("driver"); }));
  add_pod(
      "train", "nvidia-1", {},
      R"({"containers": [{"name": "main", "image": "train:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]})");
  ASSERT_TRUE(soon([this] { return is_ready("train"); }));
  EXPECT_EQ(kubelets->host("nvidia-1")->holders("/dev/nvidia")->front().pod_uid, kube::uid_of(*pod("train")));
  delete_pod("driver");
  ASSERT_TRUE(soon([this] { return pod("driver") == nullptr; }));
  EXPECT_EQ(kubelets->host("nvidia-1")->loaded_version("nvidia"), "535.1");
  add_pod("driver", "nvidia-1", {}, kDriver550);
  ASSERT_TRUE(soon([this] { return waiting("driver") == "CrashLoopBackOff"; }));
  EXPECT_EQ(kubelets->host("nvidia-1")->loaded_version("nvidia"), "535.1");
  delete_pod("train");
  ASSERT_TRUE(soon([this] { return is_ready("driver"); }));
  EXPECT_EQ(kubelets->host("nvidia-1")->loaded_version("nvidia"), "550.2");
}

TEST_F(KubeletTest, AValidatorWaitsForTheDriver) {
  begin("nvidia=1");
  add_pod("validator", "nvidia-1", {},
          R"({"initContainers": [{"name": "driver-validation", "image": "nvcr.io/nvidia/gpu-operator-validator:1"}]})");
  pass(1min);
  EXPECT_FALSE(is_ready("validator"));
  add_pod("driver", "nvidia-1", {}, kDriver535);
  ASSERT_TRUE(soon([this] { return is_ready("validator"); }));
  EXPECT_GT(noted_at("ready", "validator"), noted_at("module-loaded"));
}

TEST_F(KubeletTest, AKilledHolderIsAContainerThatDied) {
  begin("nvidia=1");
  ASSERT_TRUE(kubelets->host("nvidia-1")->insert("nvidia", "1"));
  add_pod("train", "nvidia-1", "hold /dev/nvidia3; wait forever", R"({"restartPolicy": "Never"})");
  ASSERT_TRUE(soon([this] { return is_ready("train"); }));
  ASSERT_TRUE(kubelets->host("nvidia-1")->kill(kubelets->host("nvidia-1")->holders("/dev/nvidia3")->front().pid));
  ASSERT_TRUE(soon([this] { return phase("train") == "Failed"; }));
  EXPECT_EQ(json::int_at(container("train"), {"state", "terminated", "exitCode"}), 137);
}

TEST_F(KubeletTest, ARebootGivesANewBootIdFirstNotReadyThenReadyAndRestartsThePods) {
  begin("nvidia=1");
  add_pod("web", "nvidia-1", {}, R"({"initContainers": [{"name": "one", "image": "i:1"}]})");
  add_pod("job", "nvidia-1", "wait 1h", R"({"restartPolicy": "Never"})");
  ASSERT_TRUE(soon([this] { return is_ready("web") && is_ready("job"); }));
  const auto boot = boot_of("nvidia-1");
  const double asked = now();
  ASSERT_TRUE(kubelets->reboot("nvidia-1"));
  pass(39s);
  EXPECT_EQ(boot_of("nvidia-1"), boot) << "a machine without power says nothing";
  ASSERT_TRUE(soon([&] { return boot_of("nvidia-1") != boot; }));
  EXPECT_FALSE(node_is_ready("nvidia-1"));
  ASSERT_TRUE(soon([this] { return node_is_ready("nvidia-1"); }));
  EXPECT_NEAR(now() - asked, 50, 0.2);
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  EXPECT_EQ(restarts("web"), 1);
  EXPECT_EQ(noted("started", "web"), 4);  // the init container too
  EXPECT_EQ(json::int_at(container("web"), {"lastState", "terminated", "exitCode"}), 255);
  EXPECT_EQ(phase("job"), "Failed");
  EXPECT_EQ(noted("reboot-began"), 1);
  EXPECT_EQ(noted("booted"), 1);
}

TEST_F(KubeletTest, APodCanRebootItsMachineAndAPersonCanOrderIt) {
  begin("rebellions=2");
  add_pod(
      "reboot", "rebellions-1", {},
      R"({"restartPolicy": "Never", "containers": [{"name": "r", "image": "busybox", "command": ["nsenter", "-t", "1", "--", "reboot"]}]})");
  EXPECT_TRUE(soon([this] { return noted("booted") == 1; }));
  const auto boot = boot_of("rebellions-2");
  annotate_node("rebellions-2", "sim.drover.dev/order", "reboot");
  EXPECT_TRUE(soon([&] { return boot_of("rebellions-2") != boot; }));
  EXPECT_EQ(noted("reboot-began"), 2);
}

TEST_F(KubeletTest, APoweredOffMachineSaysNothingUntilItIsPoweredOn) {
  begin("cpu=1");
  add_pod("web", "cpu-1");
  ASSERT_TRUE(soon([this] { return is_ready("web"); }));
  ASSERT_TRUE(kubelets->power_off("cpu-1"));
  pass(1s);
  const auto writes = kubelets->count().writes;
  delete_pod("web");
  add_pod("late", "cpu-1");
  pass(1h);
  EXPECT_EQ(kubelets->count().writes, writes);
  EXPECT_NE(pod("web"), nullptr);
  ASSERT_TRUE(kubelets->power_on("cpu-1"));
  EXPECT_TRUE(soon([this] { return pod("web") == nullptr && is_ready("late"); }));
}

TEST_F(KubeletTest, FaultsAreOrderedByName) {
  begin("nvidia=1");
  pass(1s);
  annotate_node("nvidia-1", "sim.drover.dev/order", "fault cannot-unload");
  ASSERT_TRUE(soon([this] { return !kubelets->host("nvidia-1")->can_unload_modules(); }));
  annotate_node("nvidia-1", "sim.drover.dev/order", "no-fault cannot-unload");
  EXPECT_TRUE(soon([this] { return kubelets->host("nvidia-1")->can_unload_modules(); }));
}

TEST_F(KubeletTest, AnotherVersionOfAnAscendDriverWaitsForAReboot) {
  begin("ascend=1");
  const auto driver = [](std::string version) {
    return R"({"containers": [{"name": "npu-driver", "image": "mlops/ascend-driver:)" + version +
           R"(-910b-oe2403sp3", "readinessProbe": {"periodSeconds": 1}}]})";
  };
  add_pod("one", "ascend-1", {}, driver("25.5.0"));
  ASSERT_TRUE(soon([this] { return is_ready("one"); }));
  delete_pod("one");
  ASSERT_TRUE(soon([this] { return pod("one") == nullptr; }));
  EXPECT_EQ(kubelets->host("ascend-1")->loaded_version("davinci"), "25.5.0");
  add_pod("two", "ascend-1", {}, driver("26.0.0"));
  ASSERT_TRUE(soon([this] { return kubelets->host("ascend-1")->exists("/var/lib/ascend/.reboot-required"); }));
  pass(1min);
  EXPECT_FALSE(is_ready("two"));
  kubelets->reboot("ascend-1");
  ASSERT_TRUE(soon([this] { return is_ready("two"); }));
  EXPECT_EQ(kubelets->host("ascend-1")->loaded_version("davinci"), "26.0.0");
}

TEST_F(KubeletTest, AnotherProcessTakesOverRunningPodsWithoutRestartingThem) {
  begin("nvidia=1");
  add_pod("driver", "nvidia-1", {}, kDriver535);
  add_pod("done", "nvidia-1", "exit 0", R"({"restartPolicy": "Never"})");
  ASSERT_TRUE(soon([this] { return is_ready("driver") && phase("done") == "Succeeded"; }));
  const auto boot = boot_of("nvidia-1");
  const auto since = condition(*pod("driver"), "Ready", "lastTransitionTime");
  kubelets.reset();
  pass(10s);
  start_kubelets();
  ASSERT_TRUE(soon([this] { return kubelets->is_synced(); }));
  pass(30s);
  EXPECT_TRUE(is_ready("driver"));
  EXPECT_EQ(condition(*pod("driver"), "Ready", "lastTransitionTime"), since);
  EXPECT_EQ(restarts("driver"), 0);
  EXPECT_EQ(boot_of("nvidia-1"), boot);
  EXPECT_EQ(kubelets->host("nvidia-1")->loaded_version("nvidia"), "535.1");
  EXPECT_EQ(phase("done"), "Succeeded");
  EXPECT_EQ(json::int_at(container("done"), {"state", "terminated", "exitCode"}, -1), 0);
}

// ---- programs

class Guest final : public ContainerProgram {
 public:
  explicit Guest(ProgramStart start) : start_(std::move(start)) {
    start_.log("hello from " + start_.pod + " on " + start_.node);
    timer_ = start_.loop.after(3s, [this] { start_.ready(true); });
  }
  void terminate() override {
    start_.log("bye");
    start_.exit(0);
  }

 private:
  ProgramStart start_;
  base::Timer timer_;
};

TEST_F(KubeletTest, AProgramPlaysAContainerAndEndsWhenAsked) {
  begin("cpu=1", exact(), {{"guest", [](ProgramStart start) { return std::make_unique<Guest>(std::move(start)); }}});
  add_pod("agent", "cpu-1", "program guest",
          R"({"containers": [{"name": "main", "image": "agent:1", "readinessProbe": {"periodSeconds": 1}}]})");
  ASSERT_TRUE(soon([this] { return is_ready("agent"); }));
  EXPECT_THAT(said("agent"), ElementsAre("hello from agent on cpu-1"));
  EXPECT_NEAR(noted_at("ready", "agent") - noted_at("started", "agent"), 3, 0.01);
  delete_pod("agent");
  ASSERT_TRUE(soon([this] { return noted("exited", "agent") == 1; }));
  EXPECT_TRUE(soon([this] { return pod("agent") == nullptr; }));
}

TEST_F(KubeletTest, AProgramThatIsNotThereIsACrash) {
  begin("cpu=1");
  add_pod("agent", "cpu-1", "program ghost", R"({"restartPolicy": "Never"})");
  ASSERT_TRUE(soon([this] { return phase("agent") == "Failed"; }));
  EXPECT_EQ(json::int_at(container("agent"), {"state", "terminated", "exitCode"}), 127);
}

// ---- repeatable

TEST(Kubelets, AreTheSameByteForByteFromTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    BareWorld world(seed);
    std::string journal_text;
    Journal journal(world.loop, [&](std::string_view line) { journal_text += line; });
    for (auto& node : make_nodes(*parse_fleet("nvidia=3")))
      expect(world.server().serve(kube::create(kube::kNodes, "", std::move(node))));
    Kubelets kubelets(world.door, world.loop, world.random.fork("kubelet"), {});
    kubelets.write_journal(&journal);
    kubelets.start();
    for (int i = 0; i < 12; ++i) {
      auto pod = pod_named("default", fmt::format("p{}", i), fmt::format("nvidia-{}", i % 3 + 1));
      json::ensure(pod, {"metadata", "annotations", "sim.drover.dev/script"}) =
          i % 2 == 0 ? "wait 20s; exit 1" : "wait forever";
      expect(world.server().serve(kube::create(kube::kPods, "default", std::move(pod))));
    }
    world.run_for(30s);
    kubelets.reboot("nvidia-2");
    world.run_for(10min);
    for (const char* resource : {"nodes", "pods", "events"}) {
      world.store().each(resource, "", [&](const Stored& object) { journal_text += json::text_of(*object) + "\n"; });
    }
    return journal_text;
  };
  const auto first = run(5);
  EXPECT_GT(first.size(), 10'000u);
  EXPECT_EQ(run(5), first);
  EXPECT_NE(run(6), first);
}

}  // namespace
}  // namespace drover::sim
