#include "sim/controllers/scheduler.h"

#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class Scheduling : public WorldTest {
 protected:
  void add_pod(const std::string& name, const std::string& more_spec = "", const std::string& resources = "{}") {
    create(kube::kPods,
           fmt::format(R"({{"metadata": {{"name": "{}", "namespace": "default", "labels": {{"app": "work"}}}},
                         "spec": {{"containers": [{{"name": "main", "image": "i", "resources": {}}}] {}}}}})",
                       name, resources, more_spec.empty() ? "" : ", " + more_spec));
  }
  std::string where(const std::string& pod) {
    const Stored found = find("pods", "default/" + pod);
    return found ? std::string(node_of(*found)) : "gone";
  }
  std::string why_not(const std::string& pod) {
    const Stored found = find("pods", "default/" + pod);
    const json::Value* condition = found ? find_condition(*found, "PodScheduled") : nullptr;
    if (!condition || json::text_at(*condition, {"status"}) != "False") return "";
    EXPECT_EQ(json::text_at(*condition, {"reason"}), "Unschedulable");
    return std::string(json::text_at(*condition, {"message"}));
  }
};

constexpr auto kOneGpu = R"({"limits": {"nvidia.com/gpu": "1"}})";

TEST_F(Scheduling, GivesOutEachGpuOnceAndSaysWhatIsMissing) {
  add_node("gpu", "{}", 2);
  add_node("plain");
  for (const char* pod : {"a", "b", "c"}) add_pod(pod, "", kOneGpu);
  world.run_for(1s);
  EXPECT_EQ(where("a"), "gpu");
  EXPECT_EQ(where("b"), "gpu");
  EXPECT_EQ(where("c"), "");
  EXPECT_EQ(why_not("c"),
            "0/2 nodes are available: 2 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/2 "
            "nodes are available: 1 No "
            "preemption victims "
            "found for incoming pod, 1 Preemption is not helpful for scheduling.");
  EXPECT_EQ(events("FailedScheduling"), 1U);
}

TEST_F(Scheduling, TakesTheGpuOfAPodThatEnded) {
  add_node("gpu", "{}", 1);
  add_pod("first", "", kOneGpu);
  world.run_for(5s);
  add_pod("second", "", kOneGpu);
  world.run_for(1min);
  EXPECT_EQ(where("second"), "");
  remove(kube::kPods, "default", "first");
  ASSERT_TRUE(soon([&] { return where("second") == "gpu"; }, 10s));
}

TEST_F(Scheduling, PrefersTheLeastLoadedNodeThenTheFirstByName) {
  add_node("b");
  add_node("a");
  add_pod("one", "", R"({"requests": {"cpu": "1"}})");
  add_pod("two", "", R"({"requests": {"cpu": "1"}})");
  add_pod("three", "", R"({"requests": {"cpu": "1"}})");
  world.run_for(1s);
  EXPECT_EQ(where("one"), "a");
  EXPECT_EQ(where("two"), "b");
  EXPECT_EQ(where("three"), "a");
}

TEST_F(Scheduling, HonoursSelectorsAndAffinity) {
  add_node("red", R"({"colour": "red", "size": "3"})");
  add_node("blue", R"({"colour": "blue", "size": "7"})");
  add_pod("by-selector", R"("nodeSelector": {"colour": "blue"})");
  add_pod("by-affinity",
          R"("affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "size", "operator": "Lt", "values": ["5"]}]}]}}})");
  add_pod("nowhere", R"("nodeSelector": {"colour": "green"})");
  world.run_for(1s);
  EXPECT_EQ(where("by-selector"), "blue");
  EXPECT_EQ(where("by-affinity"), "red");
  EXPECT_EQ(where("nowhere"), "");
  EXPECT_TRUE(
      why_not("nowhere").starts_with("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."))
      << why_not("nowhere");
}

TEST_F(Scheduling, KeepsOffTaintsAndCordonsUntilTheyGo) {
  add_node("tainted", "{}", 0, R"([{"key": "k", "value": "v", "effect": "NoSchedule"}])");
  add_node("cordoned");
  patch(kube::kNodes, "", "cordoned", R"({"spec": {"unschedulable": true}})");
  add_pod("plain");
  add_pod("tolerant", R"("tolerations": [{"key": "k", "operator": "Equal", "value": "v", "effect": "NoSchedule"}])");
  world.run_for(1s);
  EXPECT_EQ(where("tolerant"), "tainted");
  EXPECT_EQ(why_not("plain"),
            "0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. no new claims "
            "to deallocate, preemption: "
            "0/2 nodes are "
            "available: 2 Preemption is not helpful for scheduling.");
  patch(kube::kNodes, "", "cordoned", R"({"spec": {"unschedulable": null}})");
  ASSERT_TRUE(soon([&] { return where("plain") == "cordoned"; }, 10s));
}

TEST_F(Scheduling, SaysThatThereAreNoNodes) {
  add_pod("lonely");
  world.run_for(1s);
  EXPECT_EQ(why_not("lonely"), "no nodes available to schedule pods");
  add_node("first");
  ASSERT_TRUE(soon([&] { return where("lonely") == "first"; }, 10s));
  EXPECT_EQ(condition_status(*find("pods", "default/lonely"), "PodScheduled"), "True");
}

TEST_F(Scheduling, KeepsPodsApartThatRepelEachOtherInBothDirections) {
  const std::string apart = R"("affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
      {"labelSelector": {"matchLabels": {"app": "work"}}, "topologyKey": "kubernetes.io/hostname"}]}})";
  add_node("a");
  add_node("b");
  add_pod("first", apart);
  add_pod("second", apart);
  world.run_for(1s);
  EXPECT_EQ(where("first"), "a");
  EXPECT_EQ(where("second"), "b");
  add_pod("modest");
  world.run_for(1s);
  EXPECT_EQ(where("modest"), "");
}

TEST_F(Scheduling, DoesNotTryAgainForRoomWhatNoRoomCanHelp) {
  add_node("gpu", "{}", 1);
  add_pod("worker", "", kOneGpu);
  add_pod("impossible", R"("nodeSelector": {"colour": "green"})");
  add_pod("patient", "", kOneGpu);
  world.run_for(1min);
  const auto looks = world.cluster.scheduler()->looks();
  remove(kube::kPods, "default", "worker");
  ASSERT_TRUE(soon([&] { return where("patient") == "gpu"; }, 10s));
  world.run_for(1min);
  EXPECT_EQ(world.cluster.scheduler()->looks() - looks, 1U);
  patch(kube::kNodes, "", "gpu", R"({"metadata": {"labels": {"colour": "green"}}})");
  EXPECT_TRUE(soon([&] { return where("impossible") == "gpu"; }, 10s));
}

TEST_F(Scheduling, CountsPodsAgainstTheNodesLimit) {
  add_node("small");
  patch(kube::kNodes, "", "small", R"({"status": {"allocatable": {"pods": "1"}}})", "status");
  add_pod("first");
  add_pod("second");
  world.run_for(1s);
  EXPECT_EQ(where("first"), "small");
  EXPECT_TRUE(why_not("second").starts_with("0/1 nodes are available: 1 Too many pods.")) << why_not("second");
}

TEST_F(Scheduling, LeavesGatedPodsAndOtherSchedulersPodsAlone) {
  add_node("a");
  add_pod("gated", R"("schedulingGates": [{"name": "wait"}])");
  add_pod("foreign", R"("schedulerName": "other")");
  world.run_for(1min);
  EXPECT_EQ(where("gated"), "");
  EXPECT_EQ(where("foreign"), "");
}

}  // namespace
}  // namespace drover::sim
