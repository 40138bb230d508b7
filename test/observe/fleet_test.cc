// The fleet put together from what is watched: which pod is whose driver, and whose trouble is whose.
#include "observe/fleet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "observe/objects.h"
#include "protocol/keys.h"
#include "vendors/nvidia/module.h"

namespace drover::observe::testing {
namespace {

const base::WallTime kFleetNow = base::parse_rfc3339("2026-11-15T12:00:00Z").value();
const vendors::WorkProfile& kFleetProfile = vendors::nvidia_driver();

class FleetTest : public ::testing::Test {
 protected:
  FleetTest() { set_policy(); }

  // Members of spec.driver and of spec.daemonsets as JSON text.
  void set_policy(std::string_view driver = R"("resources": {})", std::string_view daemon_sets = "") {
    policies[0].put(parsed(fmt::format(R"({{"metadata": {{"name": "cluster-policy", "uid": "policy",
        "resourceVersion": "{}", "creationTimestamp": "2026-11-15T10:00:00Z"}},
        "spec": {{"driver": {{"version": "550.54.15", {}}}, "daemonsets": {{{}}}}}}})",
                                       ++version, driver, daemon_sets)));
    policy_set.read();
    fleet.everything_changed();
  }

  void add_node(std::string_view name, std::string_view taints = "[]", std::string_view state = "") {
    kube::Object node = node_object(name);
    json::ensure(node, {"metadata", "resourceVersion"}) = fmt::format("{}", ++version);
    if (!state.empty()) label(node, kFleetProfile.state_label, state);
    json::ensure(node, {"spec", "taints"}) = parsed(taints);
    json::ensure(node, {"status", "allocatable"}) = parsed(R"({"cpu": "64", "memory": "256Gi"})");
    label(node, "feature.node.kubernetes.io/pci-10de.present", "true");
    label(node, "feature.node.kubernetes.io/system-os_release.ID", "ubuntu");
    label(node, "feature.node.kubernetes.io/system-os_release.VERSION_ID", "22.04");
    nodes.put(node);
    fleet.node_changed(std::string(name));
  }

  // A pod with the driver's label, on a node or on none.
  static kube::Object driver_pod(std::string_view name, std::string_view node, std::string_view digest) {
    kube::Object pod = pod_object(name);
    json::ensure(pod, {"metadata", "namespace"}) = "gpu-operator";
    json::ensure(pod, {"metadata", "uid"}) = fmt::format("uid-{}", name);
    json::ensure(pod, {"metadata", "ownerReferences"}) =
        parsed(R"([{"kind": "DaemonSet", "name": "nvidia-driver-daemonset", "uid": "set", "controller": true}])");
    json::ensure(pod, {"spec", "nodeName"}) = node;
    label(pod, "app", "nvidia-driver-daemonset");
    if (!digest.empty()) label(pod, protocol::kDigestLabel, digest);
    return pod;
  }
  // A DaemonSet of ours, and a pod that it made for a node and that is not scheduled yet.
  void add_set(std::string_view name = "nvidia-driver-daemonset", std::string_view uid = "set") {
    kube::Object set = parsed(R"({"metadata": {"namespace": "gpu-operator", "generation": 1}})");
    json::ensure(set, {"metadata", "name"}) = name;
    json::ensure(set, {"metadata", "uid"}) = uid;
    annotate(set, protocol::kPolicyAnnotation, "cluster-policy");
    sets.put(set);
    fleet.everything_changed();
  }
  static kube::Object pending_pod(std::string_view name, std::string_view node, std::string_view digest) {
    kube::Object pod = driver_pod(name, "", digest);
    json::ensure(pod, {"spec", "affinity"}) = parsed(fmt::format(
        R"({{"nodeAffinity": {{"requiredDuringSchedulingIgnoredDuringExecution": {{"nodeSelectorTerms": [
            {{"matchFields": [{{"key": "metadata.name", "operator": "In", "values": ["{}"]}}]}}]}}}}}})",
        node));
    json::ensure(pod, {"status"}) = parsed(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled",
        "status": "False", "reason": "Unschedulable", "message": "0/1 nodes are available: 1 Insufficient cpu."}]})");
    return pod;
  }
  void add_pod(const kube::Object& pod) {
    pods.put(pod);
    for (const std::string& node : index.changed(fmt::format("gpu-operator/{}", kube::name_of(pod))))
      fleet.pods_changed(node);
  }

  const core::DriverView& driver_on(std::string_view name) {
    for (const core::NodeView& node : fleet.look({}, kFleetNow).nodes) {
      if (node.name == name) return node.driver;
    }
    ADD_FAILURE() << "no fleet sees " << name;
    return none;
  }
  // Of the driver that the policy wants on these nodes.
  std::string wanted_digest() {
    fleet.look({}, kFleetNow);
    return fleet.desired(0).digest;
  }

  kube::Cache<NodeFacts> nodes{[](const kube::Object& object) { return node_facts(object); }};
  kube::Cache<PodFacts> pods{[](const kube::Object& object) {
    return operand_facts(operand_projection(kFleetProfile).applied_to(object), kFleetProfile);
  }};
  kube::Cache<DaemonSetFacts> sets{[](const kube::Object& object) { return daemon_set_facts(object, kFleetProfile); }};
  PolicyCaches policies = policy_caches(kFleetProfile);
  OperandPods index{pods, sets, kFleetProfile};
  PolicySet policy_set{policies, kFleetProfile};
  ResourceClaims claims = claims_of(kFleetProfile);
  Stopwatch stopwatch;
  Fleet fleet{{.nodes = nodes,
               .operand_pods = index,
               .daemon_sets = sets,
               .policy_set = policy_set,
               .claims = claims,
               .stopwatch = stopwatch},
              PolicyRef{.kind = 0, .key = "cluster-policy"},
              kFleetProfile,
              {}};
  core::DriverView none;
  int version = 0;
};

