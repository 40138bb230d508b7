#include "vendors/nvidia/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test/vendors/nvidia/sample.h"

namespace drover::vendors {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

ClusterPolicyReading with(std::string_view spec) { return read_cluster_policy(sample_with(spec)); }

TEST(ClusterPolicy, TheVendorsOwnManifestIsReadWithoutTrouble) {
  const ClusterPolicyReading reading = read_cluster_policy(sample_policy());
  EXPECT_THAT(reading.troubles, IsEmpty()) << summary_of(reading.troubles);
  EXPECT_TRUE(reading.can_be_rendered);
  EXPECT_EQ(reading.upgrade.policy.name, "cluster-policy");
  EXPECT_EQ(reading.upgrade.policy.uid, "uid-1");
  EXPECT_FALSE(reading.upgrade.policy.is_ending);
  EXPECT_TRUE(reading.driver.is_enabled);
  EXPECT_EQ(reading.driver.repository, "nvcr.io/nvidia");
  EXPECT_EQ(reading.driver.image, "driver");
  EXPECT_EQ(reading.driver.version, "570.124.06");
  EXPECT_EQ(reading.driver.loaded_version(), "570.124.06");
  EXPECT_FALSE(reading.manager.drains);
  EXPECT_TRUE(reading.manager.evicts_device_pods);
  EXPECT_EQ(reading.manager.removal, core::Removal{});
  EXPECT_EQ(reading.daemon_sets.update, DaemonSetsAsk::Update::Rolling);
  EXPECT_THAT(reading.daemon_sets.labels, Contains(Pair("app.kubernetes.io/managed-by", "gpu-operator")));
}

TEST(ClusterPolicy, SaysWhatOfTheManifestHasNoEffect) {
  const ClusterPolicyReading reading = read_cluster_policy(sample_policy());
  EXPECT_THAT(reading.ignored,
              ElementsAre("spec.driver.manager.image", "spec.driver.manager.imagePullPolicy",
                          "spec.driver.manager.repository", "spec.driver.manager.version", "spec.validator"));
  EXPECT_THAT(reading.unmanaged, ElementsAre("dcgmExporter", "devicePlugin", "gfd", "migManager", "sandboxDevicePlugin",
                                             "toolkit", "vfioManager", "vgpuDeviceManager"));
}

TEST(ClusterPolicy, TheSmallestOneMeansTheDocumentsDefaults) {
  const ClusterPolicyReading reading =
      read_cluster_policy(json::parse(R"({"metadata":{"name":"p"},"spec":{"driver":{"version":"550.1"}}})").value());
  EXPECT_THAT(reading.troubles, IsEmpty()) << summary_of(reading.troubles);
  EXPECT_TRUE(reading.upgrade.policy.is_on);
  EXPECT_EQ(reading.driver.repository, "nvcr.io/nvidia");
  EXPECT_EQ(reading.driver.pull_policy, "IfNotPresent");
  EXPECT_EQ(reading.driver.module_type, "auto");
  EXPECT_TRUE(reading.manager.evicts_device_pods);
  EXPECT_TRUE(reading.manager.drains);
  EXPECT_EQ(reading.daemon_sets.priority_class, "system-node-critical");
  EXPECT_EQ(reading.daemon_sets.update, std::nullopt);
  EXPECT_EQ(reading.daemon_sets.tolerations, std::nullopt);
  EXPECT_THAT(reading.ignored, IsEmpty());
  EXPECT_THAT(reading.unmanaged, IsEmpty());
}

TEST(ClusterPolicy, ReadsEveryDriverField) {
  const DriverAsk driver = with(R"({"hostPaths": {"rootFS": "/mnt/root"}, "driver": {
      "usePrecompiled": true, "kernelModuleType": "open", "imagePullPolicy": "Always",
      "imagePullSecrets": ["one", {"name": "two"}], "hostNetwork": true, "secretEnv": "proxies",
      "env": [{"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"}], "args": ["init", "--fast"],
      "resources": {"limits": {"memory": "2Gi"}, "requests": {"cpu": 1}},
      "startupProbe": {"periodSeconds": 5}, "livenessProbe": {"failureThreshold": 9}}})")
                               .driver;
  EXPECT_TRUE(driver.is_precompiled);
  EXPECT_EQ(driver.module_type, "open");
  EXPECT_EQ(driver.pull_policy, "Always");
  EXPECT_THAT(driver.pull_secrets, ElementsAre("one", "two"));
  EXPECT_TRUE(driver.on_host_network);
  EXPECT_EQ(driver.secret_env, "proxies");
  EXPECT_THAT(driver.env, ElementsAre(Pair("B", ""), Pair("A", "2")));
  EXPECT_THAT(driver.args, ElementsAre("init", "--fast"));
  EXPECT_EQ(json::text_of(driver.resources), R"({"limits":{"memory":"2Gi"},"requests":{"cpu":"1"}})");
  EXPECT_EQ(json::int_at(driver.startup_probe, {"periodSeconds"}), 5);
  ASSERT_TRUE(driver.liveness_probe);
  EXPECT_EQ(json::int_at(*driver.liveness_probe, {"failureThreshold"}), 9);
  EXPECT_FALSE(driver.readiness_probe);
  EXPECT_EQ(driver.host_root, "/mnt/root");
}

