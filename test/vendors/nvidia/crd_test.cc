// What an NVIDIADriver says, and which of several a node has.
#include "vendors/nvidia/crd.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "vendors/nvidia/ownership.h"

namespace drover::vendors {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Value driver(std::string_view spec, std::string_view name = "pool-a",
                   std::string_view made_at = "2026-11-15T10:00:00Z") {
  auto object = json::parse(
      fmt::format(R"({{"metadata": {{"name": "{}", "uid": "u-{}", "creationTimestamp": "{}"}}, "spec": {}}})", name,
                  name, made_at, spec));
  EXPECT_TRUE(object) << spec;
  return object ? *object : json::Value();
}

ClusterPolicyReading reading(std::string_view spec) { return read_nvidia_driver(driver(spec), nullptr); }

TEST(NvidiaDriverObject, IsReadLikeTheDriverOfAClusterPolicy) {
  const ClusterPolicyReading read = reading(
      R"({"image": "nvcr.io/nvidia/driver", "version": "550.54.15", "kernelModuleType": "open",
          "tolerations": [{"key": "gpu", "operator": "Exists"}], "upgradePolicy": {"maxParallelUpgrades": 3}})");
  EXPECT_THAT(read.troubles, IsEmpty()) << read.upgrade.policy.trouble;
  EXPECT_EQ(read.nvidia_driver, "pool-a");
  EXPECT_EQ(read.driver.repository, "nvcr.io/nvidia");
  EXPECT_EQ(read.driver.image, "driver");
  EXPECT_EQ(read.driver.module_type, "open");
  EXPECT_EQ(read.upgrade.policy.max_parallel, 3);
  EXPECT_TRUE(read.upgrade.policy.is_on);
  ASSERT_TRUE(read.daemon_sets.tolerations);
  EXPECT_EQ(read.daemon_sets.tolerations->size(), 1U);
}

TEST(NvidiaDriverObject, TakesFromTheClusterPolicyWhatItDoesNotSayItself) {
  const auto policy = json::parse(R"({"spec": {"daemonsets": {"priorityClassName": "gold", "labels": {"team": "x"}},
                                               "hostPaths": {"rootFS": "/host"}}})");
  const ClusterPolicyReading read =
      read_nvidia_driver(driver(R"({"version": "550.54.15", "labels": {"team": "y"}})"), &*policy);
  EXPECT_EQ(read.daemon_sets.priority_class, "gold");
  EXPECT_EQ(read.daemon_sets.labels.at("team"), "y");
  EXPECT_EQ(read.driver.host_root, "/host");
}

struct BadField {
  const char* spec;
  const char* field;
};
TEST(NvidiaDriverObject, GoesWithoutTheControllerByItsOwnWordAndTheClusterPolicysUpdateStrategy) {
  const json::Value object = driver(R"({"version": "550.54.15", "upgradePolicy": {"autoUpgrade": false},
      "manager": {"env": [{"name": "ENABLE_AUTO_DRAIN", "value": "false"}]}})");
  const core::Policy alone = read_nvidia_driver(object, nullptr).upgrade.policy;
  EXPECT_TRUE(alone.rolling_update);
  EXPECT_TRUE(alone.device_pods);
  EXPECT_FALSE(alone.drain);
  const auto by_hand = json::parse(R"({"spec": {"driver": {"upgradePolicy": {"autoUpgrade": true}},
                                                "daemonsets": {"updateStrategy": "OnDelete"}}})");
  EXPECT_FALSE(read_nvidia_driver(object, &*by_hand).upgrade.policy.rolling_update);
  EXPECT_FALSE(read_nvidia_driver(object, &*by_hand).upgrade.policy.is_on) << "not the ClusterPolicy's";
}

class BadNvidiaDriver : public ::testing::TestWithParam<BadField> {};
TEST_P(BadNvidiaDriver, IsNamedByItsOwnFieldsAndRendersNothing) {
  const ClusterPolicyReading read = reading(GetParam().spec);
  ASSERT_EQ(read.troubles.size(), 1U) << read.upgrade.policy.trouble;
  EXPECT_EQ(read.troubles.front().field, GetParam().field);
  EXPECT_THAT(read.upgrade.policy.trouble, HasSubstr(GetParam().field));
}
INSTANTIATE_TEST_SUITE_P(
    Rows, BadNvidiaDriver,
    ::testing::Values(
        BadField{R"({})", "spec.version"}, BadField{R"({"version": "5 5"})", "spec.version"},
        BadField{R"({"version": "550", "driverType": "vgpu"})", "spec.driverType"},
        BadField{R"({"version": "550", "nodeAffinity": {"a": 1}})", "spec.nodeAffinity"},
        BadField{R"({"version": "550", "default": true, "nodeSelector": {"a": "b"}})", "spec.nodeSelector"},
        BadField{R"({"version": "550", "nodeSelector": {"nvidia.com/gpu-operator.driver.owner": "x"}})",
                 "spec.nodeSelector"},
        BadField{R"({"version": "550", "nodeSelector": {"pool": 3}})", "spec.nodeSelector.pool"},
        BadField{R"({"version": "550", "tolerations": [{"operator": "Equal"}]})", "spec.tolerations"},
        BadField{R"({"version": "550", "upgradePolicy": {"maxUnavailable": "5x"}})",
                 "spec.upgradePolicy.maxUnavailable"},
        BadField{R"({"version": "550", "manager": {"env": [{"name": "ENABLE_AUTO_DRAIN", "value": "yes"}]}})",
                 "spec.manager.env[ENABLE_AUTO_DRAIN]"}));

