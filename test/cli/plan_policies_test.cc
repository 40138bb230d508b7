// A plan of several policies: what is given to it, and what it says of all of them together.
#include "cli/plan_text.h"
#include "plan_cluster.h"
#include "test/cli/look.h"
#include "vendors/nvidia/module.h"
#include "vendors/tenstorrent/module.h"

namespace drover::cli {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a cluster in few words
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAllAtOnce = R"("maxParallelUpgrades": 0, "maxUnavailable": "100%")";

Setting two_pools(int nodes, const std::string& upgrade = kAllAtOnce) {
  Setting setting;
  setting.nodes = nodes;
  setting.tempo.driver = 20s;
  setting.pools = {{.name = "a", .upgrade = upgrade}, {.name = "b", .upgrade = upgrade}};
  return setting;
}

std::string lines_of(const forecast::Forecast& foreseen) { return joined(plan_lines(foreseen)); }

// Of NVIDIA's: a ClusterPolicy, or an NVIDIADriver.
ProposedPolicy policy(kube::Object object) {
  return {.profile = &vendors::nvidia_driver(), .object = std::move(object)};
}
ProposedPolicy driver(kube::Object object) {
  return {.profile = &vendors::nvidia_driver(), .kind = 1, .object = std::move(object)};
}

std::size_t most_at_once(const forecast::Forecast& foreseen) {
  std::map<base::Span, int> changes;
  for (const forecast::Row& row : foreseen.rows) {
    if (!row.starts_in || !row.ends_in) continue;
    ++changes[*row.starts_in];
    --changes[*row.ends_in];
  }
  int away = 0;
  int most = 0;
  for (const auto& [at, change] : changes) most = std::max(most, away += change);
  return static_cast<std::size_t>(most);
}

std::vector<std::string> names_of(const std::vector<ProposedPolicy>& policies) {
  std::vector<std::string> names;
  for (const ProposedPolicy& one : policies)
    names.push_back(fmt::format("{} {}", one.profile->policy_kind(one.kind).kind, kube::name_of(one.object)));
  return names;
}

TEST(PlanOfSeveral, SaysWhichPolicyTakesWhichNode) {
  Cluster cluster(1, two_pools(4));
  const forecast::Forecast foreseen = cluster.foreseen(cluster.next());
  EXPECT_TRUE(foreseen.gets_through);
  ASSERT_EQ(foreseen.rows.size(), 4U);
  for (const forecast::Row& row : foreseen.rows) {
    EXPECT_GT(row.wave, 0) << row.node;
    EXPECT_EQ(row.policy, row.node == "nvidia-1" || row.node == "nvidia-3" ? "a" : "b") << row.node;
  }
  EXPECT_THAT(lines_of(foreseen), HasSubstr("POLICY  WAVE  NODE"));
  EXPECT_THAT(lines_of(foreseen), HasSubstr("it gets through: 4 of 4 nodes"));
}

TEST(PlanOfSeveral, LeavesPoliciesAsTheyAreThatAreNotProposed) {
  Setting setting = two_pools(4);
  setting.pools[0].changes = false;
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = cluster.foreseen(cluster.next());
  for (const forecast::Row& row : foreseen.rows) EXPECT_EQ(row.wave > 0, row.policy == "b") << row.node;
}

TEST(PlanOfSeveral, KeepsTheLimitOverAllPolicies) {
  Setting setting = two_pools(8);
  Cluster cluster(1, setting);
  const forecast::Forecast usual = cluster.foreseen(cluster.next());
  EXPECT_EQ(most_at_once(usual), 2U) << "a quarter of eight";
  EXPECT_THAT(lines_of(usual), HasSubstr("limit over all policies: 2 of 8 nodes out of service at once (25%; "));
  cluster.max_unavailable = core::Share{.amount = 5};
  const forecast::Forecast wide = cluster.foreseen(cluster.next());
  EXPECT_EQ(most_at_once(wide), 5U);
  EXPECT_THAT(lines_of(wide), HasSubstr("5 of 8 nodes out of service at once (--max-unavailable 5)"));
}

TEST(PlanOfSeveral, NamesTheLimitOverAllPoliciesWhenOthersHaveUsedItUp) {
  Setting setting = two_pools(4);
  setting.cordoned = "nvidia-1";
  Cluster cluster(1, setting);
  const forecast::Forecast foreseen = cluster.foreseen(cluster.next());
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(lines_of(foreseen),
              HasSubstr("! limit over all policies: 1 of 4 nodes are out of service, and 1 may be; bring "
                        "them back, or raise the operator's --max-unavailable"));
}

TEST(PlanOfSeveral, NamesANodeThatTwoSelect) {
  Cluster cluster(1, two_pools(4));
  const auto third = [](std::string_view selector) {
    return std::vector{driver(nvidia_driver("c", kNew, fmt::format(R"("nodeSelector": {{{}}})", selector)))};
  };
  const forecast::Forecast kept = cluster.foreseen(third(R"("kubernetes.io/hostname": "nvidia-1")"));
  EXPECT_TRUE(kept.gets_through);
  EXPECT_THAT(lines_of(kept),
              HasSubstr("- dispute nvidia-1: NVIDIADriver a and NVIDIADriver c select it, so it stays with "
                        "the one that has it"));
  cluster.kill_operator();
  cluster.patch_node("nvidia-1", R"({"metadata": {"labels": {"nvidia.com/gpu-operator.driver.owner": null}}})");
  const forecast::Forecast lost = cluster.foreseen(third(R"("kubernetes.io/hostname": "nvidia-1")"));
  EXPECT_FALSE(lost.gets_through);
  EXPECT_THAT(lines_of(lost), HasSubstr("! dispute nvidia-1: "));
  EXPECT_THAT(lines_of(lost), HasSubstr("it would get stuck: 1 node would not get the driver"));
}

TEST(PlanOfSeveral, ForeseesThatAClusterPolicyHandsItsNodesOver) {
  Setting setting;
  setting.tempo.driver = 20s;
  Cluster cluster(1, setting);
  kube::Object handing_over = cluster_policy(kOld);
  json::ensure(handing_over, {"spec", "driver", "useNvidiaDriverCRD"}) = true;
  const ProposedPolicy all = driver(nvidia_driver("all", kNew, R"("default": true)"));
  const forecast::Forecast foreseen = cluster.foreseen({policy(handing_over), all});
  EXPECT_TRUE(foreseen.gets_through);
  ASSERT_EQ(foreseen.rows.size(), 3U);
  for (const forecast::Row& row : foreseen.rows) {
    EXPECT_EQ(row.policy, "all");
    EXPECT_EQ(row.detail.loaded, kOld);
    EXPECT_EQ(row.detail.wanted, kNew);
    EXPECT_GT(row.wave, 0);
  }
  EXPECT_THAT(lines_of(foreseen), Not(HasSubstr("POLICY")));
  EXPECT_EQ(lines_of(cluster.foreseen({policy(handing_over)})), "nothing is to be done: no policy has a node\n");
}

TEST(PlanOfSeveral, RefusesOneThatWouldBeIgnored) {
  Cluster cluster(1, {});
  const auto reader = cluster.surveyed({driver(nvidia_driver("a", kNew, R"("default": true)"))});
  ASSERT_EQ(reader->troubles().size(), 1U);
  EXPECT_THAT(reader->troubles().front(),
              HasSubstr("NVIDIADriver a would be ignored: ClusterPolicy cluster-policy says which driver runs"));
}

TEST(PlanOfSeveral, SaysWhichOneCannotBeRead) {
  Cluster cluster(1, two_pools(4));
  const ProposedPolicy broken = driver(nvidia_driver("a", kNew, R"("nodeSelector": {"pool": "a"},
      "upgradePolicy": {"maxUnavailable": "5x"})"));
  const auto asked = cluster.surveyed({broken});
  ASSERT_EQ(asked->troubles().size(), 1U);
  EXPECT_THAT(asked->troubles().front(), HasSubstr("NVIDIADriver a: "));
  EXPECT_THAT(asked->troubles().front(), HasSubstr("\"5x\""));
}

TEST(PlanOfSeveral, NamesAPolicyThatIsSwitchedOff) {
  Cluster cluster(1, {});
  kube::Object off = cluster_policy(kNew);
  json::ensure(off, {"spec", "driver", "upgradePolicy", "autoUpgrade"}) = false;
  json::ensure(off, {"spec", "daemonsets", "updateStrategy"}) = "OnDelete";
  const forecast::Forecast foreseen = cluster.foreseen({policy(off)});
  EXPECT_FALSE(foreseen.gets_through);
  EXPECT_THAT(lines_of(foreseen), HasSubstr("! off cluster-policy: its upgrades are off"));
}

TEST(PlanOfSeveral, TakesManifestsOfAllKindsAndListsOfThem) {
  const vendors::WorkProfile* const all[] = {&vendors::nvidia_driver(), &vendors::tenstorrent_driver()};
  const std::string policy = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: a}\n";
  const std::string driver = "apiVersion: nvidia.com/v1alpha1\nkind: NVIDIADriver\nmetadata: {name: b}\n";
  const std::string another =
      "apiVersion: driver.tenstorrent.com/v1alpha1\nkind: TenstorrentDriverPolicy\nmetadata: {name: c}\n";
  for (const std::string& text :
       {policy + "---\n" + driver + "---\n" + another + "---\nkind: Namespace\n",
        std::string(R"({"kind": "List", "items": [{"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy",
            "metadata": {"name": "a"}}, {"apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver",
            "metadata": {"name": "b"}}, {"apiVersion": "driver.tenstorrent.com/v1alpha1",
            "kind": "TenstorrentDriverPolicy", "metadata": {"name": "c"}}]})")}) {
    const auto policies = policies_in(text, all);
    ASSERT_TRUE(policies) << policies.error().message;
    EXPECT_THAT(names_of(*policies), ElementsAre("ClusterPolicy a", "NVIDIADriver b", "TenstorrentDriverPolicy c"));
  }
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"kind: Pod\n", "there is no ClusterPolicy, NVIDIADriver or TenstorrentDriverPolicy in it"},
           {"apiVersion: nvidia.com/v1\nkind: ClusterPolicy\n", "has no metadata.name"},
           {"apiVersion: nvidia.com/v1\nkind: NVIDIADriver\nmetadata: {name: b}\n", "write nvidia.com/v1alpha1"},
           {"a: [", ""},
           {driver + "---\n" + driver, "NVIDIADriver b is in it twice"}}) {
    const auto refused = policies_in(text, all);
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, HasSubstr(words));
  }
}

}  // namespace
}  // namespace drover::cli
