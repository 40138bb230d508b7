// What Tenstorrent's policies tell beside their status: the metrics of its documents, and Events.
#include <gmock/gmock.h>

#include "operator/metrics.h"
#include "operator/tenstorrent_stage.h"

namespace drover::operate::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kFirstNode = "tenstorrent-1";

class Told : public TenstorrentStage {
 public:
  using TenstorrentStage::TenstorrentStage;

  std::string page() const { return metrics_text(readings_of(*drover, 0)); }
  double metric(const std::string& name) const {
    const std::string text = page();
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + name.size() + 2, nullptr);
  }
  // "Normal Ready: tenstorrent-1", in the order of their making.
  std::vector<std::string> events(std::string_view kind) const {
    std::vector<std::string> all;
    world.store().each("events", "default", [&](const sim::Stored& event) {
      if (json::text_at(*event, {"involvedObject", "kind"}) != kind) return;
      all.push_back(fmt::format("{} {}: {}", json::text_at(*event, {"type"}), json::text_at(*event, {"reason"}),
                                json::text_at(*event, {"message"})));
    });
    return all;
  }
  std::vector<std::string> about_the_policy() const { return events("TenstorrentDriverPolicy"); }
};

TEST(TenstorrentMetrics, AreThereAtZeroAsSoonAsThereIsAPolicy) {
  Told stage(1);
  stage.ask(kube::create(kDriverPolicies, "",
                         driver_policy("2.7.0", "", R"("nodeAffinity": {"matchLabels": {"pool": "none"}})")));
  stage.start();
  stage.world.run_for(10s);
  for (const char* state :
       {"Pending", "Cordoning", "Draining", "Upgrading", "Uncordoning", "Done", "Failed", "HostManaged"}) {
    EXPECT_EQ(stage.metric(fmt::format(R"(ttdriver_policy_nodes{{cr="default",state="{}"}})", state)), 0) << state;
  }
  EXPECT_EQ(stage.metric(R"(ttdriver_policy_desired_version{cr="default",version="2.7.0"})"), 1);
  for (const char* pass : {"pass1", "pass2"}) {
    EXPECT_EQ(stage.metric(fmt::format(R"(ttdriver_pods_evicted_total{{cr="default",pass="{}"}})", pass)), 0);
    EXPECT_EQ(stage.metric(fmt::format(R"(ttdriver_drain_blocked_total{{cr="default",pass="{}"}})", pass)), 0);
  }
  for (const char* stage_name : {"create_daemonset", "update_daemonset", "prepare_upgrade", "evict_pod",
                                 "uncordon_ready_nodes", "update_status"}) {
    EXPECT_EQ(stage.metric(fmt::format(R"(ttdriver_errors_total{{cr="default",stage="{}"}})", stage_name)), 0);
  }
  EXPECT_EQ(json::text_at(stage.status(), {"desiredVersion"}), "2.7.0") << "also where no node is selected";
}

