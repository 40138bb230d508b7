#include "vendors/nvidia/operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "protocol/keys.h"
#include "test/vendors/golden.h"
#include "test/vendors/nvidia/sample.h"

namespace drover::vendors {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

json::Members ubuntu(std::string_view version) {
  return {{"feature.node.kubernetes.io/system-os_release.ID", "ubuntu"},
          {"feature.node.kubernetes.io/system-os_release.VERSION_ID", version},
          {"feature.node.kubernetes.io/kernel-version.full", "6.8.0-90-generic"}};
}

const std::vector<PoolNode> kOneNode = {{"gpu-1", ubuntu("22.04")}};

ClusterPolicyReading reading_with(std::string_view spec) { return read_cluster_policy(sample_with(spec)); }

DriverOperand driver_with(std::string_view spec, const OperandSettings& settings = {}) {
  Operands operands = render_drivers(reading_with(spec), kOneNode, {}, settings);
  EXPECT_EQ(operands.drivers.size(), 1U) << spec;
  return operands.drivers.empty() ? DriverOperand{} : operands.drivers.front();
}

const json::Value& container(const json::Value& daemon_set, std::string_view kind) {
  return json::array_at(daemon_set, {"spec", "template", "spec", kind}).at(0);
}

OperandSettings usual() { return {.own_image = "example.com/drover:1.0", .own_pull_secrets = {"own-secret"}}; }

TEST(DriverDaemonSet, IsAsWrittenDown) {
  expect_golden(driver_with("{}", usual()).daemon_set, "driver_daemon_set.txt");
}

TEST(Validator, IsAsWrittenDown) {
  expect_golden(render_validator(reading_with("{}"), usual()), "validator_daemon_set.txt");
}

TEST(Preflight, IsAsWrittenDown) {
  expect_golden(render_preflight(reading_with("{}"), driver_with("{}"), "gpu-1", usual()), "preflight_pod.txt");
}

// ---- the digest

TEST(DriverDigest, IsFrozen) {
  // A release that changes it would reload the driver of every node in the world. Do not mend this number: mend the
  // code.
  EXPECT_EQ(digest_of({.version = "550.54.15"}, {"ubuntu", "22.04", ""}), "41884ad21a432455");
  EXPECT_EQ(digest_of({.repository = "example.com/a",
                       .image = "b",
                       .version = "550",
                       .is_precompiled = true,
                       .module_type = "open",
                       .env = {{"B", "2"}, {"A", "1"}},
                       .args = {"init", "-x"},
                       .secret_env = "s",
                       .host_root = "/mnt"},
                      {"ubuntu", "22.04", "6.8.0-90-generic"}),
            "b72e8bb4505ac2ed");
}

class RelevantTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RelevantTest, ChangesTheDigestEverywhereItStands) {
  const DriverOperand before = driver_with("{}");
  const DriverOperand after = driver_with(GetParam());
  EXPECT_NE(after.digest, before.digest);
  const json::Value& pod = json::find(after.daemon_set, {"spec"})->at("template");
  EXPECT_EQ(digest_of_pod(pod), after.digest);
  for (const std::string_view kind : {"initContainers", "containers"}) {
    EXPECT_THAT(json::text_of(container(after.daemon_set, kind).at("env")),
                HasSubstr(R"({"name":"DRIVER_CONFIG_DIGEST","value":")" + after.digest + "\"}"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, RelevantTest,
    ::testing::Values(R"({"driver": {"version": "550.54.15"}})", R"({"driver": {"repository": "example.com/nvidia"}})",
                      R"({"driver": {"image": "driver-next"}})", R"({"driver": {"kernelModuleType": "open"}})",
                      R"({"driver": {"useOpenKernelModules": true}})", R"({"driver": {"usePrecompiled": true}})",
                      R"({"driver": {"env": [{"name": "A", "value": "1"}]}})",
                      R"({"driver": {"args": ["init", "-x"]}})", R"({"driver": {"secretEnv": "proxies"}})",
                      R"({"hostPaths": {"rootFS": "/mnt/root"}})"));

class CosmeticTest : public ::testing::TestWithParam<std::string_view> {};

TEST_P(CosmeticTest, ChangesTheTemplateAtMostAndNeverTheDigest) {
  EXPECT_EQ(driver_with(GetParam()).digest, driver_with("{}").digest);
}

INSTANTIATE_TEST_SUITE_P(
    All, CosmeticTest,
    ::testing::Values(
        R"({"daemonsets": {"labels": {"team": "ml"}}})", R"({"daemonsets": {"annotations": {"note": "x"}}})",
        R"({"daemonsets": {"tolerations": [{"operator": "Exists"}]}})",
        R"({"daemonsets": {"priorityClassName": "high"}})", R"({"daemonsets": {"updateStrategy": "OnDelete"}})",
        R"({"driver": {"imagePullPolicy": "Always"}})", R"({"driver": {"imagePullSecrets": ["s"]}})",
        R"({"driver": {"resources": {"limits": {"memory": "1Gi"}}}})", R"({"driver": {"hostNetwork": true}})",
        R"({"driver": {"startupProbe": {"periodSeconds": 3}}})",
        R"({"driver": {"livenessProbe": {"periodSeconds": 3}}})",
        R"({"driver": {"readinessProbe": {"periodSeconds": 3}}})",
        R"({"driver": {"manager": {"env": [{"name": "ENABLE_AUTO_DRAIN", "value": "true"}]}}})",
        R"({"driver": {"upgradePolicy": {"maxParallelUpgrades": 7}}})", R"({"driver": {"kernelModuleType": null}})",
        R"({"driver": {"rdma": {"enabled": true}}})", R"({"toolkit": {"enabled": false}})"));

TEST(DriverDigest, DoesNotDependOnOurOwnImageOrNamespace) {
  const OperandSettings other = {.ns = "elsewhere", .own_image = "drover:2", .agent_account = "other"};
  EXPECT_EQ(driver_with("{}", other).digest, driver_with("{}").digest);
}

TEST(DriverDigest, DoesNotDependOnTheOrderOfVariables) {
  EXPECT_EQ(driver_with(R"({"driver": {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]}})").digest,
            driver_with(R"({"driver": {"env": [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]}})").digest);
}

TEST(DriverDigest, TellsNeighboursApart) {
  const std::set<std::string> digests = {
      driver_with(R"({"driver": {"env": [{"name": "A", "value": "B"}]}})").digest,
      driver_with(R"({"driver": {"env": [{"name": "B", "value": "A"}]}})").digest,
      driver_with(R"({"driver": {"args": ["A", "B"]}})").digest,
      driver_with(R"({"driver": {"args": ["B", "A"]}})").digest,
      driver_with(R"({"driver": {"args": ["AB"]}})").digest,
  };
  EXPECT_EQ(digests.size(), 5U);
}

TEST(DriverDigest, IsReadFromAPodOfOursOnly) {
  const json::Value theirs = json::parse(R"({"spec": {"containers": [{"name": "nvidia-driver-ctr", "image": "a:1",
      "env": [{"name": "DRIVER_CONFIG_DIGEST", "value": "123"}]}]}})")
                                 .value();
  EXPECT_EQ(digest_of_pod(theirs), "");
  EXPECT_EQ(driver_image_of_pod(theirs), "a:1");
  EXPECT_EQ(driver_image_of_pod({}), "");
}

