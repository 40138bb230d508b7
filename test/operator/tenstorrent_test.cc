// Tenstorrent's upgrades on the embedded cluster: the operator and, on each machine, the real agent.
#include <gmock/gmock.h>

#include "operator/tenstorrent_stage.h"
#include "vendors/tenstorrent/words.h"

namespace drover::operate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kFirst = "tenstorrent-1";

TEST(Tenstorrent, TheFirstDriverIsInstalledWithoutTakingAnybodyAway) {
  TenstorrentStage stage;
  stage.settle("2.7.0");
  EXPECT_THAT(stage.ever_cordoned, IsEmpty());
  EXPECT_EQ(stage.counted("ready"), 3);
  EXPECT_EQ(stage.counted("upToDate"), 3);
  EXPECT_EQ(stage.told_of(kFirst), "Done/Ready");
  EXPECT_EQ(kube::label_of(*stage.node(kFirst), vendors::kKmdVersionLabel), "2.7.0");
}

TEST(Tenstorrent, AnUpgradeGoesOneNodeAtATimeAndLeavesNothingBehind) {
  TenstorrentStage stage;
  stage.settle("2.7.0");
  stage.run_work("train", 3, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  EXPECT_EQ(stage.most_cordoned, 1U);
  EXPECT_EQ(stage.ever_cordoned.size(), 3U);
  EXPECT_THAT(stage.troubles, IsEmpty());
  stage.world.run_for(1min);
  for (const std::string& name : stage.names()) {
    EXPECT_FALSE(stage.is_cordoned(name)) << name;
    EXPECT_EQ(stage.gate_on(name), "absent") << name;
    EXPECT_EQ(stage.order_on(name), "") << name;
    EXPECT_THAT(json::array_at(*stage.node(name), {"spec", "taints"}), IsEmpty()) << name;
    EXPECT_EQ(kube::annotation_of(*stage.node(name), "driver.tenstorrent.com/cordoned-by"), "") << name;
    EXPECT_EQ(stage.builder_pods_made[name], 2) << name;
  }
  EXPECT_EQ(stage.counted("ready"), 3);
}

TEST(Tenstorrent, ADowngradeIsTheSame) {
  TenstorrentStage stage(1);
  stage.settle("2.8.0");
  stage.want("2.7.0");
  ASSERT_TRUE(stage.run_until_loaded("2.7.0")) << stage.told();
  stage.want("2.8.0");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
}

TEST(Tenstorrent, TheNextDriverIsBuiltBeforeTheNodeIsTouched) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.is_cordoned(kFirst); }, 10min));
  EXPECT_TRUE(stage.kubelets.host(kFirst)->exists("/var/cache/tt-kmd/6.8.0-90-generic/2.8.0/tenstorrent.ko"));
  const base::Instant away_at = stage.world.loop.now();
  ASSERT_TRUE(stage.run_until_loaded("2.8.0"));
  EXPECT_LT(stage.world.loop.now() - away_at, 30s) << "it is away only for drain, unload and load";
}

TEST(Tenstorrent, ANodeWhoseBuildFailsIsNeverCordoned) {
  TenstorrentStage stage;
  stage.settle("2.7.0");
  stage.kubelets.host(kFirst)->set_fault(sim::HostFault::MakeFails, true);
  stage.want("2.8.0");
  stage.world.run_for(20min);
  EXPECT_FALSE(stage.ever_cordoned.contains(kFirst));
  EXPECT_EQ(stage.loaded_on(kFirst), "2.7.0");
  EXPECT_EQ(stage.told_of(kFirst), "Pending/CannotPrepare");
  EXPECT_EQ(stage.loaded_on("tenstorrent-2"), "2.8.0") << "the others go on";
  EXPECT_EQ(stage.loaded_on("tenstorrent-3"), "2.8.0");
  stage.kubelets.host(kFirst)->set_fault(sim::HostFault::MakeFails, false);
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
}

