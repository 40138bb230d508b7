// Tenstorrent's policy: what is read of it, and the builder's DaemonSet that comes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/keys.h"
#include "test/vendors/golden.h"
#include "vendors/tenstorrent/driver_desired.h"
#include "vendors/tenstorrent/driver_operands.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

json::Value policy(std::string_view spec, std::string_view name = "default") {
  return json::Members{{"metadata", json::Members{{"name", name}, {"uid", "uid-1"}}},
                       {"spec", json::parse(spec).value()}};
}
DriverPolicyReading read(std::string_view spec) { return read_driver_policy(policy(spec)); }
json::Value built(std::string_view spec, const OperandSettings& settings = {}) {
  return render_builder(read(spec), settings);
}
std::string hash_of(const json::Value& daemon_set) {
  return std::string(json::text_at(daemon_set, {"metadata", "annotations", kTemplateHash}));
}
std::string digest_on(const json::Value& daemon_set) {
  return std::string(json::text_at(daemon_set, {"spec", "template", "metadata", "labels", protocol::kDigestLabel}));
}
std::string_view variable_of(const json::Value& daemon_set, std::string_view name) {
  const json::Value& container = json::array_at(daemon_set, {"spec", "template", "spec", "containers"}).at(0);
  for (const json::Value& one : json::array_at(container, {"env"})) {
    if (json::text_at(one, {"name"}) == name) return json::text_at(one, {"value"});
  }
  return "absent";
}

constexpr const char* kFleet = R"({"version": "2.8.0", "nodeAffinity": {}})";

// ---- reading

TEST(DriverPolicy, AbsentMeansTheDocumentsDefaults) {
  const auto reading = read(kFleet);
  EXPECT_EQ(reading.upgrade.policy.trouble, "");
  EXPECT_TRUE(reading.can_be_rendered);
  EXPECT_EQ(reading.version, "2.8.0");
  EXPECT_FALSE(reading.kills_holders);
  EXPECT_EQ(reading.pull_policy, "IfNotPresent");
  const core::Policy& upgrade = reading.upgrade.policy;
  EXPECT_TRUE(upgrade.is_on);
  EXPECT_EQ(upgrade.max_parallel, 1);
  EXPECT_EQ(upgrade.device_pods, (core::Removal{.takes_local_data = true, .at_most = 600s, .forces = false}));
  EXPECT_EQ(upgrade.drain, (core::Removal{.takes_local_data = true, .at_most = 600s, .forces = false}));
  EXPECT_TRUE(reading.upgrade.drained.selects_everything());
}

TEST(DriverPolicy, EveryFieldIsRead) {
  const auto reading = read(R"x({"version": "2.9.0", "nodeSelector": {"matchLabels": {"pool": "a"}}, "paused": true,
    "installer": {"image": "example.com/builder:1", "imagePullPolicy": "Always"},
    "upgradePolicy": {"maxParallel": 3, "failureBudget": 2, "forceUnload": true,
      "drain": {"podSelectorLabel": "app notin (a,b)", "force": true, "deleteEmptyDir": false, "timeoutSeconds": 0}}})x");
  EXPECT_EQ(reading.upgrade.policy.trouble, "");
  const core::Policy& upgrade = reading.upgrade.policy;
  EXPECT_FALSE(upgrade.is_on);
  EXPECT_EQ(upgrade.max_parallel, 3);
  EXPECT_EQ(upgrade.failures, (core::Share{.amount = 2}));
  EXPECT_TRUE(reading.kills_holders);
  EXPECT_EQ(reading.image, "example.com/builder:1");
  EXPECT_EQ(reading.pull_policy, "Always");
  EXPECT_EQ(upgrade.device_pods, (core::Removal{.takes_bare_pods = true, .takes_local_data = true, .forces = false}))
      << "deleteEmptyDir speaks of the second pass; 0 means no limit";
  EXPECT_EQ(upgrade.drain, (core::Removal{.takes_bare_pods = true, .forces = false}));
  EXPECT_FALSE(reading.upgrade.drained.matches(json::Members{{"app", "a"}}));
  EXPECT_TRUE(reading.upgrade.drained.matches(json::Members{{"app", "c"}}));
}

