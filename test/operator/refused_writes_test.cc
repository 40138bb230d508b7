// Writes that the API server refuses: the node says so, the others go on, and it goes on by itself once it may.
#include <gmock/gmock.h>

#include "operator/metrics.h"
#include "operator/patchy_api.h"
#include "operator/tenstorrent_stage.h"

namespace drover::operate::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kProtected = "nvidia-1";
constexpr const char* kOther = "nvidia-2";

bool patches_node(const kube::Request& request, std::string_view name) {
  return request.verb == kube::Verb::Patch && request.resource == kube::kNodes && request.name == name;
}
bool cordons(const kube::Request& request, std::string_view name) {
  return patches_node(request, name) && json::flag_at(request.body, {"spec", "unschedulable"});
}
bool uncordons(const kube::Request& request) {
  const json::Value* unschedulable = json::find(request.body, {"spec", "unschedulable"});
  return request.resource == kube::kNodes && unschedulable != nullptr && unschedulable->is_null();
}

class ARefusedWrite : public ::testing::Test {
 protected:
  void settle(std::string_view upgrade = "") {
    stage.create_policy(cluster_policy("535.129.03", upgrade));
    stage.start_operator(door);
    ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  }
  // "True/WriteRefused: …"
  std::string condition(std::string_view type) {
    const sim::Stored policy = stage.policy();
    for (const json::Value& one : json::array_at(*policy, {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == type)
        return fmt::format("{}/{}: {}", json::text_at(one, {"status"}), json::text_at(one, {"reason"}),
                           json::text_at(one, {"message"}));
    }
    return "none";
  }
  // "WriteRefused the API server …"
  std::string told_of(std::string_view name) {
    const sim::Stored policy = stage.policy();
    for (const json::Value& row : json::array_at(*policy, {"status", "nodes"})) {
      if (json::text_at(row, {"name"}) == name)
        return fmt::format("{} {}", json::text_at(row, {"code"}), json::text_at(row, {"reason"}));
    }
    return "none";
  }
  int warnings_about(std::string_view name) {
    int count = 0;
    stage.world.store().each("events", "default", [&](const sim::Stored& event) {
      const bool is_it = json::text_at(*event, {"involvedObject", "name"}) == name &&
                         json::text_at(*event, {"message"}).starts_with("the API server refuses a write");
      if (is_it) count += static_cast<int>(json::int_at(*event, {"count"}, 1));
    });
    return count;
  }

  Stage stage{{.nodes = "nvidia=2"}};
  PatchyApi door{stage.luck, stage.world.loop};
};

TEST_F(ARefusedWrite, OfTheCordonIsTheNodesReasonAndKeepsNoOtherNodeWaiting) {
  ASSERT_NO_FATAL_FAILURE(settle());
  door.refuses = [](const kube::Request& request) { return cordons(request, kProtected); };
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until(
      [&] { return stage.driver_on(kOther) == "550.54.15" && stage.state(kOther) == "upgrade-done"; }, 10min))
      << told_of(kOther);
  stage.world.run_for(1min);
  EXPECT_FALSE(stage.is_cordoned(kProtected));
  EXPECT_EQ(stage.driver_on(kProtected), "535.129.03");
  EXPECT_THAT(told_of(kProtected), AllOf(StartsWith("WriteRefused the API server refuses a write: patch nodes/"),
                                         HasSubstr("ValidatingAdmissionPolicy 'keep'")));
  EXPECT_THAT(condition("Blocked"), AllOf(StartsWith("True/WriteRefused: nvidia-1: "), HasSubstr("'keep'")));
  EXPECT_THAT(condition("Progressing"), StartsWith("False/Blocked"));
  EXPECT_EQ(warnings_about(kProtected), 1);
  EXPECT_THAT(metrics_text(readings_of(*stage.drover, 0)),
              HasSubstr("drover_nodes_by_reason{vendor=\"nvidia\",reason=\"WriteRefused\"} 1\n"));
}

TEST_F(ARefusedWrite, IsTriedAgainNowAndThenAndGoesOnOnceItMay) {
  ASSERT_NO_FATAL_FAILURE(settle());
  door.refuses = [](const kube::Request& request) { return cordons(request, kProtected); };
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.state(kOther) == "upgrade-done" && door.refused > 0; }, 20min));
  stage.world.run_for(1min);
  const int before = door.refused;
  stage.world.run_for(10min);
  EXPECT_GE(door.refused - before, 10);
  EXPECT_LE(door.refused - before, 20);
  EXPECT_THAT(condition("Blocked"), StartsWith("True/WriteRefused"));
  door.refuses = nullptr;
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on(kProtected) == "550.54.15"; }, 10min));
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.world.run_for(10s);
  EXPECT_THAT(condition("Blocked"), StartsWith("False/"));
}

TEST_F(ARefusedWrite, LetsNoMoreNodesAwayThanMayBe) {
  ASSERT_NO_FATAL_FAILURE(settle());
  // Refused for a moment only: its turn comes again while the other one is away.
  door.refuses = [&](const kube::Request& request) { return cordons(request, kProtected) && door.refused < 1; };
  stage.set_version("550.54.15");
  int most = 0;
  const auto is_over = [&] {
    most = std::max(most, (stage.is_cordoned(kProtected) ? 1 : 0) + (stage.is_cordoned(kOther) ? 1 : 0));
    return stage.driver_on(kProtected) == "550.54.15" && stage.driver_on(kOther) == "550.54.15" &&
           stage.all("upgrade-done");
  };
  EXPECT_TRUE(stage.world.run_until(is_over, 30min));
  EXPECT_EQ(most, 1);
}

