// What Prometheus and the kubelet are told.
#include "operator/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "operator/health.h"
#include "stage.h"
#include "vendors/nvidia/module.h"

namespace drover::operate {
namespace {

using testing::cluster_policy;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Stage;
using namespace std::chrono_literals;

TEST(Metrics, EscapesWhatWouldEndALabelValue) {
  Exposition page;
  page.family("m", Exposition::Kind::Gauge, "help with \\ and\nnewline and \"quotes\"");
  page.sample(1, {{"a", "back\\slash"}, {"b", "quo\"te"}, {"c", "two\nlines"}});
  EXPECT_EQ(page.text(),
            "# HELP m help with \\\\ and\\nnewline and \"quotes\"\n"
            "# TYPE m gauge\n"
            "m{a=\"back\\\\slash\",b=\"quo\\\"te\",c=\"two\\nlines\"} 1\n");
}

TEST(Metrics, AreAllThereAtZeroBeforeAnythingHappened) {
  Readings readings;
  readings.vendors.push_back({.profile = &vendors::nvidia_driver()});
  const std::string text = metrics_text(readings);
  for (const char* line :
       {"gpu_operator_auto_upgrade_enabled 0", "gpu_operator_driver_auto_upgrade_enabled 0",
        "gpu_operator_nodes_upgrades_in_progress 0", "gpu_operator_nodes_upgrades_done 0",
        "gpu_operator_nodes_upgrades_failed 0", "gpu_operator_nodes_upgrades_available 0",
        "gpu_operator_nodes_upgrades_pending 0", "drover_leader 0", "drover_synced 0", "drover_reconcile_total 0",
        "drover_api_requests_total 0", "drover_write_errors_total{vendor=\"nvidia\"} 0",
        "drover_nodes{vendor=\"nvidia\",state=\"unknown\"} 0",
        "drover_nodes{vendor=\"nvidia\",state=\"upgrade-failed\"} 0"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
  }
  EXPECT_THAT(text, Not(HasSubstr("\ndrover_watch_age_seconds ")));
}

TEST(Metrics, HaveOneHelpAndOneTypeForEachFamilyBeforeItsSamples) {
  Readings readings;
  readings.vendors.push_back({.profile = &vendors::nvidia_driver()});
  const std::string text = metrics_text(readings);
  std::set<std::string> seen;
  std::string family;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.starts_with("# HELP ")) {
      family = std::string(line.substr(7, line.find(' ', 7) - 7));
      EXPECT_TRUE(seen.insert(family).second) << family << " is told twice";
    } else if (!line.empty() && !line.starts_with("# TYPE ")) {
      EXPECT_EQ(line.substr(0, line.find_first_of("{ ")), family) << line;
    }
  }
  EXPECT_GT(seen.size(), 12U);
}

TEST(Metrics, FollowARolloutFromPendingToDone) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  stage.world.run_for(10s);
  const auto text = [&] { return metrics_text(readings_of(*stage.drover, 7)); };
  EXPECT_THAT(text(), HasSubstr("gpu_operator_nodes_upgrades_done 3\n"));
  EXPECT_THAT(text(), HasSubstr("gpu_operator_auto_upgrade_enabled 1\n"));
  EXPECT_THAT(text(), HasSubstr("drover_leader 1\n"));
  EXPECT_THAT(text(), HasSubstr("drover_api_requests_total 7\n"));
  EXPECT_THAT(text(), HasSubstr("drover_nodes{vendor=\"nvidia\",state=\"upgrade-done\"} 3\n"));

  stage.set_version("550.54.14");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.state("nvidia-1") == "upgrade-required"; }, 1min));
  EXPECT_TRUE(stage.world.run_until(
      [&] { return text().find("gpu_operator_nodes_upgrades_in_progress 1\n") != std::string::npos; }, 5min));
  ASSERT_TRUE(stage.run_until_all("upgrade-done"));
  stage.patch_policy(R"({"spec": {"driver": {"upgradePolicy": {"autoUpgrade": false}}}})");
  stage.world.run_for(10s);
  EXPECT_THAT(text(), HasSubstr("gpu_operator_driver_auto_upgrade_enabled 0\n"));
}

TEST(Health, IsReadyOnceEverythingWasListedAndAliveBeforeThat) {
  Stage stage;
  stage.start_operator();
  const Health health(stage.world.loop, *stage.drover, [] { return 0; });
  EXPECT_EQ(health.page("GET", "/healthz").code, 200);
  EXPECT_EQ(health.page("GET", "/readyz").code, 503);
  stage.world.run_for(5s);
  EXPECT_EQ(health.page("GET", "/readyz").code, 200);
  EXPECT_EQ(health.page("GET", "/readyz").body, "ok: leader\n");
  EXPECT_EQ(health.page("GET", "/healthz").code, 200);
}

TEST(Health, ServesMetricsToWhoeverGetsThemAndNothingElse) {
  Stage stage;
  stage.start_operator();
  const Health health(stage.world.loop, *stage.drover, [] { return 0; });
  EXPECT_EQ(health.page("GET", "/metrics?name=x").type, kMetricsType);
  EXPECT_THAT(health.page("GET", "/metrics").body, HasSubstr("# TYPE drover_reconcile_total counter\n"));
  EXPECT_EQ(health.page("POST", "/metrics").code, 405);
  EXPECT_EQ(health.page("GET", "/").code, 404);
}

// A loop that never turns, whatever its clock says.
class StuckLoop final : public base::Loop {
 public:
  base::Instant now() const override { return at; }
  base::WallTime wall() const override { return {}; }
  [[nodiscard]] base::Timer after(base::Span, std::function<void()>) override { return {}; }
  void post(std::function<void()>) override {}

  base::Instant at = {};
};

TEST(Health, IsNotAliveWhenTheLoopHasNotTurnedForHalfAMinute) {
  Stage stage;
  stage.start_operator();
  StuckLoop loop;
  const Health health(loop, *stage.drover, [] { return 0; });
  loop.at += 29s;
  EXPECT_EQ(health.page("GET", "/healthz").code, 200);
  loop.at += 1s;
  EXPECT_EQ(health.page("GET", "/healthz").code, 503);
  EXPECT_THAT(health.page("GET", "/healthz").body, HasSubstr("has not run for 30s"));
}

}  // namespace
}  // namespace drover::operate
