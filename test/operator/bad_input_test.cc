// Bad input is named with what to do about it, and costs no node.
#include <gmock/gmock.h>

#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words
using ::testing::HasSubstr;

class BadInputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    stage.create_policy(cluster_policy("535.129.03"));
    stage.start_operator();
    ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  }
  // What the server says to a merge patch of the policy.
  std::string refusal(std::string_view merge) {
    const auto answer =
        stage.answer_to(kube::patch(kClusterPolicies, "", "cluster-policy", kube::PatchKind::Merge, parsed(merge)));
    return answer ? "accepted" : answer.error().message;
  }
  std::string upgrade(std::string_view members) {
    return refusal(fmt::format(R"({{"spec": {{"driver": {{"upgradePolicy": {}}}}}}})", members));
  }
  // "status reason: message" of a condition.
  std::string condition(std::string_view type, std::string_view policy = "cluster-policy") const {
    const sim::Stored object = stage.world.store().find("clusterpolicies.nvidia.com", policy);
    for (const json::Value& one : json::array_at(*object, {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == type) {
        return fmt::format("{} {}: {}", json::text_at(one, {"status"}), json::text_at(one, {"reason"}),
                           json::text_at(one, {"message"}));
      }
    }
    return "none";
  }
  std::string events() const {
    std::string text;
    stage.world.store().each("events", "default", [&](const sim::Stored& event) {
      text += std::string(json::text_at(*event, {"message"})) + "\n";
    });
    return text;
  }
  bool no_node_is_away() const {
    for (const std::string& name : stage.names()) {
      if (stage.is_cordoned(name)) return false;
    }
    return true;
  }

  Stage stage;
};

TEST_F(BadInputTest, IsRefusedAtAdmissionWhereTheDefinitionCanTell) {
  for (const char* share : {R"("5x")", R"("5")", R"("120%")", R"("")", "-1"}) {
    EXPECT_THAT(upgrade(fmt::format(R"({{"maxUnavailable": {}}})", share)),
                HasSubstr("a number of nodes from 0 on (5) or a share"))
        << share;
  }
  for (const char* section : {"drain", "gpuPodDeletion", "podDeletion", "waitForCompletion"}) {
    EXPECT_THAT(upgrade(fmt::format(R"({{"{}": {{"timeoutSeconds": -1}}}})", section)),
                HasSubstr("greater than or equal to 0"))
        << section;
  }
  EXPECT_THAT(upgrade(R"({"maxParallelUpgrades": -1})"), HasSubstr("greater than or equal to 0"));
  EXPECT_THAT(upgrade(R"({"podDeletion": {"force": true}, "gpuPodDeletion": {"force": false}})"),
              HasSubstr("remove one of them"));
  EXPECT_EQ(upgrade(R"({"podDeletion": {"force": true}, "gpuPodDeletion": {"force": true}})"), "accepted");
}

TEST_F(BadInputTest, ASelectorThatDoesNotParseStartsNothing) {
  for (const std::string section : {"drain", "waitForCompletion"}) {
    EXPECT_EQ(upgrade(fmt::format(R"({{"{}": {{"podSelector": "a in (b"}}}})", section)), "accepted");
    stage.set_version("550.54.15");
    stage.world.run_for(5min);
    EXPECT_TRUE(no_node_is_away());
    EXPECT_TRUE(stage.all("upgrade-required"));
    EXPECT_THAT(condition("Accepted"), HasSubstr("False FieldsCannotBeRead: "));
    EXPECT_THAT(condition("Accepted"), HasSubstr(section + ".podSelector is not a label selector"));
    EXPECT_THAT(condition("Accepted"), HasSubstr("a in (b"));
    if (section == "drain") {
      EXPECT_EQ(upgrade(R"({"drain": null, "autoUpgrade": true})"), "accepted");
      stage.set_version("535.129.03");
      EXPECT_TRUE(stage.run_until_all("upgrade-done", 10min));
    }
  }
  EXPECT_EQ(upgrade(R"({"waitForCompletion": {"podSelector": ""}})"), "accepted");
  EXPECT_TRUE(stage.world.run_until(
      [&] { return stage.all("upgrade-done") && stage.driver_on("nvidia-3") == "550.54.15"; }, 30min));
}

TEST_F(BadInputTest, OfTwoPoliciesTheOlderCountsAndTheOtherSaysSo) {
  Object other = cluster_policy("550.54.15");
  other.at("metadata").as_object()["name"] = "another";
  stage.world.run_for(2s);
  stage.create_policy(other);
  stage.world.run_for(5min);
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_THAT(condition("Ready", "another"),
              HasSubstr("policy cluster-policy is older and counts; delete one of the two"));
}

TEST_F(BadInputTest, AnUnknownLabelIsRestoredFromTheRecord) {
  stage.patch_node("nvidia-1", R"({"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade-state": "maybe"}}})");
  stage.world.run_for(10s);
  EXPECT_EQ(stage.state("nvidia-1"), "upgrade-done");
  EXPECT_THAT(events(), HasSubstr("Restored state label to "));
}

TEST_F(BadInputTest, WithoutARecordSuchALabelIsLeftAlone) {
  stage.kill_operator();
  stage.patch_node("nvidia-1", R"({"metadata": {"labels": {"nvidia.com/gpu-driver-upgrade-state": "maybe"},
                                    "annotations": {"drover.dev/record": null}}})");
  stage.set_version("550.54.15");
  stage.start_operator();
  stage.world.run_for(10min);
  EXPECT_EQ(stage.state("nvidia-1"), "maybe");
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_EQ(stage.driver_on("nvidia-2"), "550.54.15");
  const std::string status = json::text_of(*json::find(*stage.policy(), {"status", "nodes"}));
  EXPECT_THAT(status, HasSubstr("remove the label to have the state determined again"));
}

TEST_F(BadInputTest, ARecordThatIsNotJsonIsWrittenAnew) {
  stage.patch_node("nvidia-1", R"({"metadata": {"annotations": {"drover.dev/record": "{garbled"}}})");
  stage.world.run_for(10s);
  EXPECT_THAT(events(), HasSubstr("The annotation drover.dev/record could not be read"));
  EXPECT_EQ(kube::annotation_of(*stage.node("nvidia-1"), "drover.dev/record").find("garbled"), std::string::npos);
  EXPECT_EQ(stage.state("nvidia-1"), "upgrade-done");
  stage.set_version("550.54.15");
  EXPECT_TRUE(stage.world.run_until(
      [&] { return stage.all("upgrade-done") && stage.driver_on("nvidia-1") == "550.54.15"; }, 30min));
}

}  // namespace
}  // namespace drover::operate