// ---- the template mark

// What is corrected for a pod that the scheduler does not place is what the digest leaves out.
TEST(TemplateMark, SpeaksOfWhatTheDigestLeavesOut) {
  const DriverOperand usual = driver_with("{}");
  for (const char* change : {R"({"driver": {"resources": {"requests": {"cpu": "1"}}}})",
                             R"({"daemonsets": {"tolerations": [{"operator": "Exists"}]}})",
                             R"({"driver": {"imagePullSecrets": ["another"]}})"}) {
    EXPECT_EQ(driver_with(change).digest, usual.digest) << change;
    EXPECT_NE(driver_with(change).template_mark, usual.template_mark) << change;
  }
  EXPECT_EQ(driver_with("{}").template_mark, usual.template_mark);
}

TEST(TemplateMark, IsOnTheDaemonSetAndOnItsPods) {
  const DriverOperand driver = driver_with("{}");
  EXPECT_EQ(driver.template_mark.size(), 16U);
  const json::Value* pod = json::find(driver.daemon_set, {"spec", "template"});
  ASSERT_TRUE(pod != nullptr);
  for (const json::Value* object : {static_cast<const json::Value*>(&driver.daemon_set), pod})
    EXPECT_EQ(json::text_at(*object, {"metadata", "annotations", protocol::kTemplateAnnotation}), driver.template_mark);
}