TEST(DriverPolicy, DrainAndItsSecondPassCanBeOff) {
  const auto first =
      read(R"({"version": "2.8.0", "nodeAffinity": {}, "upgradePolicy": {"drain": {"fullNode": false}}})");
  EXPECT_TRUE(first.upgrade.policy.device_pods);
  EXPECT_FALSE(first.upgrade.policy.drain);
  const auto none = read(R"({"version": "2.8.0", "nodeAffinity": {}, "upgradePolicy": {"drain": {"enable": false}}})");
  EXPECT_FALSE(none.upgrade.policy.device_pods);
  EXPECT_FALSE(none.upgrade.policy.drain);
}

TEST(DriverPolicy, WhatCannotBeReadIsNamedAndNotRendered) {
  const struct {
    const char* spec;
    const char* trouble;
  } rows[] = {
      {R"({"nodeAffinity": {}})", "spec.version is missing"},
      {R"({"version": "2.8", "nodeAffinity": {}})", "spec.version is \"2.8\""},
      {R"({"version": "2.8.0;id", "nodeAffinity": {}})", "a version such as 2.8.0 is wanted"},
      {R"({"version": 2, "nodeAffinity": {}})", "spec.version is 2"},
      {R"({"version": "2.8.0"})", "exactly one of spec.nodeAffinity or spec.nodeSelector must be set"},
      {R"({"version": "2.8.0", "nodeAffinity": {}, "nodeSelector": {}})", "exactly one of"},
      {R"({"version": "2.8.0", "nodeAffinity": {"matchExpressions": [{"key": "a", "operator": "Like"}]}})",
       "spec.nodeAffinity"},
      {R"({"version": "2.8.0", "nodeAffinity": {}, "paused": "yes"})", "spec.paused"},
      {R"({"version": "2.8.0", "nodeAffinity": {}, "installer": {"image": "no tag here"}})", "spec.installer.image"},
      {R"({"version": "2.8.0", "nodeAffinity": {}, "installer": {"imagePullPolicy": "Often"}})",
       "spec.installer.imagePullPolicy"},
  };
  for (const auto& row : rows) {
    const auto reading = read(row.spec);
    EXPECT_THAT(reading.upgrade.policy.trouble, HasSubstr(row.trouble)) << row.spec;
    EXPECT_FALSE(reading.can_be_rendered) << row.spec;
    EXPECT_TRUE(render_builder(reading, {}).is_null()) << row.spec;
  }
}

TEST(DriverPolicy, TroubleInTheUpgradeOptionsStopsNewUpgradesAndNotTheTemplate) {
  const struct {
    const char* upgrade;
    const char* trouble;
  } rows[] = {
      {R"({"maxParallel": 0})", "spec.upgradePolicy.maxParallel is 0; a whole number from 1"},
      {R"({"failureBudget": "x"})", "spec.upgradePolicy.failureBudget"},
      {R"({"drain": {"timeoutSeconds": -1}})", "spec.upgradePolicy.drain.timeoutSeconds is -1"},
      {R"({"drain": {"podSelectorLabel": "a in b"}})", "spec.upgradePolicy.drain.podSelectorLabel"},
      {R"({"drain": {"enable": "no"}})", "spec.upgradePolicy.drain.enable"},
      {R"({"forceUnload": 1})", "spec.upgradePolicy.forceUnload"},
  };
  for (const auto& row : rows) {
    const auto reading =
        read(std::string(R"({"version": "2.8.0", "nodeAffinity": {}, "upgradePolicy": )") + row.upgrade + "}");
    EXPECT_THAT(reading.upgrade.policy.trouble, HasSubstr(row.trouble));
    EXPECT_TRUE(reading.can_be_rendered);
  }
}

TEST(DriverPolicy, ANameThatIsNoLabelValueIsTrouble) {
  const auto reading = read_driver_policy(policy(kFleet, std::string(64, 'a')));
  EXPECT_THAT(reading.upgrade.policy.trouble, HasSubstr("metadata.name"));
  EXPECT_FALSE(reading.can_be_rendered);
}

