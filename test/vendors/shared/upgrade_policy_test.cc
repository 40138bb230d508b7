#include "vendors/shared/upgrade_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::vendors {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

PolicyReading read_text(std::string_view text) {
  const json::Value value = json::parse(text).value();
  return read_upgrade_policy(&value, "spec.driver.upgradePolicy");
}

TEST(UpgradePolicy, AnAbsentOneMeansTheDocumentsDefaults) {
  const PolicyReading reading = read_upgrade_policy(nullptr, "spec.driver.upgradePolicy");
  EXPECT_TRUE(reading.troubles.empty());
  EXPECT_TRUE(reading.policy.is_on);
  EXPECT_EQ(reading.policy.max_parallel, 1);
  EXPECT_EQ(reading.policy.unavailable, (core::Share{25, true}));
  EXPECT_FALSE(reading.policy.jobs.is_wanted);
  EXPECT_EQ(reading.policy.device_pods, (core::Removal{.at_most = 300s}));
  EXPECT_FALSE(reading.policy.drain);
}

TEST(UpgradePolicy, ReadsEveryFieldOfTheDocument) {
  const PolicyReading reading = read_text(R"({
      "autoUpgrade": false, "maxParallelUpgrades": 4, "maxUnavailable": 7, "failureBudget": "0%",
      "waitForCompletion": {"timeoutSeconds": 60, "podSelector": "job=train"},
      "gpuPodDeletion": {"force": true, "timeoutSeconds": 30, "deleteEmptyDir": true},
      "drain": {"enable": true, "force": true, "podSelector": "app!=db", "timeoutSeconds": 45, "deleteEmptyDir": true}})");
  EXPECT_TRUE(reading.troubles.empty());
  EXPECT_FALSE(reading.policy.is_on);
  EXPECT_EQ(reading.policy.max_parallel, 4);
  EXPECT_EQ(reading.policy.unavailable, (core::Share{7, false}));
  EXPECT_EQ(reading.policy.failures, (core::Share{0, true}));
  EXPECT_EQ(reading.policy.jobs, (core::JobWait{true, 60s}));
  EXPECT_EQ(reading.jobs.text(), "job=train");
  EXPECT_EQ(reading.policy.device_pods, (core::Removal{true, true, 30s}));
  EXPECT_EQ(reading.policy.drain, (core::Removal{true, true, 45s}));
  EXPECT_EQ(reading.drained.text(), "app!=db");
}

TEST(UpgradePolicy, ADrainThatIsNotEnabledIsNone) {
  EXPECT_FALSE(read_text(R"({"drain": {}})").policy.drain);
  EXPECT_FALSE(read_text(R"({"drain": {"enable": false, "force": true}})").policy.drain);
  EXPECT_TRUE(read_text(R"({"drain": {"enable": true}})").policy.drain);
}

TEST(UpgradePolicy, ZeroIsNoLimit) {
  const PolicyReading reading = read_text(R"({"maxParallelUpgrades": 0, "gpuPodDeletion": {"timeoutSeconds": 0},
      "drain": {"enable": true, "timeoutSeconds": 0}, "waitForCompletion": {"podSelector": "a", "timeoutSeconds": 0}})");
  EXPECT_EQ(reading.policy.max_parallel, std::nullopt);
  EXPECT_EQ(reading.policy.device_pods->at_most, std::nullopt);
  EXPECT_EQ(reading.policy.drain->at_most, std::nullopt);
  EXPECT_EQ(reading.policy.jobs.at_most, std::nullopt);
}

TEST(UpgradePolicy, TheVendorsOwnSpellingIsReadToo) {
  EXPECT_EQ(read_text(R"({"podDeletion": {"timeoutSeconds": 30}})").policy.device_pods->at_most, 30s);
  EXPECT_TRUE(read_text(R"({"podDeletion": {"force": true}, "gpuPodDeletion": {"force": true}})").troubles.empty());
  EXPECT_THAT(read_text(R"({"podDeletion": {"force": true}, "gpuPodDeletion": {"force": false}})").policy.trouble,
              HasSubstr("both there and differ"));
}

struct Bad {
  std::string_view text;
  std::string_view complaint;
};

class BadPolicyTest : public ::testing::TestWithParam<Bad> {};

TEST_P(BadPolicyTest, IsNamedAndNotGuessed) {
  const PolicyReading reading = read_text(GetParam().text);
  ASSERT_FALSE(reading.troubles.empty());
  EXPECT_THAT(reading.policy.trouble, HasSubstr(GetParam().complaint));
  EXPECT_THAT(reading.policy.trouble, HasSubstr("spec.driver.upgradePolicy"));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPolicyTest,
    ::testing::Values(
        Bad{R"({"maxUnavailable": "5x"})", R"(maxUnavailable is "5x")"},
        Bad{R"({"maxUnavailable": "5"})", R"(maxUnavailable is "5")"},
        Bad{R"({"maxUnavailable": "200%"})", R"(maxUnavailable is "200%")"},
        Bad{R"({"maxUnavailable": "-1%"})", "maxUnavailable"}, Bad{R"({"maxUnavailable": "+1%"})", "maxUnavailable"},
        Bad{R"({"maxUnavailable": "%"})", "maxUnavailable"}, Bad{R"({"maxUnavailable": -1})", "maxUnavailable is -1"},
        Bad{R"({"maxUnavailable": 2.5})", "maxUnavailable"}, Bad{R"({"maxUnavailable": []})", "maxUnavailable"},
        Bad{R"({"maxParallelUpgrades": -1})", "maxParallelUpgrades is -1"},
        Bad{R"({"maxParallelUpgrades": "1"})", "maxParallelUpgrades"},
        Bad{R"({"autoUpgrade": "yes"})", "true or false"},
        Bad{R"({"gpuPodDeletion": {"timeoutSeconds": -5}})", "gpuPodDeletion.timeoutSeconds is -5"},
        Bad{R"({"drain": {"enable": true, "timeoutSeconds": 99999999999}})", "drain.timeoutSeconds"},
        Bad{R"({"drain": {"podSelector": "a in (b"}})", "drain.podSelector is not a label selector"},
        Bad{R"({"waitForCompletion": {"podSelector": 7}})", "waitForCompletion.podSelector"},
        Bad{R"({"drain": true})", "drain is not an object"}, Bad{R"([])", "is not an object"}));

}  // namespace
}  // namespace drover::vendors
