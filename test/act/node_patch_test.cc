#include "act/node_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/events.h"
#include "core/fleet.h"
#include "protocol/keys.h"
#include "protocol/order.h"
#include "protocol/record.h"
#include "vendors/nvidia/module.h"
#include "vendors/tenstorrent/module.h"

namespace drover::act {
namespace {

using core::Claim;
using core::Phase;
using namespace core::testing;  // NOLINT(google-build-using-namespace): fleets in few words

const base::WallTime kNow = base::parse_rfc3339("2026-11-15T12:00:00Z").value();
const vendors::WorkProfile& kProfile = vendors::nvidia_driver();

NodeNow now_of(const core::NodeView& view) {
  NodeNow node{.seen = view, .version = "7", .boot = "boot-1"};
  if (view.claim) {
    node.record.held =
        protocol::ClaimRecord{.kind = "nvidia/driver", .node = view.uid, .claim = *view.claim, .since = kNow};
    node.record.held->autoscaler_is_told = true;
  }
  if (view.outcome) node.record.last["nvidia/driver"].outcome = view.outcome;
  return node;
}

kube::Request patch_of(const NodeNow& node, const core::Change& change) {
  return node_patch(node, &change, {}, kProfile, kNow);
}

std::vector<kube::Event> events(const core::FleetView& nodes) {
  return events_of(nodes.nodes[0], change_of(nodes), nodes.policy, kProfile);
}

TEST(NodePatch, TakesANodeInOneGuardedWrite) {
  const core::FleetView nodes = fleet({node("n1", Phase::Required)});
  const kube::Request request = patch_of(now_of(nodes.nodes[0]), change_of(nodes));
  EXPECT_EQ(request.name, "n1");
  EXPECT_EQ(request.patch, kube::PatchKind::Merge);
  const json::Value& body = request.body;
  EXPECT_EQ(json::text_at(body, {"metadata", "resourceVersion"}), "7");
  EXPECT_EQ(json::text_at(body, {"metadata", "uid"}), "uid-n1");
  EXPECT_EQ(json::text_at(body, {"metadata", "labels", kProfile.state_label}), "pod-deletion-required");
  EXPECT_EQ(json::text_at(body, {"metadata", "annotations", protocol::kScaleDownAnnotation}), "true");
  EXPECT_TRUE(json::flag_at(body, {"spec", "unschedulable"}));
  EXPECT_EQ(json::text_of(*json::find(body, {"spec", "taints"})),
            R"([{"key":"drover.dev/driver-swap","effect":"NoSchedule"}])");
  const auto record =
      protocol::parse_record(json::text_at(body, {"metadata", "annotations", protocol::kRecordAnnotation}));
  ASSERT_TRUE(record && record->held);
  EXPECT_EQ(record->held->claim.phase, Phase::EvictDevicePods);
  EXPECT_EQ(record->held->claim.boot, "boot-1");
  EXPECT_EQ(record->held->since, kNow);
}

TEST(NodePatch, LeavesNothingBehindWhenTheNodeIsGivenBack) {
  core::FleetView nodes = fleet({taken("n1", Phase::Validate)});
  nodes.nodes[0].driver.is_outdated = false;
  nodes.nodes[0].validator.has_passed = true;
  NodeNow before = now_of(nodes.nodes[0]);
  before.taints = json::Array{json::Value{{"key", "other"}, {"effect", "NoSchedule"}}};
  const json::Value body = patch_of(before, change_of(nodes)).body;
  EXPECT_EQ(json::text_at(body, {"metadata", "labels", kProfile.state_label}), "upgrade-done");
  EXPECT_TRUE(json::find(body, {"spec", "unschedulable"})->is_null());
  EXPECT_TRUE(json::find(body, {"metadata", "annotations", protocol::kScaleDownAnnotation})->is_null());
  EXPECT_EQ(json::find(body, {"spec", "taints"}), nullptr) << "the taint was gone before: others' taints are not sent";
  const auto record =
      protocol::parse_record(json::text_at(body, {"metadata", "annotations", protocol::kRecordAnnotation}));
  EXPECT_FALSE(record->held);
  EXPECT_FALSE(record->last.at("nvidia/driver").outcome->failed);
}

TEST(NodePatch, KeepsOtherPeoplesTaints) {
  core::FleetView nodes = fleet({node("n1", Phase::Required)});
  NodeNow before = now_of(nodes.nodes[0]);
  before.taints = json::Array{json::Value{{"key", "other"}, {"value", "x"}, {"effect", "NoExecute"}}};
  const json::Value body = patch_of(before, change_of(nodes)).body;
  EXPECT_EQ(json::array_at(body, {"spec", "taints"}).size(), 2U);
  EXPECT_EQ(json::text_at(json::array_at(body, {"spec", "taints"})[0], {"key"}), "other");
}

TEST(NodePatch, AnAutoscalerAnnotationThatWasThereStays) {
  core::FleetView nodes = fleet({node("n1", Phase::Required)});
  NodeNow before = now_of(nodes.nodes[0]);
  before.autoscaler_is_told = true;
  const json::Value body = patch_of(before, change_of(nodes)).body;
  EXPECT_EQ(json::find(body, {"metadata", "annotations", protocol::kScaleDownAnnotation}), nullptr);
  EXPECT_FALSE(record_after(before, change_of(nodes), kProfile, kNow).held->autoscaler_is_told);
}

TEST(NodePatch, AWishSurvivesUntilItIsTakenUp) {
  core::FleetView nodes = fleet({node("n1", Phase::Done)});
  nodes.nodes[0].driver.is_outdated = false;
  nodes.nodes[0].is_asked_for = true;
  const NodeNow before = now_of(nodes.nodes[0]);
  EXPECT_EQ(record_after(before, change_of(nodes), kProfile, kNow).last.at("nvidia/driver").next,
            protocol::OutcomeRecord::Next::Asked);
  nodes.nodes[0].phase = Phase::Required;
  const core::Change taking = change_of(nodes);
  EXPECT_EQ(
      json::find(patch_of(before, taking).body, {"metadata", "annotations", kProfile.request_annotation})->is_null(),
      true);
  const protocol::Record record = record_after(before, taking, kProfile, kNow);
  EXPECT_TRUE(record.held->claim.was_asked_for);
  EXPECT_FALSE(record.last.contains("nvidia/driver"));
}

TEST(NodePatch, APersonWhoUncordonsIsRememberedUntilTheNextTry) {
  core::FleetView nodes = fleet({taken("n1", Phase::EvictDevicePods)});
  nodes.nodes[0].is_cordoned = false;
  const protocol::Record record = record_after(now_of(nodes.nodes[0]), change_of(nodes), kProfile, kNow);
  EXPECT_EQ(record.last.at("nvidia/driver").given_back_at, kNow);
  EXPECT_FALSE(record.held);
}

TEST(NodePatch, TheAgentIsToldThatItMayLoadWhenTheNodeIsClearAndNoLonger) {
  core::FleetView nodes = fleet({taken("n1", Phase::EvictDevicePods)});
  NodeNow now = now_of(nodes.nodes[0]);
  now.driver_version = "550";
  const kube::Request clear = patch_of(now, change_of(nodes));
  const auto order = protocol::parse_order(
      json::text_at(clear.body, {"metadata", "annotations", vendors::nvidia_driver().channel.order}));
  ASSERT_TRUE(order) << order.error().message;
  EXPECT_TRUE(order->may_load);
  EXPECT_EQ(order->id, "claim");
  EXPECT_EQ(order->target, "new");
  EXPECT_EQ(order->version, "550");

  nodes = fleet({current(taken("n1", Phase::Validate))});
  nodes.nodes[0].validator.has_passed = true;
  NodeNow then = now_of(nodes.nodes[0]);
  then.order = protocol::text_of(*order);
  const kube::Request done = patch_of(then, change_of(nodes));
  const json::Value* gone = json::find(done.body, {"metadata", "annotations", vendors::nvidia_driver().channel.order});
  ASSERT_NE(gone, nullptr);
  EXPECT_TRUE(gone->is_null());
}

TEST(NodePatch, AnotherVendorsClaimIsNotTouched) {
  core::FleetView nodes = fleet({node("n1", Phase::Done)});
  nodes.nodes[0].driver.is_outdated = false;
  nodes.nodes[0].label.reset();
  NodeNow before = now_of(nodes.nodes[0]);
  before.record.held =
      protocol::ClaimRecord{.kind = "other/firmware", .node = "uid-n1", .claim = {.id = "x", .policy = "p"}};
  EXPECT_EQ(record_after(before, change_of(nodes), kProfile, kNow).held, before.record.held);
}

// A record that was copied from a machine which is gone. While its claim counted as another's, the agent was never
// asked to prepare, and the same empty patch was sent again and again.
// The fault: an agent that was told of a pause heard nothing of its end while other work held the node.
TEST(NodePatch, AClaimOfOtherWorkDoesNotKeepTheAgentFromItsOrder) {
  const core::NodeView seen = node("n1", Phase::Required);
  NodeNow now{.seen = seen, .version = "7", .driver_version = "2.8.0"};
  now.is_to_prepare = true;
  now.record.held =
      protocol::ClaimRecord{.kind = "other/firmware", .node = "uid-of-another", .claim = {.id = "x", .policy = "p"}};
  const auto order = [&] {
    const kube::Request patch = node_patch(now, nullptr, {}, vendors::tenstorrent_driver(), kNow);
    return std::string(
        json::text_at(patch.body, {"metadata", "annotations", vendors::tenstorrent_driver().channel.order}));
  };
  EXPECT_THAT(order(), testing::HasSubstr(R"("prepare":"2.8.0")"));
  now.record.held->node = "uid-n1";
  EXPECT_THAT(order(), testing::HasSubstr(R"("prepare":"2.8.0")")) << "each work has an annotation of its own";
  EXPECT_THAT(order(), testing::HasSubstr(R"("mayLoad":false)"));
}

TEST(Events, AreTheDocumentsInItsOrder) {
  std::vector<std::string> seen;
  const auto hear = [&](const core::FleetView& nodes) {
    for (const kube::Event& event : events(nodes)) {
      EXPECT_EQ(event.reason, "GPUDriverUpgrade");
      seen.push_back(event.message);
    }
  };
  hear(fleet({node("n1", Phase::Done)}));
  hear(fleet({node("n1", Phase::Required)}));
  hear(fleet({taken("n1", Phase::EvictDevicePods)}));
  core::FleetView nodes = fleet({taken("n1", Phase::Restart)});
  nodes.nodes[0].driver.is_outdated = false;
  nodes.nodes[0].driver.pod = "new";
  hear(nodes);
  nodes = fleet({taken("n1", Phase::Validate)});
  nodes.nodes[0].driver.is_outdated = false;
  nodes.nodes[0].validator.has_passed = true;
  hear(nodes);
  std::vector<std::string> wanted;
  for (const std::string_view word :
       {"upgrade-required", "cordon-required", "wait-for-jobs-required", "pod-deletion-required",
        "pod-restart-required", "validation-required", "uncordon-required", "upgrade-done"}) {
    wanted.push_back("Successfully updated node state label to [" + std::string(word) + "]");
  }
  EXPECT_EQ(seen, wanted);
}

TEST(Events, AFailureNamesTheStateAndTheReason) {
  core::FleetView nodes = fleet({taken("n1", Phase::Validate)});
  nodes.nodes[0].spent = 10min;
  const auto told = events(nodes);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].type, kube::Event::Type::Warning);
  EXPECT_EQ(told[0].message,
            "Failed in validation-required: the new driver was not validated: 10m of 10m; the validator did not become "
            "ready");
}

