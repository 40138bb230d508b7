// What people are shown of Tenstorrent's nodes: the versions that the kernels have, and where each stands and why.
#include <gmock/gmock.h>

#include "test/cli/look.h"
#include "test/operator/tenstorrent_stage.h"
#include "vendors/tenstorrent/module.h"

namespace drover::cli {
namespace {

using operate::testing::driver_policy;
using operate::testing::kDriverPolicies;
using operate::testing::TenstorrentStage;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr const char* kFirst = "tenstorrent-1";
constexpr const char* kSecond = "tenstorrent-2";
constexpr const char* kHoldsDevice = R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])";

Look look_at(TenstorrentStage& stage) { return cli::look_at(stage, vendors::tenstorrent_driver()); }

std::string explained(TenstorrentStage& stage, const std::string& node) {
  return cli::explained(*look_at(stage), node);
}

// "Failed 2.7.0 2.8.0"
std::string told(TenstorrentStage& stage, std::size_t node) {
  const json::Value all = status_json(*look_at(stage));
  const json::Value& row = json::array_at(all, {"nodes"}).at(node);
  return fmt::format("{} {} {}", json::text_at(row, {"state"}), json::text_at(row, {"loaded"}),
                     json::text_at(row, {"wanted"}));
}

TEST(TenstorrentText, ShowsTheVersionThatTheKernelHasAndNotTheBuildersImage) {
  TenstorrentStage stage(2);
  stage.builder_image = "drover:sha-newer";
  stage.settle("2.7.0");
  const auto look = look_at(stage);
  EXPECT_THAT(status_lines(*look), Contains(AllOf(StartsWith("tenstorrent-1"), HasSubstr(" 2.7.0 "),
                                                  HasSubstr("the driver is up to date"))));
  EXPECT_THAT(status_lines(*look), Not(Contains(HasSubstr("sha-newer"))));
  EXPECT_THAT(status_lines(*look), Contains(StartsWith("default (tenstorrent): 2 nodes, 2 done, 0 in flight")));
  EXPECT_EQ(told(stage, 0), "Done 2.7.0 2.7.0");
  EXPECT_THAT(explained(stage, kFirst), Not(HasSubstr("recreated"))) << "only the operator knows what it would render";
}

TEST(TenstorrentText, SaysWhoHoldsTheDeviceAndCountsTheNodeAsFailed) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0");
  stage.hold_device(kFirst);
  stage.want("2.8.0");
  stage.world.run_for(10min);
  const auto look = look_at(stage);
  EXPECT_TRUE(something_failed(*look));
  EXPECT_THAT(status_lines(*look), Contains(AllOf(StartsWith("tenstorrent-1"), HasSubstr("2.7.0 → 2.8.0"),
                                                  HasSubstr("the device is held"), HasSubstr("tt-smi"))));
  EXPECT_THAT(status_lines(*look), Contains(HasSubstr("1 failed")));
  EXPECT_EQ(told(stage, 0), "Failed 2.7.0 2.8.0");
  EXPECT_EQ(told(stage, 1), "Pending 2.7.0 2.8.0");
  EXPECT_THAT(explained(stage, kFirst), HasSubstr("is Failed"));
}

TEST(TenstorrentText, SaysInTheFirstPassOnlyWhoUsesTheDevice) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0");
  stage.run_work("train", 1, kHoldsDevice);
  stage.run_work("web", 1);
  stage.create_budget("train", 1);
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.phase_on(kFirst) == "drain"; }, 10min));
  stage.world.run_for(20s);
  const std::string text = explained(stage, kFirst);
  EXPECT_THAT(text, HasSubstr("in the way   ml/train-"));
  EXPECT_THAT(text, HasSubstr("blocked by PodDisruptionBudget ml/train (0 disruptions allowed"));
  EXPECT_THAT(text, Not(HasSubstr("ml/web-")));
  EXPECT_THAT(text, HasSubstr("the node fails and goes back to service"));
}

TEST(TenstorrentText, SaysThatABuildFailsAndWhy) {
  TenstorrentStage stage(1);
  stage.settle("2.7.0");
  stage.kubelets.host(kFirst)->set_fault(sim::HostFault::MakeFails, true);
  stage.want("2.8.0");
  stage.world.run_for(5min);
  EXPECT_THAT(status_lines(*look_at(stage)),
              Contains(AllOf(StartsWith("tenstorrent-1"), HasSubstr("the driver cannot be prepared"),
                             HasSubstr("make modules"))));
  const std::string text = explained(stage, kFirst);
  EXPECT_THAT(text, HasSubstr("next: its agent builds the driver while the node serves"));
  EXPECT_THAT(text, Not(HasSubstr("image on the node")));
}

TEST(TenstorrentText, SaysOfANodeOfDkmsThatItsDriverIsTheHosts) {
  TenstorrentStage stage(2);
  ASSERT_TRUE(stage.kubelets.host(kFirst)->write("/var/lib/dkms/tenstorrent/2.6.0/source", "x"));
  ASSERT_TRUE(stage.kubelets.host(kFirst)->insert("tenstorrent", "2.6.0"));
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.8.0")));
  stage.start();
  stage.world.run_for(5min);
  EXPECT_THAT(status_lines(*look_at(stage)), Contains(AllOf(StartsWith("tenstorrent-1"), HasSubstr("2.6.0"),
                                                            HasSubstr("the driver is the host's own"))));
  EXPECT_EQ(told(stage, 0), "HostManaged 2.6.0 2.8.0");
  EXPECT_FALSE(something_failed(*look_at(stage)));
}

TEST(TenstorrentText, SaysWhyANodeIsNotManaged) {
  TenstorrentStage stage(2);
  stage.settle("2.7.0");
  stage.patch_node(kFirst, R"({"metadata": {"labels": {"driver.tenstorrent.com/skip": "true"}}})");
  stage.world.run_for(1min);
  EXPECT_THAT(explained(stage, kFirst), HasSubstr("left out by its label driver.tenstorrent.com/skip=true"));
  stage.patch(R"({"spec": {"nodeAffinity": {"matchLabels": {"pool": "none"}}}})");
  stage.world.run_for(1min);
  EXPECT_EQ(explained(stage, kSecond), "policy default does not select node tenstorrent-2");
  EXPECT_THAT(status_lines(*look_at(stage)), Contains(StartsWith("! NoNodes")));
}

}  // namespace
}  // namespace drover::cli
