// From objects to facts, and from facts to the view that the rules read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/node_view.h"
#include "observe/objects.h"
#include "protocol/keys.h"
#include "protocol/order.h"
#include "protocol/record.h"
#include "protocol/report.h"
#include "vendors/nvidia/module.h"
#include "vendors/nvidia/words.h"
#include "vendors/tenstorrent/module.h"

namespace drover::observe::testing {
namespace {

using core::Phase;
using core::PreflightView;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

const base::WallTime kViewNow = base::parse_rfc3339("2026-11-15T12:00:00Z").value();
const vendors::WorkProfile& kViewProfile = vendors::nvidia_driver();

PodFacts facts(const kube::Object& pod) { return pod_facts(pod_projection().applied_to(pod), kViewProfile); }

core::PodView view(const kube::Object& pod, std::string_view jobs = "", std::string_view drained = "") {
  return pod_view(facts(pod), base::Selector::parse(jobs).value(), base::Selector::parse(drained).value(), kViewProfile,
                  "gpu-operator");
}

// Who uses the device.

struct DeviceRow {
  std::string_view name;
  std::string_view spec;
  bool uses;
};

constexpr DeviceRow kDeviceRows[] = {
    {"Limit", R"({"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})", true},
    {"Request", R"({"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]})", true},
    {"Mig", R"({"containers":[{"resources":{"limits":{"nvidia.com/mig-1g.5gb":"1"}}}]})", true},
    {"SecondContainer", R"({"containers":[{},{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})", true},
    {"InitContainer", R"({"initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}],"containers":[{}]})",
     true},
    {"EphemeralContainer",
     R"({"containers":[{}],"ephemeralContainers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]})", true},
    {"HostPath", R"({"containers":[{}],"volumes":[{"hostPath":{"path":"/dev/nvidia0"}}]})", true},
    {"OtherHostPath", R"({"containers":[{}],"volumes":[{"hostPath":{"path":"/var/log"}}]})", false},
    {"CpuOnly", R"({"containers":[{"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}]})", false},
    {"OtherVendor", R"({"containers":[{"resources":{"limits":{"amd.com/gpu":"1"}}}]})", false},
};

class DeviceTest : public ::testing::TestWithParam<DeviceRow> {};

TEST_P(DeviceTest, IsFoundWhereverItIsAskedFor) {
  kube::Object pod = pod_object("p");
  json::ensure(pod, {"spec"}) = parsed(GetParam().spec);
  EXPECT_EQ(facts(pod).uses_device, GetParam().uses);
}

INSTANTIATE_TEST_SUITE_P(Rows, DeviceTest, ::testing::ValuesIn(kDeviceRows),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Pod, IsSeenWithItsOwnerAndItsData) {
  kube::Object pod = pod_object("p");
  json::ensure(pod, {"spec", "volumes"}) = parsed(R"([{"name":"scratch","emptyDir":{}}])");
  const core::PodView seen = view(pod);
  EXPECT_EQ(seen.owner, "ReplicaSet ml/train");
  EXPECT_TRUE(seen.has_local_data);
  EXPECT_FALSE(seen.is_daemon);
  EXPECT_FALSE(seen.is_waited_for);
  EXPECT_TRUE(seen.is_drained);
}

TEST(Pod, IsWaitedForAndDrainedByLabels) {
  kube::Object pod = pod_object("p");
  EXPECT_TRUE(view(pod, "app=train").is_waited_for);
  EXPECT_FALSE(view(pod, "app=web").is_waited_for);
  EXPECT_FALSE(view(pod, "", "app!=train").is_drained);
  EXPECT_TRUE(view(pod, "", "app=train").is_drained);
  label(pod, kViewProfile.drain_skip_label, "True");
  EXPECT_TRUE(view(pod).is_drained);
  label(pod, kViewProfile.drain_skip_label, "true");
  EXPECT_FALSE(view(pod).is_drained);
  EXPECT_FALSE(view(pod, "", "app=train").is_drained) << "whatever the policy's own selector says";
}

TEST(Pod, CountsWhileItIsPendingAndNoLongerOnceItHasFinished) {
  kube::Object pod = pod_object("p");
  json::ensure(pod, {"spec"}) = parsed(R"({"containers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]})");
  for (const std::string_view phase : {"Pending", "Running", "Unknown"}) {
    json::ensure(pod, {"status", "phase"}) = phase;
    EXPECT_TRUE(view(pod).uses_device && !view(pod).is_finished) << phase;
  }
  for (const std::string_view phase : {"Succeeded", "Failed"}) {
    json::ensure(pod, {"status", "phase"}) = phase;
    EXPECT_TRUE(view(pod).is_finished) << phase;
  }
}