TEST(ClusterPolicy, ReadsTheSixVariablesOfTheDriverManager) {
  const ManagerOptions requests = with(R"({"driver": {"manager": {"env": [
      {"name": "ENABLE_GPU_POD_EVICTION", "value": "false"}, {"name": "ENABLE_AUTO_DRAIN", "value": "true"},
      {"name": "DRAIN_USE_FORCE", "value": "true"}, {"name": "DRAIN_POD_SELECTOR_LABEL", "value": "app=web"},
      {"name": "DRAIN_TIMEOUT_SECONDS", "value": "90s"}, {"name": "DRAIN_DELETE_EMPTYDIR_DATA", "value": "true"}]}}})")
                                      .manager;
  EXPECT_FALSE(requests.evicts_device_pods);
  EXPECT_TRUE(requests.drains);
  EXPECT_EQ(requests.removal, (core::Removal{true, true, 90s}));
  EXPECT_EQ(requests.drained.text(), "app=web");
}

TEST(ClusterPolicy, WithoutTheControllerTheVariablesTakeThePlaceOfItsOptions) {
  const ClusterPolicyReading reading = with(R"({"driver": {
      "upgradePolicy": {"autoUpgrade": false, "maxParallelUpgrades": 7, "maxUnavailable": 1,
                        "waitForCompletion": {"podSelector": "a=b"}, "podDeletion": {"force": true}},
      "manager": {"env": [{"name": "ENABLE_AUTO_DRAIN", "value": "false"}, {"name": "DRAIN_TIMEOUT_SECONDS", "value": "90s"},
                          {"name": "DRAIN_POD_SELECTOR_LABEL", "value": "app=web"}]}}})");
  const core::Policy& policy = reading.upgrade.policy;
  EXPECT_TRUE(policy.rolling_update);
  EXPECT_EQ(policy.max_parallel, 1);
  EXPECT_EQ(policy.unavailable.of(10), 10);
  EXPECT_FALSE(policy.jobs.is_wanted);
  EXPECT_TRUE(reading.upgrade.jobs.selects_everything());
  EXPECT_EQ(policy.device_pods, (core::Removal{.at_most = 90s, .forces = false}));
  EXPECT_FALSE(policy.drain);
  EXPECT_EQ(reading.upgrade.drained.text(), "app=web");
}

TEST(ClusterPolicy, WithOnDeleteAPersonSaysWhenADriverChanges) {
  const core::Policy policy = with(R"({"driver": {"upgradePolicy": {"autoUpgrade": false}, "manager": null},
                                       "daemonsets": {"updateStrategy": "OnDelete"}})")
                                  .upgrade.policy;
  EXPECT_FALSE(policy.rolling_update);
  EXPECT_FALSE(policy.max_parallel) << "as many as a user deletes";
  EXPECT_TRUE(policy.device_pods && policy.drain) << "both are on unless the variables say otherwise";
  EXPECT_FALSE(with(R"({"daemonsets": {"updateStrategy": "RollingUpdate"}})").upgrade.policy.rolling_update);
}

