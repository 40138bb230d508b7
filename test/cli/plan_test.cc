// What a plan says, one obstacle at a time.
#include "plan_cluster.h"

#include "cli/plan_text.h"
#include "protocol/report.h"
#include "test/cli/look.h"
#include "vendors/nvidia/module.h"
#include "vendors/nvidia/words.h"

namespace drover::cli {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a cluster in few words
using ::testing::HasSubstr;

Setting quiet(std::string upgrade, std::vector<Workload> workloads) {
  Setting setting;
  setting.upgrade = std::move(upgrade);
  setting.tempo.driver = 20s;
  setting.workloads = std::move(workloads);
  return setting;
}

forecast::Forecast foreseen_on(Cluster& cluster) { return cluster.foreseen(cluster.next()); }

std::string told(const forecast::Forecast& foreseen) { return joined(plan_lines(foreseen)); }

TEST(Plan, NamesABarePodThatNoControllerMakesAgain) {
  const Setting setting = quiet("", {{.name = "lonely", .is_bare = true}});
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_FALSE(foreseen.gets_through);
  ASSERT_EQ(foreseen.obstacles.size(), 1U);
  EXPECT_EQ(foreseen.obstacles.front().kind, "bare-pod");
  EXPECT_EQ(foreseen.obstacles.front().object, "ml/lonely");
  EXPECT_THAT(told(foreseen), HasSubstr("it would get stuck: 1 node would not get the driver"));
}

TEST(Plan, NamesABudgetWithoutRoomAndWhatToDo) {
  const Setting setting = quiet(R"("podDeletion": {"timeoutSeconds": 0})", {{.name = "held", .available = 1}});
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(told(foreseen), HasSubstr("! budget ml/held on nvidia-1: it has no room (1 healthy, 1 wanted)"));
}

TEST(Plan, SaysThatABudgetIsOverruledWhenTheTimeIsOver) {
  const Setting setting = quiet(R"("podDeletion": {"timeoutSeconds": 60})", {{.name = "held", .available = 1}});
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_TRUE(foreseen.gets_through);
  EXPECT_TRUE(foreseen.forces());
  EXPECT_THAT(told(foreseen), HasSubstr("- budget ml/held"));
  EXPECT_THAT(told(foreseen), HasSubstr("deleted around its budget"));
}

TEST(Plan, NamesDaemonPodsThatComeBack) {
  const Setting setting = quiet(R"("maxParallelUpgrades": 0, "maxUnavailable": "100%")", {});
  Cluster cluster(1, setting);
  cluster.add_clinging("");
  cluster.world.run_for(1min);
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_FALSE(foreseen.gets_through);
  ASSERT_EQ(foreseen.obstacles.size(), 3U) << told(foreseen);
  for (const forecast::Obstacle& one : foreseen.obstacles) EXPECT_EQ(one.kind, "daemon-pod");
  EXPECT_THAT(told(foreseen), HasSubstr("its DaemonSet tolerates all taints and would recreate it"));
  cluster.go_on();
  EXPECT_TRUE(cluster.run_until_all("upgrade-failed", 30min));
}

TEST(Plan, NamesALimitThatOthersHaveUsedUp) {
  Setting setting = quiet(R"("maxUnavailable": 1)", {});
  setting.cordoned = "nvidia-2";
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(told(foreseen),
              HasSubstr("! limit cluster-policy: maxUnavailable reached (1 of 1); cordoned by others: nvidia-2; bring "
                        "them back, or raise maxUnavailable"));
}

TEST(Plan, NamesANodeWhoseKernelCannotUnload) {
  const Setting setting = quiet("", {});
  Cluster cluster(1, setting);
  const std::string boot(json::text_at(*cluster.node("nvidia-2"), {"status", "nodeInfo", "bootID"}));
  const protocol::Report report{.boot = boot, .can_unload = false, .message = "no CONFIG_MODULE_UNLOAD"};
  cluster.ask(
      kube::patch(kube::kNodes, "", "nvidia-2", kube::PatchKind::Merge,
                  {{"metadata", {{"annotations", {{vendors::kNvidiaDriverChannel.report, text_of(report)}}}}}}));
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(told(foreseen),
              HasSubstr("! kernel nvidia-2: its kernel cannot unload the driver (no CONFIG_MODULE_UNLOAD)"));
}

TEST(Plan, NamesANodeThatTheNewDriversPodWouldNotFit) {
  const Setting setting = quiet("", {});
  Cluster cluster(1, setting);
  cluster.patch_node("nvidia-2", R"({"spec": {"taints": [{"key": "team", "effect": "NoSchedule"}]}})");
  const forecast::Forecast foreseen = foreseen_on(cluster);
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(told(foreseen),
              HasSubstr("! misfit nvidia-2: a pod of the wanted driver does not fit it (it does not "
                        "tolerate the taint team:NoSchedule); until one does, the node keeps its driver"));
  cluster.go_on();
  cluster.world.run_for(30min);
  EXPECT_EQ(cluster.driver_on("nvidia-2"), kOld);
  EXPECT_EQ(cluster.driver_on("nvidia-3"), kNew);
}

TEST(Plan, NamesAnImageThatAPreflightCouldNotFetch) {
  const Setting setting = quiet("", {});
  Cluster cluster(1, setting);
  EXPECT_TRUE(cluster.kubelets.images().prefer("*nvidia/driver:550*", "", "missing"));
  cluster.go_on();
  cluster.world.run_for(2min);
  const forecast::Forecast foreseen = cluster.foreseen();
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_EQ(foreseen.waves, 0);
  EXPECT_THAT(told(foreseen), HasSubstr("! image nvcr"));
}

TEST(Plan, GoesOnFromTheMiddleOfARollout) {
  const Setting setting = quiet("", {{.name = "train", .replicas = 3}});
  Cluster cluster(1, setting);
  cluster.go_on();
  for (int i = 0; i < 90 && !(cluster.is_over() && i > 10); ++i) {
    cluster.world.run_for(1s);
    const forecast::Forecast foreseen = cluster.foreseen();
    EXPECT_TRUE(foreseen.gets_through) << i << " s after the beginning\n" << told(foreseen);
  }
}

TEST(Plan, OnlyLists) {
  const Setting setting = quiet("", {});
  Cluster cluster(1, setting);
  WitnessedApi door(cluster.person, cluster.world);
  ProposedApi proposed(door, cluster.world.loop, {});
  std::optional<kube::Result<kube::Object>> answer;
  auto call = proposed.call(kube::remove(kube::kNodes, "", "nvidia-1", ""),
                            [&](kube::Result<kube::Object> result) { answer = std::move(result); });
  EXPECT_TRUE(cluster.world.run_until([&] { return answer.has_value(); }, 1min));
  EXPECT_FALSE(*answer);
  EXPECT_TRUE(cluster.node("nvidia-1") != nullptr);
}

TEST(Plan, SaysNothingIsToBeDoneForThePolicyThatIsThere) {
  const Setting setting = quiet("", {});
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = cluster.foreseen();
  EXPECT_TRUE(foreseen.gets_through);
  EXPECT_EQ(told(foreseen), "nothing is to be done\n");
}

TEST(Plan, SaysHowFarTheTimeMayBeOffAndWhatDependsOnIt) {
  forecast::Forecast foreseen;
  foreseen.rows.push_back({.node = "gpu-1", .wave = 1, .end = forecast::Row::End::Done});
  foreseen.rows.back().removed.push_back(
      {.pod = "ml/a", .owner = "ReplicaSet ml/a", .is_forced = true, .is_forced_or_not = true});
  foreseen.waves = 1;
  foreseen.takes = foreseen.takes_at_least = foreseen.takes_at_most = 26min;
  EXPECT_THAT(told(foreseen), HasSubstr("it gets through: 1 of 1 nodes in 1 wave, about 26m\n"));
  foreseen.takes_at_least = 21min;
  foreseen.takes_at_most = 27min;
  foreseen.tries = 20;
  foreseen.others = 3;
  EXPECT_THAT(told(foreseen), HasSubstr("ml/a  (ReplicaSet ml/a), perhaps deleted around its budget\n"));
  EXPECT_THAT(told(foreseen), HasSubstr("about 26m (21m to 27m); 3 of 20 tries with other durations got stuck\n"));
}

}  // namespace
}  // namespace drover::cli
