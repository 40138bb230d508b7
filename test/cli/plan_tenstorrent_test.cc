// A plan where agents build and load the drivers, and where policies of two vendors share a cluster.
#include <regex>

#include "cli/plan_text.h"
#include "test/cli/look.h"
#include "test/cli/plan_cluster.h"

namespace drover::cli {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a cluster in few words
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kFirstNode = "tenstorrent-1";

Setting three_nodes(std::vector<Workload> workloads = {}, std::string upgrade = {}) {
  Setting setting;
  setting.vendor = &tenstorrent();
  setting.upgrade = std::move(upgrade);
  setting.tempo.jitter = 0;
  setting.workloads = std::move(workloads);
  for (Workload& one : setting.workloads) one.resource = tenstorrent().resource;
  return setting;
}

std::string text_of(const forecast::Forecast& foreseen) { return joined(plan_lines(foreseen)); }

std::vector<std::string> kinds_in_the_way(const forecast::Forecast& foreseen) {
  std::vector<std::string> kinds;
  for (const forecast::Obstacle& one : foreseen.obstacles) kinds.push_back(one.kind + " " + one.node);
  return kinds;
}

// Generated names, whatever they are here.
std::string without_names(const std::string& text) {
  return std::regex_replace(text, std::regex("(ml/[a-z]+)-[0-9a-f]{6,10}(-[0-9a-z]{5})?"), "$1-*");
}

TEST(PlanWithAgents, SaysAllOfAnUpgrade) {
  Cluster cluster(1, three_nodes({{.name = "train", .replicas = 2, .grace = 20},
                                  {.name = "held", .available = 1},
                                  {.name = "web", .replicas = 2, .devices = 0}}));
  EXPECT_EQ(without_names(text_of(cluster.foreseen(cluster.next()))),
            R"text(WAVE  NODE           DRIVER         STARTS  TAKES  PODS  ENDS
1     tenstorrent-1  2.7.0 → 2.8.0  +35s    26s    2     done
2     tenstorrent-2  2.7.0 → 2.8.0  +1m2s   26s    3     done
3     tenstorrent-3  2.7.0 → 2.8.0  +1m28s  10m    1     fails: the drain ran out of time: 10m of 10m; ml/held-* (blocked by PodDisruptionBudget ml/held)

pods that go, by node
  tenstorrent-1  ml/train-*  (ReplicaSet ml/train-*)
  tenstorrent-1  ml/web-*  (ReplicaSet ml/web-*)
  tenstorrent-2  ml/train-*  (ReplicaSet ml/train-*)
  tenstorrent-2  one that is made meanwhile  (ReplicaSet ml/web-*)
  tenstorrent-2  ml/web-*  (ReplicaSet ml/web-*)
  tenstorrent-3  one that is made meanwhile  (ReplicaSet ml/train-*)

images
  drover:1

in the way
  ! budget ml/held on tenstorrent-3: it has no room (1 healthy, 1 wanted), so ml/held-* never goes; raise it or scale its owner up

times
  building the driver 35s, as 1 node says
  loading it 0s, as 2 nodes say
  the end of a driver's pod 1s, assumed
  pods that are evicted take their whole grace period

it would get stuck: 1 node would not get the driver (3 of 3 nodes in 3 waves, about 11m28s)
)text");
}

TEST(PlanWithAgents, SaysNothingIsToBeDoneForThePolicyThatIsThere) {
  Cluster cluster(1, three_nodes());
  EXPECT_EQ(text_of(cluster.foreseen()), "nothing is to be done\n");
}

TEST(PlanWithAgents, GoesOnFromTheMiddleOfARollout) {
  Cluster cluster(1, three_nodes({{.name = "train", .replicas = 3}}));
  cluster.go_on();
  for (int i = 0; i < 120 && !(cluster.is_over() && i > 10); ++i) {
    cluster.world.run_for(1s);
    const forecast::Forecast foreseen = cluster.foreseen();
    EXPECT_TRUE(foreseen.gets_through) << i << " s after the beginning\n" << text_of(foreseen);
  }
}

TEST(PlanWithAgents, InstallsTheFirstDriver) {
  Cluster cluster(1, three_nodes());
  cluster.kill_operator();
  const auto fleet = sim::parse_fleet("tenstorrent=4");
  cluster.ask(kube::create(kube::kNodes, "", sim::make_nodes(*fleet).back()));
  cluster.world.run_for(1s);
  const forecast::Forecast foreseen = cluster.foreseen();
  EXPECT_TRUE(foreseen.gets_through) << text_of(foreseen);
  EXPECT_EQ(foreseen.waves, 0) << "a node without a driver is not taken";
  EXPECT_GE(foreseen.takes, 30s) << "it is built there";
  EXPECT_THAT(text_of(foreseen), HasSubstr("it gets through: 1 node gets the first driver"));
}

TEST(PlanWithAgents, NamesANodeWhoseAgentCannotBuildIt) {
  Cluster cluster(1, three_nodes());
  cluster.kubelets.host(kFirstNode)->set_fault(sim::HostFault::MakeFails, true);
  cluster.go_on();
  cluster.world.run_for(2min);
  const forecast::Forecast foreseen = cluster.foreseen();
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(kinds_in_the_way(foreseen), ::testing::ElementsAre("build tenstorrent-1"));
  EXPECT_THAT(text_of(foreseen), HasSubstr("its agent cannot prepare the driver ("));
  EXPECT_THAT(text_of(foreseen), HasSubstr("it would get stuck: 1 node would not get the driver"));
}

TEST(PlanWithAgents, NamesAProcessThatHoldsTheDevice) {
  Cluster cluster(1, three_nodes());
  EXPECT_TRUE(cluster.kubelets.host(kFirstNode)->open("/dev/tenstorrent/0", "", "tt-smi"));
  cluster.go_on();
  cluster.world.run_for(10min);
  const forecast::Forecast foreseen = cluster.foreseen();
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(text_of(foreseen),
              AllOf(HasSubstr("! device tenstorrent-1: its driver cannot be unloaded while the device is held ("),
                    HasSubstr("tt-smi"), HasSubstr("it would get stuck: 3 nodes")));
}

// A daemon pod that uses the device comes back after every eviction; the gate keeps it away.
TEST(PlanWithAgents, KnowsWhichDaemonPodsTheGateSendsAway) {
  Setting setting = three_nodes();
  setting.gated_label = operate::testing::kGate;
  Cluster gated(1, setting);
  const forecast::Forecast through = gated.foreseen(gated.next());
  EXPECT_TRUE(through.gets_through) << text_of(through);

  setting.gated_label = {};
  setting.clung_to = kFirstNode;
  Cluster held(1, setting);
  const forecast::Forecast stuck = held.foreseen(held.next());
  EXPECT_FALSE(stuck.gets_through);
  EXPECT_THAT(text_of(stuck),
              HasSubstr("! device tenstorrent-1: its driver cannot be unloaded while the device is held "
                        "(ml/monitor-"));

  setting.upgrade = R"("forceUnload": true)";
  Cluster forced(1, setting);
  const forecast::Forecast killed = forced.foreseen(forced.next());
  EXPECT_TRUE(killed.gets_through) << text_of(killed);
}

TEST(PlanWithAgents, FailsANodeThatIsNotEmptyInTimeAndLeavesItsDriver) {
  Cluster cluster(1, three_nodes({{.name = "held", .available = 1}}, R"("drain": {"timeoutSeconds": 60})"));
  const forecast::Forecast foreseen = cluster.foreseen(cluster.next());
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(text_of(foreseen), AllOf(HasSubstr("fails: the drain ran out of time"), HasSubstr("! budget ml/held on "),
                                       Not(HasSubstr("deleted around"))));
}

TEST(PlanWithAgents, NamesAPolicyThatIsPaused) {
  Cluster cluster(1, three_nodes());
  ProposedPolicy paused = cluster.next().front();
  json::ensure(paused.object, {"spec", "paused"}) = true;
  const forecast::Forecast foreseen = cluster.foreseen({paused});
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(text_of(foreseen), HasSubstr("! off default: its upgrades are off"));
}

// ---- two vendors

Setting two_vendors() {
  Setting setting;
  setting.nodes = 4;
  setting.tempo.driver = 20s;
  setting.tempo.jitter = 0;
  setting.others = {{.vendor = &tenstorrent(), .nodes = 4}};
  return setting;
}

TEST(PlanOfTwoVendors, NamesPoliciesWithTheirVendors) {
  Setting setting = two_vendors();
  setting.max_unavailable = core::Share{.amount = 1};
  Cluster cluster(1, setting);
  const std::string text = text_of(cluster.foreseen(cluster.next()));
  EXPECT_THAT(text, HasSubstr("nvidia/cluster-policy  1 "));
  EXPECT_THAT(text, HasSubstr("tenstorrent/default "));
  EXPECT_THAT(text, HasSubstr("nvidia: a driver's start "));
  EXPECT_THAT(text, HasSubstr("tenstorrent: building the driver "));
  EXPECT_THAT(text, HasSubstr("limit over all policies: 1 of 8 nodes out of service at once (--max-unavailable 1)"));
}

// The vendor's own operator stops its own policies only.
TEST(PlanOfTwoVendors, StopsWhereTheOtherVendorsOperatorDoesNot) {
  Cluster cluster(1, two_vendors());
  cluster.ask(kube::create(kube::kDeployments, "gpu-operator", parsed(R"({"metadata": {"name": "gpu-operator",
      "labels": {"app": "gpu-operator"}}, "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "x"}},
      "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "x:1"}]}}}})")));
  const forecast::Forecast foreseen = cluster.foreseen(cluster.next());
  EXPECT_FALSE(foreseen.gets_through);
  for (const forecast::Row& row : foreseen.rows) EXPECT_EQ(row.wave > 0, row.vendor == "tenstorrent") << row.node;
  EXPECT_THAT(text_of(foreseen), HasSubstr("! operator Deployment gpu-operator/gpu-operator: it runs"));
}