TEST(Tenstorrent, AGateThatAUserHadSetIsPutBackAsItWas) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0");
  stage.patch_node("tenstorrent-1", fmt::format(R"({{"metadata": {{"labels": {{"{}": "true"}}}}}})", kGate));
  stage.patch_node("tenstorrent-2", fmt::format(R"({{"metadata": {{"labels": {{"{}": "false"}}}}}})", kGate));
  stage.want("2.8.0");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  EXPECT_THAT(stage.troubles, IsEmpty());
  EXPECT_EQ(stage.gate_on("tenstorrent-1"), "true");
  EXPECT_EQ(stage.gate_on("tenstorrent-2"), "false");
}

TEST(Tenstorrent, WhoHoldsTheDeviceStopsTheRolloutUntilHeLeaves) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0");
  const int pid = stage.hold_device(kFirst);
  stage.want("2.8.0");
  stage.world.run_for(45min);
  EXPECT_EQ(stage.loaded_on(kFirst), "2.7.0");
  EXPECT_EQ(stage.told_of(kFirst), "Failed/BuilderCrashLoop");
  EXPECT_THAT(stage.told(), HasSubstr("tt-smi"));
  EXPECT_EQ(stage.counted("failed"), 1);
  EXPECT_EQ(stage.loaded_on("tenstorrent-2"), "2.7.0") << "the rollout waits";
  stage.kubelets.host(kFirst)->close(pid);
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
}

TEST(Tenstorrent, ForceUnloadReplacesTheBlockedPodAndNoOther) {
  TenstorrentStage stage(3);
  stage.settle("2.7.0");
  stage.hold_device(kFirst);
  stage.want("2.8.0");
  stage.world.run_for(10min);
  const auto before = stage.builder_pods_made;
  stage.patch(R"({"spec": {"upgradePolicy": {"forceUnload": true}}})");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  EXPECT_EQ(stage.builder_pods_made[kFirst], before.at(kFirst) + 1);
  stage.world.run_for(10min);
  EXPECT_EQ(stage.builder_pods_made["tenstorrent-3"], 2) << "one for each version";
}

TEST(Tenstorrent, AnotherImageReplacesPodsOneByOneAndTouchesNoDriver) {
  TenstorrentStage stage;
  stage.settle("2.7.0");
  int loads = 0;
  for (const std::string& name : stage.names()) {
    auto& heard = stage.kubelets.host(name)->on_module;
    heard = [&loads, before = heard](const std::string& module, const std::string& version, bool is_loaded) {
      before(module, version, is_loaded);
      ++loads;
    };
  }
  stage.kill_operator();
  stage.builder_image = "drover:2";
  stage.start();
  std::size_t most_away = 0;
  for (int i = 0; i < 6000; ++i) {
    stage.world.run_for(100ms);
    std::size_t away = 0;
    for (const std::string& name : stage.names()) away += stage.pod_on(name) ? 0 : 1;
    most_away = std::max(most_away, away);
  }
  for (const std::string& name : stage.names()) {
    EXPECT_EQ(stage.builder_pods_made[name], 2) << name;
    EXPECT_THAT(json::text_of(*stage.pod_on(name)), HasSubstr("drover:2"));
  }
  EXPECT_EQ(most_away, 1U);
  EXPECT_EQ(loads, 0);
  EXPECT_THAT(stage.ever_cordoned, IsEmpty());
}