TEST_F(ARefusedWrite, OfTheUncordonIsToldOfTheNodeThatCannotComeBack) {
  ASSERT_NO_FATAL_FAILURE(settle());
  door.refusal = base::Fault::Kind::Forbidden;
  door.refuses = uncordons;
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.refused > 2; }, 20min));
  stage.world.run_for(10s);
  EXPECT_THAT(condition("Blocked"), StartsWith("True/WriteRefused"));
  EXPECT_THAT(condition("Progressing"), StartsWith("False/Blocked"));
  door.refuses = nullptr;
  EXPECT_TRUE(stage.world.run_until(
      [&] {
        return stage.driver_on(kProtected) == "550.54.15" && stage.driver_on(kOther) == "550.54.15" &&
               stage.all("upgrade-done");
      },
      30min));
}

TEST_F(ARefusedWrite, OfAnEvictionIsTold) {
  ASSERT_NO_FATAL_FAILURE(settle(R"("gpuPodDeletion": {"timeoutSeconds": 0})"));
  stage.run_training("train", 2, 8);
  stage.world.run_for(1min);
  door.refusal = base::Fault::Kind::Forbidden;
  door.refuses = [](const kube::Request& request) { return request.subresource == "eviction"; };
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.refused > 2; }, 20min));
  stage.world.run_for(10s);
  EXPECT_THAT(condition("Blocked"), AllOf(StartsWith("True/WriteRefused"), HasSubstr("evict pods/ml/train")));
}

// 500: failed calling webhook "nodes.example.com": connection refused.
TEST_F(ARefusedWrite, IsAlsoOneOverWhichTheServerBreaksAgainAndAgain) {
  ASSERT_NO_FATAL_FAILURE(settle());
  door.refusal = base::Fault::Kind::Failed;
  door.refuses = [](const kube::Request& request) { return cordons(request, kProtected) || cordons(request, kOther); };
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.refused >= 8; }, 20min));
  stage.world.run_for(10s);
  EXPECT_THAT(told_of(kProtected), StartsWith("WriteRefused the API server refuses a write: patch nodes/"));
  EXPECT_THAT(condition("Blocked"), StartsWith("True/WriteRefused"));
  door.refuses = nullptr;
  EXPECT_TRUE(stage.run_until_all("upgrade-done", 20min));
}

TEST_F(ARefusedWrite, IsForgottenWhenNothingIsWantedAnyMore) {
  ASSERT_NO_FATAL_FAILURE(settle());
  door.refuses = [](const kube::Request& request) { return cordons(request, kProtected) || cordons(request, kOther); };
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return door.refused > 2; }, 20min));
  stage.set_version("535.129.03");
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 5min));
  stage.world.run_for(10s);
  EXPECT_THAT(condition("Blocked"), StartsWith("False/"));
}

// ---- what brings the driver

TEST(AMissingNamespace, IsNamedBeforeAnythingElse) {
  Stage stage({.nodes = "nvidia=2", .ns = "elsewhere"});
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  stage.world.run_for(20s);
  std::string said = json::text_of(*json::find(*stage.policy(), {"status", "conditions"}));
  EXPECT_THAT(said, AllOf(HasSubstr("\"NamespaceMissing\""), HasSubstr("kubectl create namespace gpu-operator")));
  const std::string nodes = json::text_of(*json::find(*stage.policy(), {"status", "nodes"}));
  EXPECT_THAT(nodes, AllOf(HasSubstr("\"code\":\"NamespaceMissing\""), HasSubstr("nvidia-2")));
  stage.ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", "gpu-operator"}}}}));
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.world.run_for(10s);
  said = json::text_of(*json::find(*stage.policy(), {"status", "conditions"}));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("NamespaceMissing")));
}

TEST(ADaemonSetThatIsRefused, KeepsNodesFromBeingTaken) {
  Stage stage({.nodes = "nvidia=2"});
  PatchyApi door(stage.luck, stage.world.loop);
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator(door);
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  door.refuses = [](const kube::Request& request) { return request.resource == kube::kDaemonSets; };
  stage.set_version("550.54.15");
  for (int i = 0; i < 300; ++i) {
    stage.world.run_for(1s);
    ASSERT_FALSE(stage.is_cordoned(kProtected) || stage.is_cordoned(kOther));
  }
  EXPECT_THAT(json::text_of(*json::find(*stage.policy(), {"status", "nodes"})),
              HasSubstr("\"code\":\"OperandRefused\""));
  door.refuses = nullptr;
  EXPECT_TRUE(stage.world.run_until(
      [&] { return stage.driver_on(kOther) == "550.54.15" && stage.driver_on(kProtected) == "550.54.15"; }, 30min));
}

// Only admission of the pods that its DaemonSet makes speaks of it, and only to that DaemonSet's controller.
TEST(AMissingServiceAccount, IsNamed) {
  TenstorrentStage stage(1);
  stage.world.server().furnish("ca");
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.7.0")));
  stage.start();
  stage.world.run_for(2min);
  EXPECT_FALSE(stage.pod_on("tenstorrent-1"));
  EXPECT_THAT(stage.told(), AllOf(HasSubstr("\"ServiceAccountMissing\""), HasSubstr("drover-agent")));
  EXPECT_EQ(stage.told_of("tenstorrent-1"), "Upgrading/ServiceAccountMissing");
  stage.ask(kube::create(kube::kServiceAccounts, std::string(kTenstorrentNamespace),
                         {{"metadata", {{"name", "drover-agent"}}}}));
  EXPECT_TRUE(stage.run_until_loaded("2.7.0", 30min)) << stage.told();
  stage.world.run_for(1min);
  EXPECT_EQ(stage.told_of("tenstorrent-1"), "Done/Ready");
}

}  // namespace
}  // namespace drover::operate::testing
