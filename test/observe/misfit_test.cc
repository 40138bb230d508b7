// Whether a pod of a template could be on a node, field by field.
#include "observe/misfit.h"

#include <gtest/gtest.h>

#include "observe/objects.h"
#include "vendors/nvidia/module.h"

namespace drover::observe::testing {
namespace {

std::string misfit(std::string_view pod_spec, std::string_view taints = "[]", std::string_view labels = "{}") {
  kube::Object node = node_object("n1");
  json::ensure(node, {"spec", "taints"}) = parsed(taints);
  json::ensure(node, {"status", "allocatable"}) = parsed(R"({"cpu": "3500m", "memory": "4Gi", "pods": "110"})");
  const vendors::WorkProfile* const profiles[] = {&vendors::nvidia_driver()};
  const NodeFacts facts = node_facts(node_projection(profiles).applied_to(node));
  const json::Value there = parsed(labels);
  return misfit_of(parsed(pod_spec), facts, [&](std::string_view key) -> std::optional<std::string_view> {
    const json::Value* value = there.get_object().if_contains(key);
    return value == nullptr ? std::nullopt : std::optional(std::string_view(value->get_string()));
  });
}

TEST(Misfit, IsATaintThatThePodDoesNotTolerate) {
  constexpr std::string_view kTeam = R"([{"key": "team", "value": "x", "effect": "NoSchedule"}])";
  EXPECT_EQ(misfit("{}", kTeam), "it does not tolerate the taint team=x:NoSchedule");
  EXPECT_EQ(misfit(R"({"tolerations": [{"key": "team", "value": "y"}]})", kTeam),
            "it does not tolerate the taint team=x:NoSchedule");
  EXPECT_EQ(misfit(R"({"tolerations": [{"key": "team", "value": "x"}]})", kTeam), "");
  EXPECT_EQ(misfit(R"({"tolerations": [{"operator": "Exists"}]})", kTeam), "");
  EXPECT_EQ(misfit("{}", R"([{"key": "team", "effect": "NoExecute"}])"),
            "it does not tolerate the taint team:NoExecute");
  EXPECT_EQ(misfit("{}", R"([{"key": "team", "effect": "PreferNoSchedule"}])"), "");
}

// They say what the conditions of the node say, and daemons are made to tolerate most of them.
TEST(Misfit, IsNotATaintOfTheNodeController) {
  for (const char* key : {"not-ready", "unreachable", "unschedulable", "disk-pressure", "network-unavailable"}) {
    EXPECT_EQ(misfit("{}", fmt::format(R"([{{"key": "node.kubernetes.io/{}", "effect": "NoSchedule"}}])", key)), "")
        << key;
  }
}

TEST(Misfit, IsASelectorThatTheNodesLabelsDoNotMatch) {
  constexpr std::string_view kWords = "its node selector or node affinity does not match the node's labels";
  EXPECT_EQ(misfit(R"({"nodeSelector": {"pool": "a"}})"), kWords);
  EXPECT_EQ(misfit(R"({"nodeSelector": {"pool": "a"}})", "[]", R"({"pool": "b"})"), kWords);
  EXPECT_EQ(misfit(R"({"nodeSelector": {"pool": "a"}})", "[]", R"({"pool": "a"})"), "");
  constexpr std::string_view kAffinity = R"({"affinity": {"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "pool", "operator": "NotIn", "values": ["b"]}]}]}}}})";
  EXPECT_EQ(misfit(kAffinity), "");
  EXPECT_EQ(misfit(kAffinity, "[]", R"({"pool": "b"})"), kWords);
}

TEST(Misfit, IsARequestThatIsMoreThanTheWholeNodeHas) {
  constexpr std::string_view kContainer = R"({{"containers": [{{"resources": {{"{}": {{"{}": "{}"}}}}}}]}})";
  const auto asks = [&](std::string_view kind, std::string_view what, std::string_view amount) {
    return misfit(fmt::format(kContainer, kind, what, amount));
  };
  EXPECT_EQ(asks("requests", "cpu", "3500m"), "");
  EXPECT_EQ(asks("requests", "cpu", "3501m"), "it requests cpu 3.501, and all that the node has is 3.5");
  EXPECT_EQ(asks("limits", "memory", "8Gi"), "it requests memory 8Gi, and all that the node has is 4Gi")
      << "a limit alone is a request too";
  EXPECT_EQ(asks("requests", "acme.example/npu", "1"),
            "it requests acme.example/npu 1, and all that the node has is 0");
}

}  // namespace
}  // namespace drover::observe::testing
