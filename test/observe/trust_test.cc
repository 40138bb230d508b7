// A record that was forged gives nobody the operator's rights.
#include "observe/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "observe/objects.h"
#include "observe/recorded_state.h"
#include "vendors/nvidia/module.h"

namespace drover::observe::testing {
namespace {

using core::Claim;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

const vendors::WorkProfile& kTrustProfile = vendors::nvidia_driver();
const base::WallTime kTrustNow = base::parse_rfc3339("2026-11-15T12:00:00Z").value();

class Trust : public ::testing::Test {
 protected:
  Trust() {
    claim.kind = "nvidia/driver";
    claim.node = "node-uid";
    claim.since = kTrustNow;
    claim.claim = Claim{.id = "c", .policy = "policy", .phase = core::Phase::Drain};
    json::ensure(node, {"spec", "unschedulable"}) = true;
  }
  // The fields that a manager has set, as JSON.
  void managed(std::string_view manager, std::string_view fields) {
    json::Value& entries = json::ensure(node, {"metadata", "managedFields"});
    if (!entries.is_array()) entries = json::Array();
    entries.get_array().push_back(
        json::Members{{"manager", manager}, {"operation", "Update"}, {"fieldsV1", parsed(fields)}});
  }
  RecordedState seen(std::string_view gates = {}) {
    record(node, protocol::Record{.held = claim, .last = {}});
    const vendors::WorkProfile* const profiles[] = {&kTrustProfile};
    return recorded_state_of(node_facts(node_projection(profiles).applied_to(node)), kTrustProfile, "policy", kTrustNow,
                             gates);
  }

  kube::Object node = node_object("n1");
  protocol::ClaimRecord claim;
};

TEST_F(Trust, ACordonThatDroverSetIsLifted) {
  managed("drover", R"({"f:spec": {"f:unschedulable": {}}})");
  EXPECT_EQ(seen().held->claim.cordon, Claim::Cordon::Ours);
  EXPECT_EQ(seen().distrust, "");
}

TEST_F(Trust, ACordonThatAnAdministratorSetStaysWhateverTheRecordSays) {
  managed("kubectl-cordon", R"({"f:spec": {"f:unschedulable": {}}})");
  EXPECT_EQ(seen().held->claim.cordon, Claim::Cordon::Found);
  EXPECT_THAT(seen().distrust, HasSubstr("set by kubectl-cordon, not by drover"));
}

TEST_F(Trust, FieldsThatWereClearedAreNotOurs) {
  managed("kubelet", R"({"f:status": {}})");
  EXPECT_EQ(seen().held->claim.cordon, Claim::Cordon::Found);
}

TEST_F(Trust, AfterTenManagersTheOldestAreOne) {
  managed("ancient-changes", R"({"f:spec": {"f:unschedulable": {}}})");
  EXPECT_EQ(seen().held->claim.cordon, Claim::Cordon::Ours);
}

TEST_F(Trust, OnlyLabelsThatDroverPausesAreRestored) {
  managed("drover", R"({"f:spec": {"f:unschedulable": {}}, "f:metadata": {"f:labels": {"f:example.com/before": {}}}})");
  claim.claim.gates = {{"nvidia.com/gpu.deploy.dcgm", "true"},
                       {"nvidia.com/gpu.deploy.nvsm", "no label value!"},
                       {"node-restriction.kubernetes.io/secrets", "true"},
                       {"node-role.kubernetes.io/control-plane", ""},
                       {"example.com/configured", "yes"},
                       {"example.com/before", "true"}};
  const RecordedState recorded = seen("example.com/configured");
  EXPECT_THAT(recorded.held->claim.gates,
              UnorderedElementsAre(Pair("nvidia.com/gpu.deploy.dcgm", "true"), Pair("example.com/configured", "yes"),
                                   Pair("example.com/before", "true")))
      << "a label that was configured when it was paused is ours by the server's word";
  EXPECT_THAT(recorded.distrust, HasSubstr("node-restriction.kubernetes.io/secrets"));
}

TEST_F(Trust, AKubernetesLabelIsRestoredToASwitchOnly) {
  claim.claim.gates = {{"node-restriction.kubernetes.io/gate", "true"}};
  EXPECT_EQ(seen("node-restriction.kubernetes.io/gate").held->claim.gates.size(), 1U);
  claim.claim.gates = {{"node-restriction.kubernetes.io/gate", "secrets"}};
  EXPECT_TRUE(seen("node-restriction.kubernetes.io/gate").held->claim.gates.empty());
}

TEST_F(Trust, TheAutoscalersAnnotationIsRemovedOnlyIfDroverSetIt) {
  claim.autoscaler_is_told = true;
  managed("drover", R"({"f:spec": {"f:unschedulable": {}}})");
  EXPECT_FALSE(seen().held->autoscaler_is_told);
  managed("drover",
          R"({"f:metadata": {"f:annotations": {"f:cluster-autoscaler.kubernetes.io/scale-down-disabled": {}}}})");
  EXPECT_TRUE(seen().held->autoscaler_is_told);
}

TEST_F(Trust, ALabelWithoutARecordLiftsNoAdministratorsCordon) {
  for (const auto& [manager, cordon] :
       {std::pair("kubectl-cordon", Claim::Cordon::Found), std::pair("gpu-operator", Claim::Cordon::Ours)}) {
    kube::Object other = node_object("n2");
    json::ensure(other, {"spec", "unschedulable"}) = true;
    label(other, kTrustProfile.state_label, "uncordon-required");
    json::ensure(other, {"metadata", "managedFields"}) = json::Array{
        json::Members{{"manager", manager}, {"fieldsV1", parsed(R"({"f:spec": {"f:unschedulable": {}}})")}}};
    const RecordedState recorded = recorded_state_of(node_facts(other), kTrustProfile, "policy", kTrustNow);
    ASSERT_TRUE(recorded.held) << manager;
    EXPECT_EQ(recorded.held->claim.cordon, cordon) << manager;
    label(other, kTrustProfile.state_label, "drain-required");
    EXPECT_EQ(recorded_state_of(node_facts(other), kTrustProfile, "policy", kTrustNow).held.has_value(),
              cordon == Claim::Cordon::Ours)
        << manager;
  }
}

}  // namespace
}  // namespace drover::observe::testing