TEST(ClusterPolicy, TheOlderSwitchForOpenModulesIsReadToo) {
  EXPECT_EQ(with(R"({"driver": {"useOpenKernelModules": true}})").driver.module_type, "open");
  EXPECT_EQ(with(R"({"driver": {"useOpenKernelModules": true, "kernelModuleType": "proprietary"}})").driver.module_type,
            "proprietary");
}

TEST(ClusterPolicy, AWholeReferenceStandsForItself) {
  const ClusterPolicyReading reading = with(
      R"({"driver": {"repository": null, "version": null, "image": "example.com/nvidia/driver:550.9-ubuntu22.04"}})");
  EXPECT_THAT(reading.troubles, IsEmpty()) << summary_of(reading.troubles);
  EXPECT_TRUE(reading.driver.is_pinned());
  EXPECT_EQ(reading.driver.loaded_version(), "550.9");
}

TEST(ClusterPolicy, ADigestTellsNoVersion) {
  const std::string digest = "sha256:" + std::string(64, '1');
  const ClusterPolicyReading reading = with(R"({"driver": {"version": ")" + digest + R"("}})");
  EXPECT_THAT(reading.troubles, IsEmpty());
  EXPECT_TRUE(reading.driver.is_pinned());
  EXPECT_EQ(reading.driver.loaded_version(), "");
}

TEST(ClusterPolicy, ADisabledDriverNeedsNoVersion) {
  EXPECT_THAT(with(R"({"driver": {"enabled": false, "version": null}})").troubles, IsEmpty());
}

TEST(ClusterPolicy, ADeletedOneIsEnding) {
  json::Value policy = sample_policy();
  json::ensure(policy, {"metadata", "deletionTimestamp"}) = "2026-11-15T20:00:00Z";
  EXPECT_TRUE(read_cluster_policy(policy).upgrade.policy.is_ending);
}

TEST(ClusterPolicy, TroubleInTheUpgradePolicyDoesNotStopRendering) {
  const ClusterPolicyReading reading = with(R"({"driver": {"upgradePolicy": {"maxUnavailable": "5x"}}})");
  EXPECT_TRUE(reading.can_be_rendered);
  EXPECT_THAT(reading.upgrade.policy.trouble, HasSubstr("maxUnavailable"));
}

TEST(ClusterPolicy, WhateverShapeItHasItIsReadAndNothingCrashes) {
  for (const std::string_view text :
       {"null", "[]", "7", "{}", R"({"spec":[]})", R"({"spec":{"driver":[]}})", R"({"spec":{"driver":{"env":{}}}})",
        R"({"spec":{"driver":{"env":[7,null,{}]}}})", R"({"spec":{"daemonsets":7,"hostPaths":"x"}})",
        R"({"spec":{"driver":{"manager":{"env":[7,{"name":7}]},"imagePullSecrets":[7]}}})"}) {
    const ClusterPolicyReading reading = read_cluster_policy(json::parse(text).value());
    EXPECT_FALSE(reading.can_be_rendered) << text;
    EXPECT_FALSE(reading.upgrade.policy.trouble.empty()) << text;
  }
}

struct BadDriver {
  std::string_view spec;
  std::string_view field;
  std::string_view wanted;
};

class BadClusterPolicyTest : public ::testing::TestWithParam<BadDriver> {};