TEST_F(FleetTest, WithoutNodesAndPodsThereIsNothingToSay) {
  EXPECT_TRUE(fleet.look({}, kFleetNow).nodes.empty());
  EXPECT_EQ(fleet.seen().policy.name, "cluster-policy");
}

TEST_F(FleetTest, ADriverPodIsItsNodesDriver) {
  add_node("a");
  add_pod(driver_pod("driver-a", "a", "old"));
  ASSERT_EQ(fleet.look({}, kFleetNow).nodes.size(), 1U);
  EXPECT_EQ(driver_on("a").pod, "uid-driver-a");
  EXPECT_TRUE(driver_on("a").is_outdated);
}

TEST_F(FleetTest, APodThatIsNotScheduledYetAndNamesNoNodeIsTheDriverOfNoNode) {
  add_node("a");
  add_set();
  kube::Object follower = driver_pod("follower", "", wanted_digest());
  json::ensure(follower, {"status", "phase"}) = "Pending";
  add_pod(follower);
  EXPECT_EQ(driver_on("a").pod, "");
}

// The fault: it was invisible, and "its pod does not exist yet".
TEST_F(FleetTest, APodThatIsNotScheduledYetIsTheDriverOfTheNodeThatItsAffinityNames) {
  add_node("a");
  add_node("b");
  add_set();
  add_pod(pending_pod("driver-a", "a", "old"));
  const core::DriverView driver = driver_on("a");
  EXPECT_EQ(driver.pod, "uid-driver-a");
  EXPECT_TRUE(driver.is_outdated);
  EXPECT_TRUE(driver.never_ran);
  EXPECT_TRUE(driver.is_unscheduled);
  EXPECT_TRUE(driver.is_first) << "nothing runs";
  EXPECT_EQ(driver.trouble, "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.");
  EXPECT_EQ(driver_on("b").pod, "");
}

TEST_F(FleetTest, APodThatIsNotScheduledYetBelongsToANodeThatEveryTermNames) {
  add_node("a");
  add_set();
  kube::Object pod = pending_pod("driver-a", "a", "old");
  const auto with_term = [&](std::string_view term) {
    kube::Object other = pod;
    json::find(other, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                       "nodeSelectorTerms"})
        ->get_array()
        .push_back(parsed(term));
    add_pod(other);
    return driver_on("a").pod;
  };
  EXPECT_EQ(with_term(R"({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]})"),
            "uid-driver-a");
  EXPECT_EQ(with_term(R"({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]})"), "");
  EXPECT_EQ(with_term(R"({"matchExpressions": [{"key": "pool", "operator": "Exists"}]})"), "");
}

// Anyone who may make pods there could name any node.
TEST_F(FleetTest, APodThatIsNotScheduledYetCountsOnlyIfADaemonSetOfOursMadeIt) {
  add_node("a");
  add_pod(pending_pod("driver-a", "a", "old"));
  EXPECT_EQ(driver_on("a").pod, "") << "its DaemonSet is not known";
  add_set("nvidia-driver-daemonset", "another");
  EXPECT_EQ(driver_on("a").pod, "") << "another one of its name";
  add_set();
  EXPECT_EQ(driver_on("a").pod, "uid-driver-a") << "whichever was seen first";
  kube::Object bare = pending_pod("driver-a", "a", "old");
  json::remove(bare, {"metadata", "ownerReferences"});
  add_pod(bare);
  EXPECT_EQ(driver_on("a").pod, "");
}

