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
  FleetTest() {
    policies[0].put(parsed(R"({"metadata": {"name": "cluster-policy", "uid": "policy", "resourceVersion": "1",
        "creationTimestamp": "2026-11-15T10:00:00Z"}, "spec": {"driver": {"version": "550.54.15"}}})"));
    policy_set.read();
  }

  void add_node(std::string_view name) {
    kube::Object node = node_object(name);
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
  kube::Cache<PodFacts> pods{[](const kube::Object& object) { return pod_facts(object, kFleetProfile); }};
  kube::Cache<DaemonSetFacts> sets{[](const kube::Object& object) { return daemon_set_facts(object, kFleetProfile); }};
  PolicyCaches policies = policy_caches(kFleetProfile);
  OperandPods index{pods, kFleetProfile};
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

TEST_F(FleetTest, APodThatIsNotScheduledYetIsTheDriverOfNoNode) {
  add_node("a");
  add_pod(driver_pod("driver-a", "a", "old"));
  kube::Object follower = driver_pod("follower", "", wanted_digest());
  json::ensure(follower, {"status", "phase"}) = "Pending";
  add_pod(follower);
  EXPECT_EQ(fleet.look({}, kFleetNow).nodes.size(), 1U);
  EXPECT_EQ(driver_on("a").pod, "uid-driver-a");
  EXPECT_TRUE(driver_on("a").is_outdated);
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