TEST(Tenstorrent, APauseIsToldToEveryNodeAndTakesNoneAway) {
  TenstorrentStage stage;
  stage.settle("2.7.0");
  stage.patch(R"({"spec": {"paused": true}})");
  stage.want("2.8.0");
  stage.world.run_for(10min);
  for (const std::string& name : stage.names()) EXPECT_THAT(stage.order_on(name), HasSubstr("\"paused\":true"));
  EXPECT_THAT(stage.ever_cordoned, IsEmpty());
  EXPECT_TRUE(stage.all_loaded("2.7.0"));
  stage.delete_pod(kFirst);
  stage.world.run_for(5min);
  EXPECT_EQ(stage.loaded_on(kFirst), "2.7.0") << "a pod that comes back meanwhile loads nothing else";
  stage.patch(R"({"spec": {"paused": false}})");
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  for (const std::string& name : stage.names()) EXPECT_EQ(stage.order_on(name), "");
}

TEST(Tenstorrent, APolicyThatIsBornPausedLoadsNothing) {
  TenstorrentStage stage;
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.7.0", R"(, "paused": true)")));
  stage.start();
  stage.world.run_for(10min);
  EXPECT_TRUE(stage.all_loaded(""));
  EXPECT_TRUE(stage.pod_on(kFirst)) << "its agent looks at the machine meanwhile";
  stage.patch(R"({"spec": {"paused": false}})");
  EXPECT_TRUE(stage.run_until_loaded("2.7.0")) << stage.told();
  EXPECT_THAT(stage.ever_cordoned, IsEmpty());
}

TEST(Tenstorrent, AnotherVersionRightAfterALoadReplacesNoPodOutOfTurn) {
  TenstorrentStage stage;
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.7.0", "")));
  stage.start();
  ASSERT_TRUE(stage.world.run_until([&] { return stage.all_loaded("2.7.0"); }, 10min));
  stage.world.run_for(500ms);  // the agents have said so, the kubelets' probes have not
  const auto pods = [&] {
    std::vector<std::string> uids;
    for (const std::string& name : stage.names()) uids.emplace_back(kube::uid_of(*stage.pod_on(name)));
    return uids;
  };
  const auto before = pods();
  stage.want("2.8.0");
  stage.world.run_for(20s);
  EXPECT_EQ(pods(), before) << "they prepare the next driver while they serve";
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
}

TEST(Tenstorrent, ADrainThatTakesTooLongGivesTheNodeBack) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 60}})");
  stage.run_work("train", 1, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.create_budget("train", 1);
  stage.want("2.8.0");
  stage.world.run_for(10min);
  EXPECT_EQ(stage.told_of(kFirst), "Failed/DrainTimeout");
  EXPECT_FALSE(stage.is_cordoned(kFirst));
  EXPECT_EQ(stage.gate_on(kFirst), "absent");
  EXPECT_EQ(stage.loaded_on(kFirst), "2.7.0");
  EXPECT_EQ(stage.counted("failed"), 1);
}

TEST(Tenstorrent, ADrainThatTookTooLongIsNotTriedAgainBecauseAPodGoesOnAsking) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 60}})");
  stage.run_work("train", 1, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.create_budget("train", 1);
  stage.want("2.8.0");
  stage.delete_pod(kFirst);  // the one that comes asks to load
  stage.world.run_for(10min);
  EXPECT_EQ(stage.told_of(kFirst), "Failed/DrainTimeout");
  EXPECT_FALSE(stage.is_cordoned(kFirst));
  EXPECT_EQ(stage.loaded_on(kFirst), "2.7.0");
  stage.delete_pod(kFirst);
  EXPECT_TRUE(stage.world.run_until([&] { return stage.is_cordoned(kFirst); }, 5min)) << "that is another try";
}

TEST(Tenstorrent, WithoutDrainANodeStaysOpenAndOnlyItsGatesClose) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0", R"(, "upgradePolicy": {"drain": {"enable": false}})");
  stage.run_work("web", 1);
  bool gate_was_closed = false;
  stage.want("2.8.0");
  for (int i = 0; i < 3000 && !stage.is_over("2.8.0"); ++i) {
    stage.world.run_for(100ms);
    gate_was_closed = gate_was_closed || stage.gate_on(kFirst) == "false";
  }
  EXPECT_TRUE(stage.is_over("2.8.0")) << stage.told();
  EXPECT_TRUE(gate_was_closed);
  EXPECT_THAT(stage.ever_cordoned, IsEmpty());
}

