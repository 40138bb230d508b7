// Several NVIDIADrivers in one cluster: whose a node is, and what it costs when that changes.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "operator/stage.h"

namespace drover::operate::testing {
namespace {

constexpr std::string_view kWithoutController = R"(, "upgradePolicy": {"autoUpgrade": false})";
constexpr std::string_view kOwner = "nvidia.com/gpu-operator.driver.owner";

class NvidiaDrivers : public ::testing::Test {
 protected:
  // `spec` are further members as JSON text.
  void create(std::string_view name, std::string_view version, std::string_view spec) {
    stage.ask(kube::create(kNvidiaDrivers, "",
                           parsed(fmt::format(R"({{"metadata": {{"name": "{}"}}, "spec": {{
        "version": "{}", "startupProbe": {{"initialDelaySeconds": 0, "periodSeconds": 1}}, {}}}}})",
                                              name, version, spec))));
  }
  void change(const std::string& name, std::string_view spec) {
    stage.ask(kube::patch(kNvidiaDrivers, "", name, kube::PatchKind::Merge,
                          parsed(fmt::format(R"({{"spec": {{{}}}}})", spec))));
  }
  void put_into(const std::string& node, std::string_view pool) {
    stage.patch_node(node, fmt::format(R"({{"metadata": {{"labels": {{"pool": "{}"}}}}}})", pool));
  }
  // Two of them, with two nodes each; `more` are further members of both as JSON text.
  void make_two_pools(std::string_view more = "") {
    for (const char* node : {"nvidia-1", "nvidia-2"}) put_into(node, "a");
    for (const char* node : {"nvidia-3", "nvidia-4"}) put_into(node, "b");
    create("a", "535.129.03", fmt::format(R"("nodeSelector": {{"pool": "a"}}{})", more));
    create("b", "550.54.15", fmt::format(R"("nodeSelector": {{"pool": "b"}}{})", more));
    stage.start_operator();
    const auto has_driver = [&](const std::string& node) { return !stage.driver_on(node).empty(); };
    ASSERT_TRUE(stage.run_until_all(more.empty() ? "upgrade-done" : ""));
    const std::vector<std::string> nodes = stage.names();
    ASSERT_TRUE(stage.world.run_until([&] { return std::all_of(nodes.begin(), nodes.end(), has_driver); }, 1h));
    stage.world.run_for(more.empty() ? 0s : 30s);
  }
  std::string owner(std::string_view node) { return std::string(kube::label_of(*stage.node(node), kOwner)); }
  json::Value status(std::string_view name) {
    const sim::Stored driver = stage.world.store().find("nvidiadrivers.nvidia.com", name);
    return driver == nullptr ? json::Value() : *json::find(*driver, {"status"});
  }
  // Status, reason and message of a condition, in one line.
  std::string condition(std::string_view name, std::string_view type) {
    const json::Value said = status(name);
    for (const json::Value& one : json::array_at(said, {"conditions"})) {
      if (json::text_at(one, {"type"}) != type) continue;
      return fmt::format("{} {}: {}", json::text_at(one, {"status"}), json::text_at(one, {"reason"}),
                         json::text_at(one, {"message"}));
    }
    return "";
  }
  std::string driver_pod_on(std::string_view node) {
    std::string uid;
    for (const sim::Stored& pod : stage.world.store().pods_on(node)) {
      if (kube::label_of(*pod, "app") == "nvidia-driver-daemonset") uid += kube::uid_of(*pod);
    }
    return uid;
  }
  int away() {
    int count = 0;
    for (const std::string& name : stage.names()) count += stage.is_cordoned(name) ? 1 : 0;
    return count;
  }

  Stage stage{{.nodes = "nvidia=4"}};
};

TEST_F(NvidiaDrivers, EachPoolHasItsOwnVersionAndItsOwnStatus) {
  make_two_pools();
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_EQ(stage.driver_on("nvidia-4"), "550.54.15");
  EXPECT_EQ(owner("nvidia-2"), "a");
  EXPECT_EQ(owner("nvidia-3"), "b");
  stage.world.run_for(10s);
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(json::text_at(status(name), {"state"}), "ready");
    EXPECT_EQ(json::int_at(status(name), {"summary", "total"}), 2);
  }
}