TEST(Pod, ADaemonThatToleratesTheSwapReturns) {
  kube::Object pod = pod_object("p");
  json::ensure(pod, {"metadata", "ownerReferences"}) =
      parsed(R"([{"kind":"DaemonSet","name":"exporter","uid":"d","controller":true}])");
  EXPECT_FALSE(view(pod).returns);
  json::ensure(pod, {"spec", "tolerations"}) = parsed(R"([{"operator":"Exists"}])");
  EXPECT_TRUE(view(pod).returns);
  json::ensure(pod, {"spec", "tolerations"}) = parsed(R"([{"operator":"Exists","effect":"NoExecute"}])");
  EXPECT_FALSE(view(pod).returns);
}

TEST(Pod, OursAreKnownByNamespaceAndLabel) {
  kube::Object pod = pod_object("p");
  label(pod, "app", "nvidia-driver-daemonset");
  EXPECT_FALSE(view(pod).is_ours) << "a label alone does not protect a stranger's pod";
  json::ensure(pod, {"metadata", "namespace"}) = "gpu-operator";
  EXPECT_TRUE(view(pod).is_ours);
}

TEST(Pod, AnOperatorIsNotDrainedByItself) {
  for (const vendors::WorkProfile* profile : {&vendors::nvidia_driver(), &vendors::tenstorrent_driver()}) {
    const auto seen = [&](const kube::Object& pod) {
      const PodFacts facts = pod_facts(pod_projection().applied_to(pod), *profile);
      return pod_view(facts, base::Selector::parse("").value(), base::Selector::parse("").value(), *profile, "its-own");
    };
    kube::Object pod = pod_object("p");
    label(pod, "drover.dev/role", "agent");
    EXPECT_TRUE(seen(pod).is_drained) << profile->vendor.name;
    label(pod, "drover.dev/role", "operator");
    EXPECT_FALSE(seen(pod).is_drained) << profile->vendor.name;
    EXPECT_FALSE(seen(pod).is_ours) << "a label alone does not protect a pod that holds the device";
  }
}

TEST(Pod, TroubleIsTheKubeletsWord) {
  kube::Object pod = pod_object("p");
  json::ensure(pod, {"status", "containerStatuses"}) =
      parsed(R"([{"state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling \"x\""}}}])");
  EXPECT_EQ(facts(pod).trouble, "ImagePullBackOff: Back-off pulling \"x\"");
  json::ensure(pod, {"status", "containerStatuses"}) =
      parsed(R"([{"state":{"waiting":{"reason":"ContainerCreating"}}}])");
  EXPECT_EQ(facts(pod).trouble, "");
}

// The node.

class NodeViewTest : public ::testing::Test {
 protected:
  core::NodeView seen() {
    const vendors::WorkProfile* const profiles[] = {&vendors::nvidia_driver(), &vendors::tenstorrent_driver()};
    const NodeFacts node_facts_now = node_facts(node_projection(profiles).applied_to(node));
    if (driver) driver_facts = facts(*driver);
    if (validator) validator_facts = facts(*validator);
    if (preflight) preflight_facts = facts(*preflight);
    around.driver = driver ? &driver_facts : nullptr;
    around.validator = validator ? &validator_facts : nullptr;
    around.preflight = preflight ? &preflight_facts : nullptr;
    around.desired = {
        .digest = "new", .version = "550", .image = {}, .daemon_set = "gpu-operator/driver", .is_settled = true};
    return node_view(node_facts_now, recorded_state_of(node_facts_now, kViewProfile, "policy", kViewNow), around,
                     kViewProfile);
  }

  static void run_since(kube::Object& pod, std::string_view at) {
    json::ensure(pod, {"status", "containerStatuses"}) = json::Array{{{"state", {{"running", {{"startedAt", at}}}}}}};
  }

  static kube::Object driver_pod(std::string_view digest) {
    kube::Object pod = pod_object("driver");
    label(pod, protocol::kDigestLabel, digest);
    return pod;
  }

  kube::Object node = node_object("n1");
  std::optional<kube::Object> driver, validator, preflight;
  PodFacts driver_facts, validator_facts, preflight_facts;
  NodeInputs around;
};

TEST_F(NodeViewTest, TheDriverIsOutdatedByItsDigest) {
  driver = driver_pod("old");
  EXPECT_TRUE(seen().driver.is_outdated);
  driver = driver_pod("new");
  EXPECT_FALSE(seen().driver.is_outdated);
  EXPECT_TRUE(seen().driver.is_ready);
}