TEST(DriverPolicy, SelectsNodesWithADeviceThatAreNotSkipped) {
  const auto reading = read(R"({"version": "2.8.0", "nodeAffinity": {"matchLabels": {"pool": "a"}}})");
  std::map<std::string, std::string, std::less<>> labels = {{std::string(kTenstorrentPciLabel), "true"}, {"pool", "a"}};
  const LabelsOf look = [&](std::string_view key) -> std::string_view {
    const auto found = labels.find(key);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  };
  EXPECT_TRUE(reading.selects(look));
  labels[std::string(kTenstorrentSkipLabel)] = "true";
  EXPECT_FALSE(reading.selects(look));
  labels[std::string(kTenstorrentSkipLabel)] = "false";
  EXPECT_TRUE(reading.selects(look));
  labels["pool"] = "b";
  EXPECT_FALSE(reading.selects(look));
  labels["pool"] = "a";
  labels.erase(std::string(kTenstorrentPciLabel));
  EXPECT_FALSE(reading.selects(look));
  EXPECT_TRUE(reading.selects(look, false));
}

// ---- the DaemonSet

TEST(Builder, IsAsWrittenDown) {
  OperandSettings settings{
      .ns = "tt-k8s-driver-manager-system", .own_image = "example.com/builder:1.0", .own_pull_secrets = {"own-secret"}};
  settings.proxies = {{"HTTPS_PROXY", "http://proxy.example:3128"}, {"LD_PRELOAD", "x"}, {"no_proxy", ""}};
  expect_golden(built(R"({"version": "2.8.0", "nodeAffinity": {"matchLabels": {"pool": "a"}}})", settings),
                "builder_daemon_set.txt");
}

TEST(KmdDigest, IsFrozen) {
  // A release that changes it would reload the driver of every node in the world. Do not mend this number: mend the
  // code.
  EXPECT_EQ(kmd_digest("2.8.0"), "ba137c09335c3cc0");
}

TEST(Builder, TheDriversDigestSpeaksOfItsVersionAlone) {
  const std::string digest = digest_on(built(kFleet));
  EXPECT_EQ(digest, kmd_digest("2.8.0"));
  EXPECT_NE(digest, digest_on(built(R"({"version": "2.8.1", "nodeAffinity": {}})")));
  OperandSettings other;
  other.builder_image = "example.com/new:2";
  other.proxies = {{"HTTPS_PROXY", "http://a"}};
  EXPECT_EQ(digest, digest_on(built(kFleet, other)));
  EXPECT_EQ(digest, digest_on(built(R"({"version": "2.8.0", "nodeAffinity": {"matchLabels": {"a": "b"}},
    "upgradePolicy": {"forceUnload": true}, "installer": {"image": "a:b"}})")));
}

TEST(Builder, TheTemplatesHashSpeaksOfTheRest) {
  const std::string hash = hash_of(built(kFleet));
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(hash, json::text_at(built(kFleet), {"spec", "template", "metadata", "annotations", kTemplateHash}));
  OperandSettings proxied;
  proxied.proxies = {{"HTTPS_PROXY", "http://a"}};
  EXPECT_NE(hash, hash_of(built(kFleet, proxied)));
  EXPECT_NE(hash, hash_of(built(R"({"version": "2.8.0", "nodeAffinity": {}, "installer": {"image": "a:b"}})")));
  EXPECT_EQ(hash, hash_of(built(R"({"version": "2.8.0", "nodeAffinity": {}, "paused": true,
    "upgradePolicy": {"maxParallel": 5, "drain": {"force": true}}})")));
}

TEST(Builder, TheOrderOfLabelsMeansNothing) {
  const auto one = built(R"({"version": "2.8.0", "nodeAffinity": {"matchLabels": {"a": "1", "b": "2", "c": "3"},
    "matchExpressions": [{"key": "x", "operator": "In", "values": ["p", "q"]}, {"key": "y", "operator": "Exists"}]}})");
  const auto other = built(R"({"version": "2.8.0", "nodeAffinity": {
    "matchExpressions": [{"key": "y", "operator": "Exists"}, {"key": "x", "operator": "In", "values": ["q", "p"]}],
    "matchLabels": {"c": "3", "a": "1", "b": "2"}}})");
  EXPECT_EQ(json::text_of(one), json::text_of(other));
}