TEST(TenstorrentMetrics, FollowAnUpgrade) {
  Told stage(2);
  ASSERT_TRUE(stage.kubelets.host(kFirstNode)->write("/var/lib/dkms/tenstorrent/2.6.0/source", "x"));
  ASSERT_TRUE(stage.kubelets.host(kFirstNode)->insert("tenstorrent", "2.6.0"));
  stage.ask(kube::create(kDriverPolicies, "", driver_policy("2.7.0")));
  stage.start();
  stage.world.run_for(5min);
  EXPECT_EQ(stage.metric(R"(ttdriver_nodes_by_kmd_version{version="2.6.0",install_mode="host"})"), 1);
  EXPECT_EQ(stage.metric(R"(ttdriver_nodes_by_kmd_version{version="2.7.0",install_mode="container"})"), 1);
  EXPECT_EQ(stage.metric(R"(ttdriver_policy_nodes{cr="default",state="HostManaged"})"), 1);
  EXPECT_EQ(stage.metric(R"(ttdriver_policy_nodes{cr="default",state="Done"})"), 1);
  EXPECT_EQ(stage.metric(R"(ttdriver_daemonset_operations_total{cr="default",operation="create",result="success"})"),
            1);
  const double looked_at = stage.metric(R"(ttdriver_last_successful_reconcile_timestamp_seconds{cr="default"})");
  EXPECT_GT(looked_at, 1e9);

  stage.run_work("train", 2, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.run_work("web", 2);
  stage.create_budget("train", 2);
  stage.want("2.8.0");
  stage.world.run_for(3min);
  EXPECT_GT(stage.metric(R"(ttdriver_drain_blocked_total{cr="default",pass="pass1"})"), 0);
  EXPECT_EQ(stage.metric(R"(ttdriver_policy_nodes{cr="default",state="Draining"})"), 1);
  stage.ask(kube::remove(kube::kDisruptionBudgets, "ml", "train", ""));
  stage.world.run_for(5min);
  ASSERT_EQ(stage.loaded_on("tenstorrent-2"), "2.8.0") << stage.told();
  EXPECT_EQ(stage.metric(R"(ttdriver_nodes_by_kmd_version{version="2.8.0",install_mode="container"})"), 1);
  EXPECT_EQ(stage.metric(R"(ttdriver_nodes_by_kmd_version{version="2.7.0",install_mode="container"})"), -1);
  EXPECT_EQ(stage.metric(R"(ttdriver_daemonset_operations_total{cr="default",operation="update",result="success"})"),
            1);
  EXPECT_EQ(stage.metric(R"(ttdriver_pods_evicted_total{cr="default",pass="pass1"})"), 1);
  EXPECT_GE(stage.metric(R"(ttdriver_pods_evicted_total{cr="default",pass="pass2"})"), 1);
  EXPECT_GT(stage.metric(R"(ttdriver_last_successful_reconcile_timestamp_seconds{cr="default"})"), looked_at);
  EXPECT_THAT(stage.page(), Not(HasSubstr("tenstorrent-2"))) << "none of them names a node";

  stage.ask(kube::remove(kDriverPolicies, "", "default", ""));
  stage.world.run_for(1min);
  EXPECT_THAT(stage.page(), Not(HasSubstr("cr=\"default\""))) << "they go with their policy";
}

TEST(TenstorrentMarks, SayWhoHasCordonedANodeAndSinceWhen) {
  Told stage(1);
  stage.settle("2.7.0");
  stage.run_work("train", 1, R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])");
  stage.create_budget("train", 1);
  stage.want("2.8.0");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.is_cordoned(kFirstNode); }, 10min));
  EXPECT_EQ(kube::annotation_of(*stage.node(kFirstNode), "driver.tenstorrent.com/cordoned-by"), "default");
  const auto at =
      base::parse_rfc3339(kube::annotation_of(*stage.node(kFirstNode), "driver.tenstorrent.com/cordoned-at"));
  ASSERT_TRUE(at);
  EXPECT_LE(stage.world.loop.wall() - *at, 2s);
  stage.ask(kube::remove(kube::kDisruptionBudgets, "ml", "train", ""));
  ASSERT_TRUE(stage.run_until_loaded("2.8.0")) << stage.told();
  EXPECT_EQ(json::text_of(*stage.node(kFirstNode)).find("driver.tenstorrent.com/cordoned"), std::string::npos);
}

TEST(TenstorrentEvents, TellOfEachNodeWhatChangesAndNothingTwice) {
  Told stage(2);
  stage.settle("2.7.0");
  EXPECT_THAT(stage.about_the_policy(), Contains("Normal Ready: tenstorrent-1"));
  stage.want("2.8.0");
  ASSERT_TRUE(stage.run_until_loaded("2.8.0"));
  stage.world.run_for(2min);
  const std::vector<std::string> told = stage.about_the_policy();
  for (const std::string& name : stage.names()) {
    EXPECT_THAT(told, Contains(StartsWith("Normal Draining: " + name + ": "))) << "however soon it has passed";
    EXPECT_THAT(told, Contains(StartsWith("Normal Installing: " + name + ": ")));
  }
  EXPECT_THAT(told, Not(Contains(StartsWith("Warning"))));
  EXPECT_THAT(told, Not(Contains(HasSubstr("Waiting"))));
  EXPECT_THAT(stage.events("Node"),
              Contains(HasSubstr("TenstorrentDriverUpgrade: The driver upgrade of this node is Done")));
  stage.world.run_for(30min);
  stage.kill_operator();
  stage.start();
  stage.world.run_for(5min);
  EXPECT_EQ(stage.about_the_policy().size(), told.size()) << "a new leader reads what was told";
}

TEST(TenstorrentEvents, WarnOfNodesThatFailAndOfThoseThatCannotBePrepared) {
  Told stage(2);
  stage.settle("2.7.0");
  stage.kubelets.host(kFirstNode)->set_fault(sim::HostFault::MakeFails, true);
  stage.hold_device("tenstorrent-2");
  stage.want("2.8.0");
  stage.world.run_for(20min);
  EXPECT_THAT(stage.about_the_policy(), Contains(StartsWith("Warning CannotPrepare: tenstorrent-1: ")));
  EXPECT_THAT(stage.about_the_policy(),
              Contains(::testing::AllOf(StartsWith("Warning BuilderCrashLoop: tenstorrent-2: "), HasSubstr("tt-smi"))));
}

}  // namespace
}  // namespace drover::operate::testing