TEST_F(NodeViewTest, ADriverThatWaitsForPermissionSaysSoOnThisBootForThisPod) {
  driver = driver_pod("new");
  json::ensure(*driver, {"status", "conditions"}) = json::Array{};
  json::ensure(node, {"status", "nodeInfo", "bootID"}) = "boot-2";
  const auto waits = [&](const std::string& boot, const std::string& id, const std::string& digest) {
    json::ensure(node, {"metadata", "annotations", vendors::kNvidiaDriverChannel.report}) = protocol::text_of(
        protocol::Report{.boot = boot, .id = id, .digest = digest, .wants = protocol::AgentRequest::Load});
    return seen().driver.waits_for_us;
  };
  const std::string pod(kube::uid_of(*driver));
  EXPECT_TRUE(waits("boot-2", pod, "new"));
  EXPECT_FALSE(waits("boot-1", pod, "new")) << "the machine was rebooted since: nothing is loaded";
  EXPECT_FALSE(waits("boot-2", "another-pod", "new"));
  EXPECT_FALSE(waits("boot-2", pod, "old"));
}

TEST_F(NodeViewTest, WhatTheAgentAsksForIsHeardAndItsPauseIsItsOwn) {
  driver = driver_pod("new");
  json::ensure(*driver, {"status", "conditions"}) = json::Array{};
  json::ensure(node, {"status", "nodeInfo", "bootID"}) = "boot-2";
  label(node, "nvidia.com/gpu.deploy.dcgm", "custom_paused-for-driver-upgrade");
  EXPECT_EQ(seen().lost_gates.at("nvidia.com/gpu.deploy.dcgm"), "custom");
  protocol::Report report{.boot = "boot-2", .id = std::string(kube::uid_of(*driver)), .digest = "new"};
  const auto says = [&](protocol::AgentRequest desired, bool has_paused) {
    report.wants = desired;
    report.has_paused = has_paused;
    annotate(node, vendors::kNvidiaDriverChannel.report, protocol::text_of(report));
    return seen();
  };
  EXPECT_EQ(says(protocol::AgentRequest::Evict, true).driver.asks_for, core::Scope::DevicePods);
  EXPECT_TRUE(seen().driver.waits_for_us);
  EXPECT_TRUE(seen().lost_gates.empty()) << "the agent puts them back itself";
  EXPECT_EQ(says(protocol::AgentRequest::Drain, true).driver.asks_for, core::Scope::AllPods);
  EXPECT_TRUE(says(protocol::AgentRequest::Nothing, false).driver.asks_nothing);
  EXPECT_FALSE(seen().lost_gates.empty()) << "it has left them to us";
  says(protocol::AgentRequest::Nothing, true);
  driver = driver_pod("new");
  EXPECT_FALSE(seen().lost_gates.empty()) << "the driver is up, and no other program will put them back";
}

TEST_F(NodeViewTest, ADriverWhoseAgentAsksIsNotTheFirstThoughNoRecordSpeaksOfAnother) {
  driver = driver_pod("new");
  json::ensure(*driver, {"status", "conditions"}) = json::Array{};
  json::ensure(node, {"status", "nodeInfo", "bootID"}) = "boot-2";
  EXPECT_TRUE(seen().driver.is_first);
  annotate(node, vendors::kNvidiaDriverChannel.report,
           protocol::text_of(protocol::Report{.boot = "boot-2",
                                              .id = std::string(kube::uid_of(*driver)),
                                              .digest = "new",
                                              .wants = protocol::AgentRequest::Load}));
  EXPECT_FALSE(seen().driver.is_first);
}

TEST_F(NodeViewTest, WhoIsBeingRefusedStillAsksUntilHeHasHeardIt) {
  driver = driver_pod("new");
  json::ensure(*driver, {"status", "conditions"}) = json::Array{};
  json::ensure(node, {"status", "nodeInfo", "bootID"}) = "boot-2";
  // It spoke under a claim that went with the refusal.
  protocol::Report report{.boot = "boot-2", .id = "gone", .digest = "new", .wants = protocol::AgentRequest::Evict};
  annotate(node, vendors::kNvidiaDriverChannel.report, protocol::text_of(report));
  EXPECT_FALSE(seen().driver.asks_for);
  annotate(node, vendors::kNvidiaDriverChannel.order,
           protocol::text_of(protocol::Order{.id = std::string(kube::uid_of(*driver)),
                                             .target = "new",
                                             .serves = protocol::AgentRequest::Evict,
                                             .is_refused = true,
                                             .message = "no"}));
  EXPECT_EQ(seen().driver.asks_for, core::Scope::DevicePods);
  EXPECT_FALSE(seen().asks_for_room());
  report.wants = protocol::AgentRequest::Nothing;
  annotate(node, vendors::kNvidiaDriverChannel.report, protocol::text_of(report));
  EXPECT_FALSE(seen().driver.asks_for);
}