TEST_F(NvidiaDrivers, AnUpgradeOfOneTouchesNoNodeOfTheOther) {
  make_two_pools();
  const std::string before = driver_pod_on("nvidia-3") + driver_pod_on("nvidia-4");
  change("a", R"("version": "570.86.15")");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-2") == "570.86.15"; }, 1h));
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  EXPECT_EQ(stage.driver_on("nvidia-1"), "570.86.15");
  EXPECT_EQ(driver_pod_on("nvidia-3") + driver_pod_on("nvidia-4"), before);
}

TEST_F(NvidiaDrivers, ANodeThatChangesHandsIsUpgradedLikeAnyOther) {
  make_two_pools();
  stage.run_training("train", 1, 8);
  stage.world.run_for(10s);
  bool lost_its_driver_while_serving = false;
  put_into("nvidia-1", "b");
  ASSERT_TRUE(stage.world.run_until(
      [&] {
        const bool serves = !stage.is_cordoned("nvidia-1");
        const bool has_driver = !stage.driver_on("nvidia-1").empty();
        lost_its_driver_while_serving = lost_its_driver_while_serving || (serves && !has_driver);
        return stage.driver_on("nvidia-1") == "550.54.15" && serves && stage.state("nvidia-1") == "upgrade-done";
      },
      1h));
  EXPECT_FALSE(lost_its_driver_while_serving);
  EXPECT_EQ(owner("nvidia-1"), "b");
  EXPECT_EQ(stage.driver_on("nvidia-2"), "535.129.03");
}

TEST_F(NvidiaDrivers, WithoutTheControllerEachRollsByItselfAndOnlyItsOwnNodes) {
  ASSERT_TRUE(sim::prefer_driver_manager(stage.kubelets.images()));
  make_two_pools(kWithoutController);
  const std::string before = driver_pod_on("nvidia-3") + driver_pod_on("nvidia-4");
  change("a", R"("version": "570.86.15")");
  ASSERT_TRUE(stage.world.run_until(
      [&] { return stage.driver_on("nvidia-1") == "570.86.15" && stage.driver_on("nvidia-2") == "570.86.15"; }, 1h));
  stage.world.run_for(1min);
  EXPECT_EQ(driver_pod_on("nvidia-3") + driver_pod_on("nvidia-4"), before);
  EXPECT_EQ(away(), 0);
  EXPECT_TRUE(stage.all(""));
}

TEST_F(NvidiaDrivers, WithoutTheControllerANodeThatChangesHandsLosesItsDriverOnce) {
  ASSERT_TRUE(sim::prefer_driver_manager(stage.kubelets.images()));
  make_two_pools(kWithoutController);
  std::set<std::string> pods;
  put_into("nvidia-1", "b");
  ASSERT_TRUE(stage.world.run_until(
      [&] {
        for (const sim::Stored& pod : stage.world.store().pods_on("nvidia-1")) {
          if (kube::label_of(*pod, "app") == "nvidia-driver-daemonset") pods.emplace(kube::uid_of(*pod));
        }
        return stage.driver_on("nvidia-1") == "550.54.15" && !stage.is_cordoned("nvidia-1");
      },
      1h));
  EXPECT_EQ(pods.size(), 2U) << "the old one and the new one";
  EXPECT_EQ(owner("nvidia-1"), "b");
  EXPECT_EQ(stage.driver_on("nvidia-2"), "535.129.03");
}

TEST_F(NvidiaDrivers, ANodeThatChangesHandsAtTheSameVersionIsNotTouched) {
  make_two_pools();
  change("b", R"("version": "535.129.03")");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-4") == "535.129.03"; }, 1h));
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  const std::string before = driver_pod_on("nvidia-1");
  put_into("nvidia-1", "b");
  stage.world.run_for(10min);
  EXPECT_EQ(owner("nvidia-1"), "b");
  EXPECT_EQ(driver_pod_on("nvidia-1"), before);
  EXPECT_EQ(stage.state("nvidia-1"), "upgrade-done");
  // And it goes on with its new owner.
  change("b", R"("version": "570.86.15")");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-1") == "570.86.15"; }, 1h));
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  EXPECT_EQ(stage.driver_on("nvidia-2"), "535.129.03");
}