// A node with devices of both: one cordon, one claim at a time.
TEST(PlanOfTwoVendors, TakesANodeOfBothForOneAtATime) {
  Setting setting = two_vendors();
  setting.max_unavailable = core::Share{.amount = 8};
  Cluster cluster(1, setting);
  forecast::ForecastInput input = cluster.input(cluster.next());
  core::NodeView& shared = input.policies.back().fleet.nodes.front();
  shared.name = "nvidia-1";
  const forecast::Forecast foreseen = forecast::foresee(input);
  EXPECT_TRUE(foreseen.gets_through) << text_of(foreseen);
  std::vector<std::pair<base::Span, base::Span>> times;
  for (const forecast::Row& row : foreseen.rows) {
    if (row.node == "nvidia-1") times.emplace_back(row.starts_in.value_or(-1s), row.ends_in.value_or(-1s));
  }
  ASSERT_EQ(times.size(), 2U);
  std::sort(times.begin(), times.end());
  EXPECT_LE(times[0].second, times[1].first) << text_of(foreseen);
}

// A kind that the server does not know has no policies; one of it cannot be proposed.
TEST(PlanOfTwoVendors, SaysWhichKindTheServerDoesNotKnow) {
  Cluster cluster(1, {});
  const vendors::WorkProfile* const both[] = {&vendors::nvidia_driver(), &vendors::tenstorrent_driver()};
  const ProposedPolicy unknown{.profile = both[1], .object = tenstorrent().policy("2.8.0", "")};
  for (const auto& proposed : {std::vector<ProposedPolicy>{}, std::vector{unknown}}) {
    SnapshotReader reader(cluster.person, cluster.world.loop, both, proposed);
    std::optional<base::Result<void>> ended;
    reader.begin([&](base::Result<void> result) { ended = std::move(result); });
    ASSERT_TRUE(cluster.world.run_until([&] { return ended.has_value(); }, 1min));
    EXPECT_EQ(ended->has_value(), proposed.empty());
    EXPECT_EQ(reader.input().policies.size(), proposed.empty() ? 1U : 0U);
    EXPECT_THAT(*ended ? "" : ended->error().message,
                HasSubstr(proposed.empty() ? "" : "does not know tenstorrentdriverpolicies.driver.tenstorrent.com"));
  }
}

TEST(PlanOfTwoVendors, StatusCountsTheLimitOverAllVendors) {
  Cluster cluster(1, two_vendors());
  cluster.max_unavailable.reset();
  cluster.patch_node("nvidia-1", R"({"spec": {"unschedulable": true}})");
  cluster.patch_node("nvidia-2", R"({"spec": {"unschedulable": true}})");
  cluster.apply(tenstorrent(), tenstorrent().new_version);
  cluster.world.run_for(3min);
  const auto profiles = cluster.profiles();
  const Look look(cluster, profiles);
  ASSERT_EQ(look.policies().size(), 2U);
  const PolicySnapshot& policy = *look.policies().back();
  EXPECT_EQ(policy.plan().slots.global_headroom, 0) << "a quarter of eight is out of service";
  EXPECT_THAT(policy.reason(0), HasSubstr("--max-unavailable over all policies reached"));
}

}  // namespace
}  // namespace drover::cli
