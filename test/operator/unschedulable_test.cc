// Driver pods that the scheduler does not place, or that are not made at all: nothing is stranded, and all is told.
#include <gmock/gmock.h>

#include "base/log.h"
#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class UnschedulableTest : public ::testing::Test {
 protected:
  void settle(Stage& stage) {
    stage.create_policy(cluster_policy("535.129.03"));
    stage.start_operator();
    ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  }
  // "" takes the request away.
  static void want(Stage& stage, std::string_view version, std::string_view cpu) {
    stage.patch_policy(fmt::format(R"({{"spec": {{"driver": {{"version": "{}", "resources": {}}}}}}})", version,
                                   cpu.empty() ? "null" : fmt::format(R"({{"requests": {{"cpu": "{}"}}}})", cpu)));
  }
  // Uses 40 of the node's 64 processors, and no device: without a drain it stays.
  static void occupy(Stage& stage) {
    stage.ask(kube::create(kube::kDeployments, "ml", parsed(R"({"metadata": {"name": "web"}, "spec": {"replicas": 1,
      "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}},
      "spec": {"containers": [{"name": "web", "image": "web:1", "resources": {"requests": {"cpu": "40"}}}]}}}})")));
    stage.world.run_for(30s);
  }

  static std::string condition(Stage& stage, std::string_view type) {
    stage.world.run_for(11s);
    for (const json::Value& one : json::array_at(*stage.policy(), {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == type)
        return fmt::format("{}/{}: {}", json::text_at(one, {"status"}), json::text_at(one, {"reason"}),
                           json::text_at(one, {"message"}));
    }
    return "";
  }
  // "Misfit: the driver's pod …" of the policy's status.
  static std::string reason(Stage& stage, std::string_view node) {
    stage.world.run_for(11s);
    for (const json::Value& row : json::array_at(*stage.policy(), {"status", "nodes"})) {
      if (json::text_at(row, {"name"}) == node)
        return fmt::format("{}: {}", json::text_at(row, {"code"}), json::text_at(row, {"reason"}));
    }
    return "";
  }
  static std::vector<std::string> events(Stage& stage, std::string_view reason) {
    std::vector<std::string> all;
    stage.world.store().each("events", "default", [&](const sim::Stored& event) {
      if (json::text_at(*event, {"reason"}) == reason) all.emplace_back(json::text_at(*event, {"message"}));
    });
    return all;
  }
  static bool serves(Stage& stage, const std::string& node, std::string_view version) {
    return stage.state(node) == "upgrade-done" && stage.driver_on(node) == version && !stage.is_cordoned(node);
  }
};

// The fault: Progressing=False NothingToDo, silence, and a pod that no correction replaced.
TEST_F(UnschedulableTest, AFirstInstallSaysWhatIsInItsWayAndGoesOnOnceThePolicyIsCorrected) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  want(stage, "535.129.03", "1000");
  stage.start_operator();
  std::vector<std::string> log;
  log::redirect([&](std::string_view line) { log.emplace_back(line); });
  stage.world.run_for(15s);
  EXPECT_THAT(condition(stage, "Progressing"), StartsWith("True/Installing"));
  stage.world.run_for(30s);
  log::redirect({});
  EXPECT_THAT(log, Contains(AllOf(HasSubstr("cannot be scheduled"), HasSubstr("cluster-policy"))));
  EXPECT_THAT(condition(stage, "Blocked"), AllOf(StartsWith("True/Unschedulable"), HasSubstr("Insufficient cpu"),
                                                 HasSubstr("nvidia-1, nvidia-2, nvidia-3")));
  EXPECT_THAT(condition(stage, "Progressing"), StartsWith("False/Blocked"));
  EXPECT_THAT(condition(stage, "Ready"), StartsWith("False/Installing"));
  EXPECT_THAT(reason(stage, "nvidia-1"), StartsWith("Unschedulable: the scheduler finds no place for its pod"));
  EXPECT_THAT(events(stage, "Blocked"), Contains(HasSubstr("Insufficient cpu")));
  want(stage, "535.129.03", "1");
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 5min)) << stage.pods_text("gpu-operator");
  EXPECT_THAT(condition(stage, "Blocked"), StartsWith("False/None"));
  for (const std::string& node : stage.names()) EXPECT_TRUE(serves(stage, node, "535.129.03")) << node;
}

// The fault: "its pod does not exist yet", and neither a corrected policy nor the old version replaced the pod.
TEST_F(UnschedulableTest, ANodeGoesOnOnceTheRequestIsCorrected) {
  Stage stage({.nodes = "nvidia=1"});
  settle(stage);
  occupy(stage);
  want(stage, "550.54.15", "40");
  stage.world.run_for(2min);
  EXPECT_TRUE(stage.is_cordoned("nvidia-1"));
  EXPECT_THAT(reason(stage, "nvidia-1"), AllOf(StartsWith("Unschedulable: the scheduler finds no place for its pod"),
                                               HasSubstr("Insufficient cpu")));
  EXPECT_THAT(condition(stage, "Blocked"), StartsWith("True/Unschedulable"));
  EXPECT_THAT(events(stage, "Blocked"), Contains(AllOf(StartsWith("nvidia-1: "), HasSubstr("Insufficient cpu"))));
  want(stage, "550.54.15", "1");
  EXPECT_TRUE(stage.world.run_until([&] { return serves(stage, "nvidia-1", "550.54.15"); }, 5min))
      << reason(stage, "nvidia-1");
}