std::string order_in(const kube::Request& request) {
  return std::string(json::text_at(request.body, {"metadata", "annotations", vendors::nvidia_driver().channel.order}));
}

TEST(NodePatch, WithoutTheControllerTheOrderSaysWhichWishItServes) {
  core::FleetView nodes = fleet({taken("n1", Phase::EvictDevicePods)});
  nodes.policy.is_on = false;
  nodes.nodes[0].driver = {.wanted = "550", .pod = "new-n1", .waits_for_us = true};
  nodes.nodes[0].driver.asks_for = core::Scope::DevicePods;
  nodes.nodes[0].claim->driver_pod.clear();
  nodes.nodes[0].claim->requested_scope = core::Scope::DevicePods;
  const kube::Request request = patch_of(now_of(nodes.nodes[0]), change_of(nodes));
  const auto order = protocol::parse_order(order_in(request));
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->may_load);
  EXPECT_EQ(order->serves, protocol::AgentRequest::Evict);
  EXPECT_TRUE(json::find(request.body, {"metadata", "labels", kProfile.state_label})->is_null());
  EXPECT_TRUE(events(nodes).empty()) << "there is no label";
}

TEST(NodePatch, ARefusalNamesThePodThatAsksAndTheReason) {
  core::FleetView nodes = fleet({taken("n1", Phase::EvictDevicePods)});
  nodes.policy.is_on = false;
  nodes.policy.drain.reset();
  nodes.nodes[0].claim->requested_scope = core::Scope::DevicePods;
  nodes.nodes[0].driver.asks_for = core::Scope::DevicePods;
  nodes.nodes[0].pods = {pod("bare")};
  nodes.nodes[0].pods->front().owner.clear();
  nodes.nodes[0].driver.pod = "pod-1";
  NodeNow now = now_of(nodes.nodes[0]);
  const auto order = protocol::parse_order(order_in(patch_of(now, change_of(nodes))));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->id, "pod-1");
  EXPECT_EQ(order->target, "new");
  EXPECT_TRUE(order->is_refused && !order->may_load);
  EXPECT_EQ(order->serves, protocol::AgentRequest::Evict);
  EXPECT_THAT(order->message, ::testing::HasSubstr("ml/bare"));
  const auto told = events(nodes);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0].message, ::testing::StartsWith("Failed in pod-deletion-required: "));
}

}  // namespace
}  // namespace drover::act