TEST(Builder, ForceUnloadReachesTheContainerWithoutRollingEveryPod) {
  const auto off = built(kFleet);
  const auto on = built(R"({"version": "2.8.0", "nodeAffinity": {}, "upgradePolicy": {"forceUnload": true}})");
  EXPECT_EQ(variable_of(off, "TT_FORCE_UNLOAD"), "false");
  EXPECT_EQ(variable_of(on, "TT_FORCE_UNLOAD"), "true");
  EXPECT_EQ(hash_of(off), hash_of(on));
  const json::Value pod = json::Members{{"spec", *json::find(on, {"spec", "template", "spec"})}};
  EXPECT_EQ(kmd_version_of_pod(pod), "2.8.0");
  EXPECT_EQ(json::text_at(on, {"spec", "template", "metadata", "annotations", kForceAnnotation}), "true");
  EXPECT_EQ(json::text_at(off, {"spec", "template", "metadata", "annotations", kForceAnnotation}), "false");
}

TEST(Builder, OnlyTheSixProxyVariablesReachIt) {
  OperandSettings settings;
  settings.proxies = {{"https_proxy", "http://a"}, {"NO_PROXY", ".svc"}, {"KUBECONFIG", "x"}, {"HTTP_PROXY", ""}};
  const auto set = built(kFleet, settings);
  EXPECT_EQ(variable_of(set, "https_proxy"), "http://a");
  EXPECT_EQ(variable_of(set, "NO_PROXY"), ".svc");
  EXPECT_EQ(variable_of(set, "KUBECONFIG"), "absent");
  EXPECT_EQ(variable_of(set, "HTTP_PROXY"), "absent");
}

// ---- the door

TEST(TenstorrentWants, AnswersWhatEveryVendorIsAsked) {
  const json::Value good = policy(kFleet);
  const json::Value bad = policy(R"({"version": "x", "nodeAffinity": {}})");
  const std::vector<PolicyObject> policies = {{.object = &good}, {.object = &bad}};
  const auto wants = tenstorrent_wants(policies, 0, {}, {}, {});
  std::map<std::string, std::string, std::less<>> labels = {{std::string(kTenstorrentPciLabel), "true"}};
  const LabelsOf look = [&](std::string_view key) -> std::string_view {
    const auto found = labels.find(key);
    return found == labels.end() ? std::string_view() : std::string_view(found->second);
  };
  EXPECT_TRUE(wants->selects(look));
  EXPECT_FALSE(wants->is_host_managed(look));
  EXPECT_EQ(wants->desired_on(look).digest, kmd_digest("2.8.0"));
  EXPECT_EQ(wants->desired_on(look).daemon_set, "ttdrv-default");
  EXPECT_EQ(wants->desired_on(look).image, "drover:latest");
  ASSERT_EQ(wants->daemon_sets().size(), 1U);
  labels[std::string(kInstallModeLabel)] = "host";
  EXPECT_TRUE(wants->is_host_managed(look));
  EXPECT_FALSE(wants->keeps_what_is_there());
  const auto broken = tenstorrent_wants(policies, 1, {}, {}, {});
  EXPECT_FALSE(broken->brings_driver());
  EXPECT_TRUE(broken->selects(look)) << "its nodes stay its own";
  EXPECT_EQ(broken->desired_on(look).digest, "") << "and their target is not known";
  EXPECT_TRUE(broken->daemon_sets().empty());
  EXPECT_TRUE(broken->keeps_what_is_there()) << "what is there stays as it is";
}

// ---- words

TEST(TenstorrentWords, PartsOfPathsAreNothingMore) {
  for (const char* good : {"6.8.0-90-generic", "6.1.0-41-amd64", "5.15.0+", "5.2.0"}) EXPECT_TRUE(is_path_part(good));
  for (const char* bad : {"", ".", "..", "a/b", "-x", ".hidden", "a..b", "a b", "a\n"}) EXPECT_FALSE(is_path_part(bad));
}

TEST(TenstorrentWords, OnlyHttpsSourcesWithoutSecrets) {
  for (const char* good : {"https://github.com/tenstorrent/tt-kmd.git", "https://mirror.example:8443/a/b_c~d"})
    EXPECT_TRUE(is_kmd_source(good)) << good;
  for (const char* bad :
       {"git@github.com:a/b", "https://a:b@c/d", "https://a:99999999/b", "https://a//b", "https:///b"})
    EXPECT_FALSE(is_kmd_source(bad)) << bad;
}

}  // namespace
}  // namespace drover::vendors