class Unwinding : public ::testing::TestWithParam<const char*> {};

// A rollout that is broken off while a budget holds its first node's pods.
TEST_P(Unwinding, LeavesNothingOnTheNode) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 0}})");
  stage.run_work("train", 2, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.create_budget("train", 2);
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.most_cordoned > 0; }, 10min));
  stage.world.run_for(1min);
  const std::string name = *stage.ever_cordoned.begin();
  ASSERT_EQ(stage.phase_on(name), "drain");
  const std::string_view how = GetParam();
  if (how == "deleted") stage.ask(kube::remove(kDriverPolicies, "", "default", ""));
  if (how == "deselected") stage.patch(R"({"spec": {"nodeAffinity": {"matchLabels": {"pool": "none"}}}})");
  if (how == "put back") stage.want("2.7.0");
  if (how == "skipped") stage.patch_node(name, R"({"metadata": {"labels": {"driver.tenstorrent.com/skip": "true"}}})");
  if (how == "hosts own") {
    ASSERT_TRUE(stage.kubelets.host(name)->write("/var/lib/dkms/tenstorrent/x", ""));
  }
  stage.world.run_for(2min);
  EXPECT_FALSE(stage.is_cordoned(name));
  EXPECT_EQ(stage.gate_on(name), "absent");
  EXPECT_FALSE(stage.claim_on(name));
  EXPECT_EQ(stage.order_on(name), "");
  EXPECT_EQ(stage.loaded_on(name), "2.7.0") << "the driver stays";
}
INSTANTIATE_TEST_SUITE_P(Tenstorrent, Unwinding,
                         ::testing::Values("deleted", "deselected", "put back", "skipped", "hosts own"));

TEST(Tenstorrent, APolicyThatIsDeletedAfterTheSwapBeganLeavesADriverAndNoCordon) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.phase_on(kFirst) == "restart"; }, 10min));
  stage.ask(kube::remove(kDriverPolicies, "", "default", ""));
  stage.world.run_for(3min);
  EXPECT_FALSE(stage.is_cordoned(kFirst));
  EXPECT_EQ(stage.gate_on(kFirst), "absent");
  EXPECT_NE(stage.loaded_on(kFirst), "");
}

TEST(Tenstorrent, ADriverThatDoesNotLoadIsPutBackAndTriedAgainByANewPod) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0");
  stage.want("2.8.0");
  // The kernel refuses the new one only.
  sim::SimHost& machine = *stage.kubelets.host(kFirst);
  machine.on_module = [&machine, before = machine.on_module](const std::string& module, const std::string& version,
                                                             bool is_loaded) {
    before(module, version, is_loaded);
    if (!is_loaded && version == "2.7.0") machine.set_fault(sim::HostFault::LoadFails, true);
  };
  const auto has_failed = [&] {
    return machine.read("/var/cache/tt-kmd/state.json").value_or("").find("rejected") != std::string::npos;
  };
  ASSERT_TRUE(stage.world.run_until(has_failed, 10min));
  machine.set_fault(sim::HostFault::LoadFails, false);
  stage.world.run_for(5min);
  EXPECT_THAT(stage.told_of(kFirst), ::testing::StartsWith("Failed/")) << stage.told();
  EXPECT_TRUE(stage.is_cordoned(kFirst)) << "held for a person";
  EXPECT_EQ(stage.loaded_on(kFirst), "2.7.0");
  EXPECT_EQ(stage.loaded_on("tenstorrent-2"), "2.7.0") << "the version failed: no other node starts";
  machine.on_module = {};
  stage.delete_pod(kFirst);
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  EXPECT_FALSE(stage.is_cordoned(kFirst));
}