// ---- the driver

TEST(DriverDaemonSet, IsOnDeleteWhateverThePolicySays) {
  EXPECT_EQ(json::text_at(driver_with(R"({"daemonsets": {"updateStrategy": "RollingUpdate"}})").daemon_set,
                          {"spec", "updateStrategy", "type"}),
            "OnDelete");
}

TEST(DriverDaemonSet, DoesNotGoWithThePolicy) {
  EXPECT_EQ(json::find(driver_with("{}").daemon_set, {"metadata", "ownerReferences"}), nullptr);
}

TEST(DriverDaemonSet, ToleratesWhatThePolicySaysAndOurTaint) {
  const std::string text = json::text_of(*json::find(
      driver_with(R"({"daemonsets": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}})").daemon_set,
      {"spec", "template", "spec", "tolerations"}));
  EXPECT_THAT(text, HasSubstr(R"({"key":"dedicated","operator":"Exists"})"));
  EXPECT_THAT(text, HasSubstr(protocol::kSwapTaint));
  EXPECT_THAT(text, Not(HasSubstr("nvidia.com/gpu")));
}

TEST(DriverDaemonSet, OurLabelsWin) {
  const json::Value set =
      driver_with(R"({"daemonsets": {"labels": {"app": "mine", "drover.dev/driver-digest": "0", "team": "ml"}}})")
          .daemon_set;
  const json::Members& labels = json::members_at(set, {"spec", "template", "metadata", "labels"});
  EXPECT_EQ(labels.at("app"), "nvidia-driver-daemonset");
  EXPECT_NE(labels.at(protocol::kDigestLabel), "0");
  EXPECT_EQ(labels.at("team"), "ml");
  for (const auto& member : json::members_at(set, {"spec", "selector", "matchLabels"}))
    EXPECT_EQ(labels.at(member.key()), member.value()) << "a selector must select its own pods";
}

TEST(DriverDaemonSet, GivesTheVendorsContainerNoToken) {
  const json::Value set = driver_with("{}").daemon_set;
  EXPECT_THAT(json::text_of(container(set, "containers")), Not(HasSubstr("serviceaccount")));
  EXPECT_THAT(json::text_of(container(set, "initContainers")), HasSubstr("serviceaccount"));
  EXPECT_FALSE(json::flag_at(set, {"spec", "template", "spec", "automountServiceAccountToken"}, true));
}

TEST(DriverDaemonSet, AVariableOfThePolicyWinsOverTheFieldOfTheSameMeaning) {
  const std::string env = json::text_of(
      container(driver_with(R"({"driver": {"env": [{"name": "KERNEL_MODULE_TYPE", "value": "open"}]}})").daemon_set,
                "containers")
          .at("env"));
  EXPECT_THAT(env, HasSubstr(R"({"name":"KERNEL_MODULE_TYPE","value":"open"})"));
  EXPECT_THAT(env, Not(HasSubstr(R"({"name":"KERNEL_MODULE_TYPE","value":"auto"})")));
}