TEST_F(NvidiaDrivers, ANodeThatTwoSelectStaysWithWhoeverHasItAndBothSaySo) {
  make_two_pools();
  create("c", "570.86.15", R"("nodeSelector": {"kubernetes.io/hostname": "nvidia-1"})");
  stage.world.run_for(5min);
  EXPECT_EQ(owner("nvidia-1"), "a");
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_THAT(condition("a", "NodeSelectorConflict"), ::testing::StartsWith("True SelectedTwice: nvidia-1"));
  EXPECT_THAT(condition("c", "NodeSelectorConflict"), ::testing::StartsWith("True SelectedTwice: nvidia-1"));
  EXPECT_THAT(condition("b", "NodeSelectorConflict"), ::testing::StartsWith("False"));
}

TEST_F(NvidiaDrivers, TheDefaultHasNodesThatNoneSelects) {
  make_two_pools();
  put_into("nvidia-4", "none");
  create("rest", "550.54.15", R"("default": true)");
  ASSERT_TRUE(stage.world.run_until([&] { return owner("nvidia-4") == "rest"; }, 1min));
  stage.ask(kube::remove(kNvidiaDrivers, "", "a", ""));
  ASSERT_TRUE(stage.world.run_until([&] { return owner("nvidia-1") == "rest" && owner("nvidia-2") == "rest"; }, 1min));
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-2") == "550.54.15"; }, 1h));
  create("second", "570.86.15", R"("default": true)");
  stage.world.run_for(1min);
  EXPECT_EQ(json::text_at(status("second"), {"state"}), "ignored");
  EXPECT_THAT(condition("second", "Ready"), ::testing::HasSubstr("rest is older and the default"));
}

TEST_F(NvidiaDrivers, OneThatIsSwitchedOffLosesTheLabelsOfItsNodesAlone) {
  make_two_pools();
  change("b", R"("upgradePolicy": {"autoUpgrade": false})");
  stage.world.run_for(1min);
  EXPECT_EQ(stage.state("nvidia-3"), "");
  EXPECT_EQ(stage.state("nvidia-1"), "upgrade-done");
  EXPECT_EQ(owner("nvidia-3"), "b");
}

TEST_F(NvidiaDrivers, AreUpgradedWithoutAnUpgradePolicyAsItsDefaultsSay) {
  make_two_pools();
  const sim::Stored driver = stage.world.store().find("nvidiadrivers.nvidia.com", "a");
  EXPECT_EQ(json::find(*driver, {"spec", "upgradePolicy"}), nullptr);
  change("a", R"("version": "550.54.15")");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.state("nvidia-1") == "upgrade-required"; }, 1min));
  int most = 0;
  ASSERT_TRUE(stage.world.run_until(
      [&] {
        most = std::max(most, away());
        return stage.driver_on("nvidia-1") == "550.54.15" && stage.driver_on("nvidia-2") == "550.54.15";
      },
      1h));
  EXPECT_EQ(most, 1) << "one at a time";
}

TEST_F(NvidiaDrivers, APodThatHoldsADeviceByAClaimIsEvictedBeforeTheSwap) {
  make_two_pools();
  stage.ask(kube::create(kube::kResourceClaims, "ml", parsed(R"({"metadata": {"name": "gpus"},
      "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}}})")));
  stage.ask(kube::patch(kube::kResourceClaims, "ml", "gpus", kube::PatchKind::Merge,
                        parsed(R"({"status": {"allocation": {"devices": {"results": [
                            {"request": "gpu", "driver": "gpu.nvidia.com", "pool": "p", "device": "gpu-0"}]}}}})"),
                        "status"));
  const auto run = [&](const std::string& name, std::string_view claims) {
    stage.ask(kube::create(kube::kDeployments, "ml",
                           parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}},
        "spec": {{"replicas": 1, "selector": {{"matchLabels": {{"app": "{0}"}}}},
        "template": {{"metadata": {{"labels": {{"app": "{0}"}}}},
                      "spec": {{"nodeSelector": {{"kubernetes.io/hostname": "nvidia-1"}}, {1}
                                "containers": [{{"name": "c", "image": "train:1"}}]}}}}}}}})",
                                              name, claims))));
  };
  run("by-claim", R"("resourceClaims": [{"name": "gpu", "resourceClaimName": "gpus"}],)");
  run("without", "");
  stage.world.run_for(20s);
  const auto pods_of = [&](std::string_view app) {
    std::string uids;
    for (const sim::Stored& pod : stage.world.store().pods_on("nvidia-1")) {
      if (kube::label_of(*pod, "app") == app) uids += kube::uid_of(*pod);
    }
    return uids;
  };
  const std::string by_claim = pods_of("by-claim");
  const std::string without = pods_of("without");
  ASSERT_NE(by_claim, "");
  ASSERT_NE(without, "");
  change("a", R"("version": "570.86.15")");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-1") == "570.86.15"; }, 1h));
  EXPECT_NE(pods_of("by-claim"), by_claim);
  EXPECT_EQ(pods_of("without"), without);
}