TEST(Tenstorrent, ANodeThatTheHostManagesIsLeftAloneAndTakenOverWhenItIsVacated) {
  TenstorrentStage stage(2);
  sim::SimHost& machine = *stage.kubelets.host(kFirst);
  ASSERT_TRUE(machine.write("/var/lib/dkms/tenstorrent/2.6.0/source", "x"));
  ASSERT_TRUE(machine.insert("tenstorrent", "2.6.0"));
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.8.0")));
  stage.start();
  stage.world.run_for(10min);
  EXPECT_EQ(stage.told_of(kFirst), "HostManaged/HostManagedKMD");
  EXPECT_EQ(stage.loaded_on(kFirst), "2.6.0");
  EXPECT_EQ(stage.counted("ready"), 1);
  EXPECT_EQ(kube::label_of(*stage.node(kFirst), vendors::kInstallModeLabel), "host");
  ASSERT_TRUE(machine.remove_tree("/var/lib/dkms/tenstorrent"));
  ASSERT_TRUE(machine.unload("tenstorrent"));
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  stage.world.run_for(1min);
  EXPECT_EQ(kube::label_of(*stage.node(kFirst), vendors::kInstallModeLabel), "container");
  EXPECT_THAT(stage.ever_cordoned, UnorderedElementsAre(kFirst)) << "a takeover goes like an upgrade";
  EXPECT_EQ(stage.counted("ready"), 2);
}

TEST(Tenstorrent, ANodeOfTwoPoliciesBelongsToTheOlder) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0");
  stage.ask(kube::create(
      kDriverPolicies, "",
      driver_policy("2.8.0", "", R"("nodeAffinity": {"matchLabels": {"kubernetes.io/os": "linux"}})", "younger")));
  stage.world.run_for(10min);
  EXPECT_TRUE(stage.all_loaded("2.7.0"));
  EXPECT_THAT(stage.ever_cordoned, IsEmpty());
  EXPECT_EQ(stage.builder_pods_made[kFirst], 1) << "no node has two builders";
  EXPECT_THAT(json::text_of(stage.status("younger")), HasSubstr("SelectedTwice"));
  stage.ask(kube::remove(kDriverPolicies, "", "default", ""));
  EXPECT_TRUE(stage.run_until_loaded("2.8.0")) << json::text_of(stage.status("younger"));
}

TEST(Tenstorrent, ANodeThatAPersonCordonedStaysCordoned) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0");
  stage.patch_node(kFirst, R"({"spec": {"unschedulable": true}})");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  stage.world.run_for(1min);
  EXPECT_TRUE(stage.is_cordoned(kFirst));
}

TEST(Tenstorrent, ARecordThatIsLostInTheMiddleStrandsNoNode) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 0}})");
  stage.run_work("train", 1, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.create_budget("train", 1);
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.is_cordoned(kFirst); }, 10min));
  stage.patch_node(kFirst, R"({"metadata": {"annotations": {"drover.dev/record": null}}})");
  stage.world.run_for(1min);
  stage.want("2.7.0");
  stage.world.run_for(2min);
  EXPECT_FALSE(stage.is_cordoned(kFirst));
  EXPECT_EQ(stage.gate_on(kFirst), "absent");
}

TEST(Tenstorrent, WithoutAnythingToDoNothingIsWritten) {
  TenstorrentStage stage;
  stage.settle("2.7.0");
  stage.want("2.8.0");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0"));
  stage.world.run_for(2min);
  const auto marks = [&] {
    std::string text = json::text_of(stage.status());
    for (const std::string& name : stage.names())
      text += json::text_of(*json::find(*stage.node(name), {"metadata", "annotations"})) +
              json::text_of(*json::find(*stage.node(name), {"metadata", "labels"}));
    return text;
  };
  const std::string before = marks();
  stage.world.run_for(20min);
  EXPECT_EQ(marks(), before);
}

}  // namespace
}  // namespace drover::operate::testing