TEST_F(NodeViewTest, ARefusalStandsOnTheNodeAndAKernelThatCannotUnloadToo) {
  EXPECT_FALSE(seen().refused);
  EXPECT_FALSE(seen().cannot_unload);
  annotate(
      node, vendors::kNvidiaDriverChannel.order,
      protocol::text_of(protocol::Order{
          .id = "pod", .target = "new", .serves = protocol::AgentRequest::Evict, .is_refused = true, .message = "no"}));
  EXPECT_EQ(seen().refused, core::Scope::DevicePods);
  json::ensure(node, {"status", "nodeInfo", "bootID"}) = "boot-2";
  annotate(node, vendors::kNvidiaDriverChannel.report,
           protocol::text_of(protocol::Report{.boot = "boot-2", .can_unload = false}));
  EXPECT_TRUE(seen().cannot_unload);
  json::ensure(node, {"status", "nodeInfo", "bootID"}) = "boot-3";
  EXPECT_FALSE(seen().cannot_unload) << "another boot, perhaps another kernel";
}

TEST_F(NodeViewTest, AValidatorOlderThanTheDriverProvesNothing) {
  driver = driver_pod("new");
  run_since(*driver, "2026-11-15T10:00:05Z");
  validator = pod_object("validator");
  EXPECT_FALSE(seen().validator.has_passed);
  run_since(*validator, "2026-11-15T10:00:04Z");
  EXPECT_FALSE(seen().validator.has_passed);
  EXPECT_THAT(seen().validator.trouble, HasSubstr("older"));
  run_since(*validator, "2026-11-15T10:00:05Z");
  EXPECT_TRUE(seen().validator.has_passed);
}

TEST_F(NodeViewTest, ThePreflightIsOfThisVeryDriver) {
  EXPECT_EQ(seen().preflight.state, PreflightView::State::Unasked);
  preflight = driver_pod("old");
  json::ensure(*preflight, {"status", "phase"}) = "Succeeded";
  EXPECT_EQ(seen().preflight.state, PreflightView::State::Unasked);
  preflight = driver_pod("new");
  EXPECT_EQ(seen().preflight.state, PreflightView::State::Running);
  json::ensure(*preflight, {"status", "phase"}) = "Succeeded";
  EXPECT_EQ(seen().preflight.state, PreflightView::State::Passed);
  json::ensure(*preflight, {"status", "phase"}) = "Failed";
  EXPECT_EQ(seen().preflight.state, PreflightView::State::Missing);
}

TEST_F(NodeViewTest, ReadinessCordonTaintAndLabelsAreSeen) {
  label(node, kViewProfile.skip_label, "true");
  label(node, "nvidia.com/gpu.deploy.device-plugin", "true");
  label(node, "nvidia.com/gpu.deploy.dcgm", "false");
  label(node, "nvidia.com/gpu.deploy.nvsm", "paused-for-driver-upgrade");
  annotate(node, protocol::kHoldAnnotation, "alice");
  json::ensure(node, {"spec", "unschedulable"}) = true;
  json::ensure(node, {"spec", "taints"}) = parsed(R"([{"key":"drover.dev/driver-swap","effect":"NoSchedule"}])");
  json::ensure(node, {"status", "conditions"}) =
      parsed(R"([{"type":"Ready","status":"Unknown","lastTransitionTime":"2026-11-15T11:58:00Z"}])");
  const core::NodeView view = seen();
  EXPECT_TRUE(view.is_skipped && view.is_held && view.is_cordoned && view.is_tainted);
  EXPECT_FALSE(view.is_ready);
  EXPECT_THAT(view.gates, ::testing::ElementsAre(::testing::Pair("nvidia.com/gpu.deploy.device-plugin", "true")));
}

TEST_F(NodeViewTest, AnAdoptedClaimIsNotWrittenYet) {
  label(node, kViewProfile.state_label, "drain-required");
  json::ensure(node, {"spec", "unschedulable"}) = true;
  EXPECT_TRUE(seen().claim);
  EXPECT_FALSE(seen().claim_is_written);
}

}  // namespace
}  // namespace drover::observe::testing