TEST_F(FleetTest, APodThatRunsCountsBeforeOneThatIsNotScheduledAndOneThatStaysBeforeOneThatGoes) {
  add_node("a");
  add_set();
  add_pod(pending_pod("a-waits", "a", wanted_digest()));
  kube::Object going = driver_pod("b-goes", "a", "old");
  json::ensure(going, {"metadata", "deletionTimestamp"}) = "2026-11-15T11:59:00Z";
  add_pod(going);
  EXPECT_EQ(driver_on("a").pod, "uid-b-goes");
  add_pod(driver_pod("c-stays", "a", "old"));
  EXPECT_EQ(driver_on("a").pod, "uid-c-stays");
}

TEST_F(FleetTest, APodIsFoundOnItsNodeBeforeAndAfterItIsScheduled) {
  add_node("a");
  add_set();
  add_pod(pending_pod("driver-a", "a", "old"));
  EXPECT_TRUE(driver_on("a").is_unscheduled);
  kube::Object bound = pending_pod("driver-a", "a", "old");
  json::ensure(bound, {"spec", "nodeName"}) = "a";
  json::ensure(bound, {"status"}) = parsed(R"({"phase": "Pending"})");
  add_pod(bound);
  EXPECT_EQ(driver_on("a").pod, "uid-driver-a");
  EXPECT_FALSE(driver_on("a").is_unscheduled);
  EXPECT_TRUE(driver_on("a").never_ran);
  json::ensure(bound, {"status"}) =
      parsed(R"({"phase": "Pending", "containerStatuses": [{"state": {"terminated": {"exitCode": 1}}}, {}]})");
  add_pod(bound);
  EXPECT_FALSE(driver_on("a").never_ran) << "one of its containers has run";
  json::ensure(bound, {"status"}) = parsed(R"({"phase": "Pending", "containerStatuses": [
      {"state": {"waiting": {}}, "lastState": {"terminated": {"exitCode": 255}}}]})");
  add_pod(bound);
  EXPECT_FALSE(driver_on("a").never_ran) << "it has run before its machine was rebooted";
}

TEST_F(FleetTest, AValidatorThatIsNotScheduledYetSaysSo) {
  add_node("a");
  add_set("nvidia-operator-validator", "validators");
  kube::Object validator = pending_pod("validator-a", "a", "");
  label(validator, "app", "nvidia-operator-validator");
  json::ensure(validator, {"metadata", "ownerReferences"}) = parsed(
      R"([{"kind": "DaemonSet", "name": "nvidia-operator-validator", "uid": "validators", "controller": true}])");
  add_pod(validator);
  EXPECT_EQ(fleet.look({}, kFleetNow).nodes.at(0).validator.trouble,
            "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.");
}

// At rest its steady clock measures, from the first sight on.
TEST_F(FleetTest, ADoneNodeIsLookedAtAgainWhenItsValidatorFails) {
  add_node("a", "[]", "upgrade-done");
  kube::Object driver = driver_pod("driver-a", "a", wanted_digest());
  annotate(driver, protocol::kTemplateAnnotation, fleet.desired(0).template_mark);
  add_pod(driver);
  kube::Object validator = driver_pod("validator-a", "a", "");
  label(validator, "app", "nvidia-operator-validator");
  add_pod(validator);
  RuntimeFacts runtime;
  const auto unready_for = [&] { return fleet.look(runtime, kFleetNow).nodes.at(0).driver.unready_for; };
  EXPECT_EQ(unready_for(), std::nullopt);
  json::ensure(validator, {"status", "conditions"}) = json::Array{};
  add_pod(validator);
  EXPECT_EQ(unready_for(), core::Span::zero());
  runtime.now += std::chrono::seconds(40);
  EXPECT_EQ(unready_for(), core::Span(std::chrono::seconds(40)));
  json::ensure(validator, {"status", "phase"}) = "Pending";
  add_pod(validator);
  EXPECT_EQ(unready_for(), std::nullopt) << "the next one is still being fetched";
}

// Their digest is the same: nothing would have replaced the pod.
TEST_F(FleetTest, APodIsStaleWhenItsTemplateChangedInWhatTheDigestLeavesOut) {
  add_node("a");
  add_set();
  kube::Object pod = pending_pod("driver-a", "a", wanted_digest());
  annotate(pod, protocol::kTemplateAnnotation, fleet.desired(0).template_mark);
  add_pod(pod);
  EXPECT_FALSE(driver_on("a").is_stale);
  set_policy(R"("resources": {"requests": {"cpu": "2"}})");
  EXPECT_TRUE(driver_on("a").is_stale);
  EXPECT_FALSE(driver_on("a").is_outdated);
}