// ---- whose a node is

// "0" and "1": the policy by index; "-": none; "!": several select it.
std::string owner(const std::vector<PolicyObject>& policies, std::map<std::string, std::string> labels) {
  labels.try_emplace("nvidia.com/gpu.present", "true");
  const Owner owner = allot_nvidia(policies).owner_of([&](std::string_view key) {
    const auto at = labels.find(std::string(key));
    return at == labels.end() ? std::string_view() : std::string_view(at->second);
  });
  return (owner.policy ? std::to_string(*owner.policy) : "-") + (owner.rivals.empty() ? "" : "!");
}

class Ownership : public ::testing::Test {
 protected:
  static constexpr const char* kOwner = "nvidia.com/gpu-operator.driver.owner";
  json::Value a = driver(R"({"version": "550", "nodeSelector": {"pool": "a"}})", "a");
  json::Value b = driver(R"({"version": "550", "nodeSelector": {"zone": "b"}})", "b");
  json::Value rest = driver(R"({"version": "550", "default": true})", "rest");
  std::vector<PolicyObject> all = {{1, &a}, {1, &b}, {1, &rest}};
};

TEST_F(Ownership, GoesToTheOneThatSelectsAndElseToTheDefault) {
  EXPECT_EQ(owner(all, {{"pool", "a"}}), "0");
  EXPECT_EQ(owner(all, {{"zone", "b"}}), "1");
  EXPECT_EQ(owner(all, {{"pool", "x"}}), "2");
  EXPECT_EQ(owner(all, {{"pool", "a"}, {"nvidia.com/gpu.present", "false"}}), "-");
}

TEST_F(Ownership, StaysWhereItWasWhereTwoSelect) {
  EXPECT_EQ(owner(all, {{"pool", "a"}, {"zone", "b"}}), "-!");
  EXPECT_EQ(owner(all, {{"pool", "a"}, {"zone", "b"}, {kOwner, "b"}}), "1!");
  EXPECT_EQ(owner(all, {{"pool", "a"}, {"zone", "b"}, {kOwner, "rest"}}), "-!") << "which does not select it";
}

TEST_F(Ownership, OfTwoDefaultsTheOlderCounts) {
  const json::Value younger = driver(R"({"version": "570", "default": true})", "aaa", "2026-11-15T11:00:00Z");
  const std::vector<PolicyObject> policies = {{1, &younger}, {1, &rest}};
  EXPECT_EQ(owner(policies, {}), "1");
  EXPECT_THAT(allot_nvidia(policies).ignored_because[0], HasSubstr("rest is older and the default"));
  EXPECT_THAT(allot_nvidia(policies).ignored_because[1], IsEmpty());
}

TEST_F(Ownership, IsTheClusterPolicysUnlessItLetsThem) {
  json::Value policy = *json::parse(R"({"metadata": {"name": "cluster-policy"}, "spec": {"driver": {}}})");
  const std::vector<PolicyObject> policies = {{0, &policy}, {1, &a}, {1, &rest}};
  EXPECT_EQ(owner(policies, {{"pool", "a"}}), "0");
  EXPECT_THAT(allot_nvidia(policies).ignored_because[1], HasSubstr("ClusterPolicy cluster-policy"));
  json::ensure(policy, {"spec", "driver", "useNvidiaDriverCRD"}) = true;
  EXPECT_EQ(owner(policies, {{"pool", "a"}}), "1");
  EXPECT_THAT(allot_nvidia(policies).ignored_because[0], IsEmpty()) << "what it says of all DaemonSets holds";
}

TEST_F(Ownership, ADriverThatIsBeingDeletedHasNothingAndOneThatCannotBeReadTakesNothing) {
  json::ensure(a, {"metadata", "deletionTimestamp"}) = "2026-11-15T12:00:00Z";
  EXPECT_EQ(owner(all, {{"pool", "a"}}), "2");
  b = driver(R"({"version": "550", "nodeSelector": {"zone": 7}})", "b");
  EXPECT_EQ(owner(all, {{"zone", "b"}}), "2");
}

TEST_F(Ownership, NamesTheLabelsThatItAsksFor) {
  EXPECT_THAT(allot_nvidia(all).label_keys, ::testing::ElementsAre("pool", "zone"));
}

}  // namespace
}  // namespace drover::vendors