TEST_P(BadClusterPolicyTest, IsNamedWithWhatWouldBeRightAndNotRendered) {
  const ClusterPolicyReading reading = with(GetParam().spec);
  ASSERT_EQ(reading.troubles.size(), 1U) << summary_of(reading.troubles);
  EXPECT_EQ(reading.troubles[0].field, GetParam().field);
  EXPECT_THAT(reading.troubles[0].message, HasSubstr(GetParam().wanted));
  EXPECT_THAT(reading.troubles[0].message, ::testing::Not(HasSubstr("\n")));
  EXPECT_FALSE(reading.can_be_rendered);
  EXPECT_THAT(reading.upgrade.policy.trouble, HasSubstr(GetParam().field));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadClusterPolicyTest,
    ::testing::Values(
        BadDriver{R"({"driver": {"version": "550; rm -rf"}})", "spec.driver.version", "550.54.15"},
        BadDriver{R"({"driver": {"version": "550\n1"}})", "spec.driver.version", "550.54.15"},
        BadDriver{R"x({"driver": {"version": "$(id)"}})x", "spec.driver.version", "550.54.15"},
        BadDriver{R"({"driver": {"version": 550}})", "spec.driver.version", "is 550;"},
        BadDriver{R"({"driver": {"version": null}})", "spec.driver.version", "is missing"},
        BadDriver{R"({"driver": {"version": ""}})", "spec.driver.version", "is missing"},
        BadDriver{R"({"driver": {"repository": "nvcr.io/../x"}})", "spec.driver.repository",
                  "nvcr.io/nvidia is wanted"},
        BadDriver{R"({"driver": {"image": "driver;x"}})", "spec.driver.image", "the name of an image"},
        BadDriver{R"({"driver": {"image": "driver:550"}})", "spec.driver.image", "without tag or digest"},
        BadDriver{R"({"driver": {"useNvidiaDriverCRD": "yes"}})", "spec.driver.useNvidiaDriverCRD",
                  "true or false is wanted"},
        BadDriver{R"({"driver": {"kernelModuleType": "closed"}})", "spec.driver.kernelModuleType", "auto, open"},
        BadDriver{R"({"driver": {"imagePullPolicy": "Sometimes"}})", "spec.driver.imagePullPolicy", "Always"},
        BadDriver{R"({"driver": {"imagePullSecrets": ["a/b"]}})", "spec.driver.imagePullSecrets", "name of a Secret"},
        BadDriver{R"({"driver": {"enabled": "yes"}})", "spec.driver.enabled", "true or false"},
        BadDriver{R"({"driver": {"env": [{"name": "A B", "value": ""}]}})", "spec.driver.env", "a name of letters"},
        BadDriver{R"({"driver": {"env": [{"name": "A", "value": "\u0000"}]}})", "spec.driver.env[A]",
                  "control characters"},
        BadDriver{R"({"driver": {"env": [{"name": "A", "value": 7}]}})", "spec.driver.env[A]", "is 7;"},
        BadDriver{R"({"driver": {"env": [{"name": "DRIVER_CONFIG_DIGEST", "value": ""}]}})", "spec.driver.env",
                  "remove it"},
        BadDriver{R"({"driver": {"args": ["a\nb"]}})", "spec.driver.args", "one line"},
        BadDriver{R"({"driver": {"secretEnv": "../x"}})", "spec.driver.secretEnv", "name of a Secret"},
        BadDriver{R"({"driver": {"resources": {"limits": {"cpu": "much"}}}})", "spec.driver.resources.limits.cpu",
                  "500m"},
        BadDriver{R"({"driver": {"startupProbe": {"periodSeconds": 0}}})", "spec.driver.startupProbe.periodSeconds",
                  "from 1"},
        BadDriver{R"({"driver": {"livenessProbe": {"successThreshold": 2}}})",
                  "spec.driver.livenessProbe.successThreshold", "from 1 to 1"},
        BadDriver{R"({"driver": {"manager": {"env": [{"name": "ENABLE_AUTO_DRAIN", "value": "yes"}]}}})",
                  "spec.driver.manager.env[ENABLE_AUTO_DRAIN]", "\"true\" or \"false\""},
        BadDriver{R"({"driver": {"manager": {"env": [{"name": "DRAIN_TIMEOUT_SECONDS", "value": "-3s"}]}}})",
                  "spec.driver.manager.env[DRAIN_TIMEOUT_SECONDS]", "300s"},
        BadDriver{R"({"driver": {"manager": {"env": [{"name": "DRAIN_POD_SELECTOR_LABEL", "value": "a in"}]}}})",
                  "spec.driver.manager.env[DRAIN_POD_SELECTOR_LABEL]", "label selector"},
        BadDriver{R"({"hostPaths": {"rootFS": "/a/../b"}})", "spec.hostPaths.rootFS", "absolute path"},
        BadDriver{R"({"daemonsets": {"tolerations": [{"key": "a", "effect": "Never"}]}})",
                  "spec.daemonsets.tolerations", "of a taint"},
        BadDriver{R"({"daemonsets": {"tolerations": [{"operator": "Equal", "value": "x"}]}})",
                  "spec.daemonsets.tolerations", "of a taint"},
        BadDriver{R"({"daemonsets": {"labels": {"a": "b c"}}})", "spec.daemonsets.labels.a", "a valid key"},
        BadDriver{R"({"daemonsets": {"annotations": {"a": 7}}})", "spec.daemonsets.annotations.a", "a valid key"},
        BadDriver{R"({"daemonsets": {"priorityClassName": "High!"}})", "spec.daemonsets.priorityClassName",
                  "PriorityClass"},
        BadDriver{R"({"daemonsets": {"updateStrategy": "Now"}})", "spec.daemonsets.updateStrategy", "OnDelete"},
        BadDriver{R"({"daemonsets": {"rollingUpdate": {"maxUnavailable": "x%"}}})",
                  "spec.daemonsets.rollingUpdate.maxUnavailable", "10%"}));