TEST_F(UnschedulableTest, ANodeGetsTheOldVersionWhenThatIsPutBack) {
  Stage stage({.nodes = "nvidia=1"});
  settle(stage);
  occupy(stage);
  want(stage, "550.54.15", "40");
  stage.world.run_for(2min);
  ASSERT_TRUE(stage.is_cordoned("nvidia-1"));
  want(stage, "535.129.03", "");
  EXPECT_TRUE(stage.world.run_until([&] { return serves(stage, "nvidia-1", "535.129.03"); }, 5min))
      << reason(stage, "nvidia-1");
}

// The fault: the node was cordoned, emptied and robbed of its driver for a pod that could not come.
TEST_F(UnschedulableTest, ANodeWithATaintThatTheDriverDoesNotTolerateIsNotTakenAndHoldsUpNoOther) {
  Stage stage;
  settle(stage);
  stage.patch_node("nvidia-1", R"({"spec": {"taints": [{"key": "team", "value": "x", "effect": "NoSchedule"}]}})");
  stage.set_version("550.54.15");
  bool was_cordoned = false;
  const auto others_serve = [&] {
    was_cordoned = was_cordoned || stage.is_cordoned("nvidia-1");
    return serves(stage, "nvidia-2", "550.54.15") && serves(stage, "nvidia-3", "550.54.15");
  };
  EXPECT_TRUE(stage.world.run_until(others_serve, 30min));
  EXPECT_FALSE(was_cordoned);
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_EQ(reason(stage, "nvidia-1"),
            "Misfit: the driver's pod does not fit the node: it does not tolerate the taint team=x:NoSchedule");
  EXPECT_THAT(condition(stage, "Blocked"), AllOf(StartsWith("True/Misfit"), HasSubstr("nvidia-1")));
  EXPECT_THAT(condition(stage, "Progressing"), StartsWith("False/Blocked"));
  stage.patch_policy(R"({"spec": {"daemonsets": {"tolerations": [{"key": "team", "operator": "Exists"}]}}})");
  EXPECT_TRUE(stage.world.run_until([&] { return serves(stage, "nvidia-1", "550.54.15"); }, 10min));
}

TEST_F(UnschedulableTest, ARequestThatNoNodeHasTakesNoNodeAway) {
  Stage stage;
  settle(stage);
  want(stage, "550.54.15", "1000");
  stage.world.run_for(10min);
  for (const std::string& node : stage.names()) {
    EXPECT_FALSE(stage.is_cordoned(node)) << node;
    EXPECT_EQ(stage.driver_on(node), "535.129.03") << node;
  }
  EXPECT_THAT(reason(stage, "nvidia-2"), HasSubstr("it requests cpu 1000, and all that the node has is 64"));
  want(stage, "535.129.03", "");
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 10min));
}

// A taint that comes between the cordon and the swap: the old driver still serves.
TEST_F(UnschedulableTest, ANodeIsGivenBackWhenATaintComesBeforeItsSwap) {
  Stage stage({.nodes = "nvidia=1"});
  settle(stage);
  stage.run_training("train", 1, 8);
  stage.create_budget("train", 1);
  stage.world.run_for(1min);
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.is_cordoned("nvidia-1"); }, 10min));
  json::Array taints = json::array_at(*stage.node("nvidia-1"), {"spec", "taints"});
  taints.push_back(parsed(R"({"key": "team", "effect": "NoSchedule"})"));
  stage.patch_node("nvidia-1", json::text_of(json::Members{{"spec", json::Members{{"taints", taints}}}}));
  EXPECT_TRUE(stage.world.run_until([&] { return !stage.is_cordoned("nvidia-1"); }, 1min));
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_EQ(stage.state("nvidia-1"), "upgrade-required");
}

// A change that the driver is not made of takes no driver away.
TEST_F(UnschedulableTest, AnotherTemplateReplacesNoDriverThatRuns) {
  Stage stage;
  settle(stage);
  std::vector<std::string> deleted;
  const int subscription = stage.world.server().store().subscribe([&](const sim::Commit& commit) {
    if (commit.resource == "pods" && commit.kind == sim::Commit::Kind::Removed)
      deleted.emplace_back(kube::name_of(*commit.after));
  });
  want(stage, "535.129.03", "1");
  stage.world.run_for(10min);
  EXPECT_THAT(deleted, IsEmpty());
  stage.world.server().store().unsubscribe(subscription);
}

}  // namespace
}  // namespace drover::operate