TEST(DriverDaemonSet, SeveralSystemsAreToldApartByTheirNodeSelectors) {
  const std::vector<PoolNode> nodes = {{"a", ubuntu("22.04")}, {"b", ubuntu("24.04")}};
  const Operands operands = render_drivers(reading_with("{}"), nodes, {}, {});
  ASSERT_EQ(operands.drivers.size(), 2U);
  std::set<std::string> selectors;
  std::set<std::string> digests;
  for (const DriverOperand& one : operands.drivers) {
    selectors.insert(json::text_of(*json::find(one.daemon_set, {"spec", "template", "spec", "nodeSelector"})));
    digests.insert(one.digest);
    EXPECT_THAT(json::text_of(container(one.daemon_set, "containers")), HasSubstr(one.image));
  }
  EXPECT_EQ(selectors.size(), 2U);
  EXPECT_EQ(digests.size(), 2U);
}

TEST(DriverDaemonSet, ASecondSystemDoesNotChangeTheDigestOfTheFirst) {
  const Operands one = render_drivers(reading_with("{}"), kOneNode, {}, {});
  const std::vector<DriverSet> existing = {driver_set_of(one.drivers.at(0).daemon_set)};
  const Operands two = render_drivers(reading_with("{}"), {kOneNode[0], {"b", ubuntu("24.04")}}, existing, {});
  ASSERT_EQ(two.drivers.size(), 2U);
  EXPECT_EQ(two.drivers[0].name, one.drivers[0].name);
  EXPECT_EQ(two.drivers[0].digest, one.drivers[0].digest);
  EXPECT_EQ(*json::find(two.drivers[0].daemon_set, {"spec", "selector"}),
            *json::find(one.drivers[0].daemon_set, {"spec", "selector"}));
}

TEST(DriverDaemonSet, IsNotRenderedWithTroubleOrWhenDisabledAndWhatIsThereStays) {
  const std::vector<DriverSet> existing = {{.name = "nvidia-driver-daemonset", .pool = "ubuntu20.04"}};
  for (const std::string_view spec : {R"({"driver": {"version": "550; rm -rf"}})", R"({"driver": {"enabled": false}})",
                                      R"({"driver": {"env": [{"name": "A B"}]}})"}) {
    const Operands operands = render_drivers(reading_with(spec), kOneNode, existing, {});
    EXPECT_THAT(operands.drivers, IsEmpty()) << spec;
    EXPECT_THAT(operands.leftovers, IsEmpty()) << spec;
  }
}

// Calls `visit` with every text below `value`, to be changed and put back.
void each_text(json::Value& value, const std::function<void(json::Value&)>& visit) {
  if (value.is_string()) visit(value);
  if (value.is_array()) {
    for (json::Value& item : value.get_array()) each_text(item, visit);
  }
  if (value.is_object()) {
    for (auto& member : value.get_object()) each_text(member.value(), visit);
  }
}

TEST(Operands, NoHostileTextOfAPolicyIsEverRendered) {
  const std::string_view hostile[] = {"550; touch /x", "$(touch /x)", "`touch /x`", "../../touch",
                                      "a\ntouch",      "-touch x",    "a\"touch",   "touch|x",
                                      "touch x",       "//touch",     "touch\u202e"};
  json::Value policy = sample_with(R"({"driver": {"imagePullSecrets": ["s"], "secretEnv": "e"},
      "daemonsets": {"labels": {"a": "b"}}, "hostPaths": {"rootFS": "/r"}})");
  int tried = 0;
  each_text(*json::find(policy, {"spec"}), [&](json::Value& text) {
    const json::Value was = text;
    for (const std::string_view bad : hostile) {
      text = bad;
      const ClusterPolicyReading reading = read_cluster_policy(policy);
      const Operands operands = render_drivers(reading, kOneNode, {}, {});
      std::string rendered;
      for (const DriverOperand& driver : operands.drivers) {
        rendered += json::text_of(driver.daemon_set);
        rendered += json::text_of(render_validator(reading, {}));
        rendered += json::text_of(render_preflight(reading, driver, "gpu-1", {}));
      }
      EXPECT_THAT(rendered, Not(HasSubstr("touch"))) << bad << " in the place of " << json::text_of(was);
      ++tried;
    }
    text = was;
  });
  EXPECT_GT(tried, 500);
}