TEST_F(FleetTest, ANodeThatNoPodOfTheWantedTemplateWouldFitSaysWhy) {
  set_policy(R"("resources": {"requests": {"cpu": "1000"}})");
  add_node("a");
  add_pod(driver_pod("driver-a", "a", "old"));
  EXPECT_EQ(driver_on("a").misfit, "it requests cpu 1000, and all that the node has is 64");
  set_policy(R"("resources": {"requests": {"cpu": "1"}})");
  EXPECT_EQ(driver_on("a").misfit, "");
  add_node("a", R"([{"key": "team", "value": "x", "effect": "NoSchedule"}])");
  EXPECT_EQ(driver_on("a").misfit, "it does not tolerate the taint team=x:NoSchedule");
  set_policy(R"("resources": {})", R"("tolerations": [{"key": "team", "operator": "Exists"}])");
  EXPECT_EQ(driver_on("a").misfit, "");
}

// It is not asked of a node that has what is wanted: nothing is to be made for it.
TEST_F(FleetTest, ANodeThatHasTheWantedDriverFitsWhateverItsTaints) {
  add_node("a", R"([{"key": "team", "effect": "NoSchedule"}])");
  add_pod(driver_pod("driver-a", "a", wanted_digest()));
  EXPECT_EQ(driver_on("a").misfit, "");
}

TEST_F(FleetTest, ANodeWithoutAPodSaysThatNoneFitsAlsoInItsSwap) {
  add_node("a", R"([{"key": "team", "effect": "NoExecute"}])");
  EXPECT_EQ(driver_on("a").trouble, "it does not tolerate the taint team:NoExecute");
}

TEST_F(FleetTest, AnOrphanIsJudgedByWhatItCarries) {
  add_node("a");
  add_node("b");
  for (const auto& [name, digest] : {std::pair<std::string, std::string>{"a", "old"}, {"b", wanted_digest()}}) {
    kube::Object orphan = driver_pod("driver-" + name, name, digest);
    json::remove(orphan, {"metadata", "ownerReferences"});
    add_pod(orphan);
  }
  EXPECT_EQ(driver_on("a").pod, "uid-driver-a");
  EXPECT_TRUE(driver_on("a").is_outdated);
  EXPECT_FALSE(driver_on("b").is_outdated);
}

TEST_F(FleetTest, ADriverPodOfAnotherDaemonSetIsADriverTooAndAPodWithAnotherLabelIsNot) {
  add_node("a");
  add_node("b");
  kube::Object other = driver_pod("other", "a", "old");
  json::ensure(other, {"metadata", "ownerReferences"}) =
      parsed(R"([{"kind": "DaemonSet", "name": "others", "uid": "other-set", "controller": true}])");
  add_pod(other);
  kube::Object stranger = driver_pod("stranger", "b", "old");
  label(stranger, "app", "others-driver");
  add_pod(stranger);
  EXPECT_EQ(driver_on("a").pod, "uid-other");
  EXPECT_EQ(driver_on("b").pod, "");
}

TEST_F(FleetTest, AMissingPodIsItsOwnNodesTrouble) {
  add_node("a");
  add_node("b");
  add_pod(driver_pod("driver-a", "a", "old"));
  EXPECT_EQ(driver_on("b").pod, "");
  EXPECT_FALSE(driver_on("b").is_outdated);
  EXPECT_TRUE(driver_on("a").is_outdated);
}

TEST_F(FleetTest, APodOnANodeThatIsGoneIsIgnored) {
  add_node("a");
  add_pod(driver_pod("driver-a", "a", "old"));
  add_pod(driver_pod("driver-gone", "gone", "old"));
  ASSERT_EQ(fleet.look({}, kFleetNow).nodes.size(), 1U);
  EXPECT_EQ(driver_on("a").pod, "uid-driver-a");
}

TEST_F(FleetTest, AVendorsPodWithoutOurDigestIsJudgedByItsImage) {
  add_node("a");
  kube::Object pod = driver_pod("driver-a", "a", "");
  const auto carries = [&](std::string_view image) {
    json::ensure(pod, {"spec", "containers"}) = json::Array{{{"name", "nvidia-driver-ctr"}, {"image", image}}};
    add_pod(pod);
    return driver_on("a").is_outdated;
  };
  EXPECT_TRUE(carries("nvcr.io/nvidia/driver:535.129.03-ubuntu22.04"));
  EXPECT_FALSE(carries("nvcr.io/nvidia/driver:550.54.15-ubuntu22.04"));
}

}  // namespace
}  // namespace drover::observe::testing