TEST_F(NvidiaDrivers, TheLastOneLeavesDriversAndTakesItsLabels) {
  make_two_pools();
  const std::string before = driver_pod_on("nvidia-1");
  for (const char* name : {"a", "b"}) stage.ask(kube::remove(kNvidiaDrivers, "", name, ""));
  stage.world.run_for(2min);
  EXPECT_EQ(stage.state("nvidia-1"), "");
  EXPECT_EQ(owner("nvidia-1"), "");
  EXPECT_EQ(driver_pod_on("nvidia-1"), before);
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
}

TEST_F(NvidiaDrivers, AreIgnoredWhileAClusterPolicySaysItAndTakeOverWhenItLetsThem) {
  stage.create_policy(cluster_policy("535.129.03"));
  create("all", "550.54.15", R"("default": true)");
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  stage.world.run_for(10s);
  EXPECT_THAT(condition("all", "Ready"), ::testing::HasSubstr("spec.driver.useNvidiaDriverCRD"));
  const std::string before = driver_pod_on("nvidia-4");
  stage.patch_policy(R"({"spec": {"driver": {"useNvidiaDriverCRD": true}}})");
  ASSERT_TRUE(stage.world.run_until([&] { return away() > 0; }, 10min)) << "no node goes without a cordon";
  EXPECT_EQ(driver_pod_on("nvidia-4"), before);
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-4") == "550.54.15"; }, 1h));
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  for (const std::string& name : stage.names()) EXPECT_EQ(stage.driver_on(name), "550.54.15");
  // And back again.
  stage.patch_policy(R"({"spec": {"driver": {"useNvidiaDriverCRD": false, "version": "570.86.15"}}})");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.driver_on("nvidia-4") == "570.86.15"; }, 1h));
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  for (const std::string& name : stage.names()) EXPECT_EQ(owner(name), "");
}

TEST(FleetWideLimit, HoldsOverAllPoliciesTogether) {
  Stage stage({.nodes = "nvidia=8"});
  for (int i = 1; i <= 8; ++i)
    stage.patch_node(fmt::format("nvidia-{}", i),
                     fmt::format(R"({{"metadata": {{"labels": {{"pool": "{}"}}}}}})", i <= 4 ? "a" : "b"));
  for (const char* name : {"a", "b"}) {
    stage.ask(kube::create(kNvidiaDrivers, "",
                           parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}}, "spec": {{
        "version": "535.129.03", "nodeSelector": {{"pool": "{0}"}},
        "startupProbe": {{"initialDelaySeconds": 0, "periodSeconds": 1}},
        "upgradePolicy": {{"maxParallelUpgrades": 0, "maxUnavailable": "100%"}}}}}})",
                                              name))));
  }
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  for (const char* name : {"a", "b"})
    stage.ask(
        kube::patch(kNvidiaDrivers, "", name, kube::PatchKind::Merge, parsed(R"({"spec": {"version": "550.54.15"}})")));
  int most = 0;
  ASSERT_TRUE(stage.world.run_until(
      [&] {
        int away = 0;
        bool is_done = true;
        for (const std::string& name : stage.names()) {
          away += stage.is_cordoned(name) ? 1 : 0;
          is_done = is_done && stage.driver_on(name) == "550.54.15";
        }
        most = std::max(most, away);
        return is_done;
      },
      1h));
  EXPECT_EQ(most, 2) << "a quarter of eight";
}

}  // namespace
}  // namespace drover::operate::testing