TEST(Operands, NoHostileTextOfANodeIsEverRendered) {
  for (const std::string_view bad : {"22.04; touch", "$(touch)", "../touch", "touch x", "-touch", "a\ntouch"}) {
    const Operands operands = render_drivers(reading_with("{}"), {{"gpu-1", ubuntu(bad)}}, {}, {});
    EXPECT_THAT(operands.drivers, IsEmpty()) << bad;
    EXPECT_THAT(operands.unplaced, Contains("gpu-1")) << bad;
  }
}

// ---- the validator

TEST(Validator, IsTheSameForEveryVersionOfTheDriver) {
  for (const std::string_view spec :
       {R"({"driver": {"version": "550.1"}})", R"({"driver": {"kernelModuleType": "open"}})",
        R"({"driver": {"usePrecompiled": true}})", R"({"driver": {"upgradePolicy": {"autoUpgrade": false}}})"}) {
    EXPECT_EQ(json::text_of(render_validator(reading_with(spec), {})),
              json::text_of(render_validator(reading_with("{}"), {})))
        << spec;
  }
}

TEST(Validator, FollowsTheUpdateStrategyOfThePolicy) {
  const auto strategy = [](std::string_view spec) {
    return json::text_of(*json::find(render_validator(reading_with(spec), {}), {"spec", "updateStrategy"}));
  };
  EXPECT_EQ(strategy(R"({"daemonsets": {"updateStrategy": "OnDelete"}})"), R"({"type":"OnDelete"})");
  EXPECT_EQ(strategy(R"({"daemonsets": {"updateStrategy": null, "rollingUpdate": null}})"),
            R"({"type":"RollingUpdate"})");
  EXPECT_EQ(strategy(R"({"daemonsets": {"rollingUpdate": {"maxUnavailable": "10%"}}})"),
            R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"10%"}})");
  EXPECT_EQ(strategy(R"({"daemonsets": {"rollingUpdate": {"maxUnavailable": 3}}})"),
            R"({"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":3}})");
}

// ---- the preflight pod

TEST(Preflight, ItsNameIsTheSameForTheSameNodeAndDigestOnly) {
  EXPECT_EQ(preflight_name("gpu-1", "d1"), preflight_name("gpu-1", "d1"));
  EXPECT_NE(preflight_name("gpu-1", "d1"), preflight_name("gpu-1", "d2"));
  EXPECT_NE(preflight_name("gpu-1", "d1"), preflight_name("gpu-2", "d1"));
  const std::string common = "ip-10-0-0-1.a-very-long-domain-name.example";
  EXPECT_NE(preflight_name(common + ".com", "d"), preflight_name(common + ".org", "d"));
}

TEST(Preflight, ItsNameIsOneThatTheApiTakes) {
  for (const std::string& node :
       {std::string("a"), std::string(253, 'n'), std::string(29, 'n') + "...-" + std::string(40, 'x')}) {
    const std::string name = preflight_name(node, "0123456789abcdef");
    EXPECT_LE(name.size(), 63U);
    EXPECT_EQ(name.find(".-"), std::string::npos) << name;
  }
}

TEST(Preflight, RunsOnItsNodeWhateverTaintsThatHas) {
  const json::Value pod = render_preflight(reading_with("{}"), driver_with("{}"), "gpu-1", {});
  EXPECT_EQ(json::text_at(pod, {"spec", "nodeName"}), "gpu-1");
  EXPECT_EQ(json::text_of(*json::find(pod, {"spec", "tolerations"})), R"([{"operator":"Exists"}])");
  EXPECT_EQ(json::text_at(pod, {"spec", "restartPolicy"}), "Never");
  EXPECT_EQ(json::int_at(pod, {"spec", "activeDeadlineSeconds"}), 1800);
}

TEST(Preflight, IsNoDriverPod) {
  const json::Value pod = render_preflight(reading_with("{}"), driver_with("{}"), "gpu-1", {});
  EXPECT_NE(json::text_at(pod, {"metadata", "labels", "app"}), kDriverDaemonSet);
  EXPECT_EQ(json::text_at(pod, {"metadata", "labels", "app.kubernetes.io/component"}), "");
}

}  // namespace
}  // namespace drover::vendors