struct NotOurs {
  std::string_view spec;
  std::string_view ignored;    // "" for none
  std::string_view unmanaged;  // "" for none
};

class NotOursTest : public ::testing::TestWithParam<NotOurs> {};

TEST_P(NotOursTest, IsListed) {
  const ClusterPolicyReading reading = with(GetParam().spec);
  EXPECT_THAT(reading.troubles, IsEmpty()) << summary_of(reading.troubles);
  if (!GetParam().ignored.empty()) {
    EXPECT_THAT(reading.ignored, Contains(GetParam().ignored));
  }
  if (!GetParam().unmanaged.empty()) {
    EXPECT_THAT(reading.unmanaged, Contains(GetParam().unmanaged));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, NotOursTest,
    ::testing::Values(
        NotOurs{R"({"driver": {"rdma": {"enabled": true}}})", "spec.driver.rdma.enabled", ""},
        NotOurs{R"({"driver": {"licensingConfig": {"configMapName": "l"}}})",
                "spec.driver.licensingConfig.configMapName", ""},
        NotOurs{R"({"driver": {"virtualTopology": {"config": "t"}}})", "spec.driver.virtualTopology.config", ""},
        NotOurs{R"({"driver": {"kernelModuleConfig": {"name": "k"}}})", "spec.driver.kernelModuleConfig.name", ""},
        NotOurs{R"({"driver": {"repoConfig": {"configMapName": "r"}}})", "spec.driver.repoConfig.configMapName", ""},
        NotOurs{R"({"driver": {"certConfig": {"name": "c"}}})", "spec.driver.certConfig.name", ""},
        NotOurs{R"({"driver": {"fieldOfTomorrow": 1}})", "spec.driver.fieldOfTomorrow", ""},
        NotOurs{R"({"driver": {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}})",
                "spec.driver.env[A].valueFrom", ""},
        NotOurs{R"({"driver": {"manager": {"env": [{"name": "FORCE_REINSTALL", "value": "true"}]}}})",
                "spec.driver.manager.env[FORCE_REINSTALL]", ""},
        NotOurs{R"({"driver": {"resources": {"claims": [{"name": "x"}]}}})", "spec.driver.resources.claims", ""},
        NotOurs{R"({"daemonsets": {"labels": {"app": "mine"}}})", "spec.daemonsets.labels[app]", ""},
        NotOurs{R"({"daemonsets": {"podSecurityContext": {"fsGroup": 1}}})", "spec.daemonsets.podSecurityContext", ""},
        NotOurs{R"({"hostPaths": {"driverInstallDir": "/opt/nvidia"}})", "spec.hostPaths.driverInstallDir", ""},
        NotOurs{R"({"sandboxWorkloads": {"enabled": true}})", "", "sandboxWorkloads"},
        NotOurs{R"({"dcgm": {"enabled": null}})", "", "dcgm"}, NotOurs{R"({"gds": {"enabled": true}})", "", "gds"}));

}  // namespace
}  // namespace drover::vendors
