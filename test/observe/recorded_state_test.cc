// Where a node stands: the record's word, the label's word, and the table for those we take over.
#include "observe/recorded_state.h"

#include <gtest/gtest.h>

#include "observe/objects.h"
#include "protocol/keys.h"
#include "protocol/record.h"
#include "vendors/nvidia/module.h"

namespace drover::observe::testing {
namespace {

using core::Claim;
using core::Phase;
using protocol::OutcomeRecord;
using protocol::Record;

const base::WallTime kNow = base::parse_rfc3339("2026-11-15T12:00:00Z").value();
const vendors::WorkProfile& kProfile = vendors::nvidia_driver();

RecordedState recorded(const kube::Object& node) {
  return recorded_state_of(node_facts(node), kProfile, "policy", kNow);
}

kube::Object labelled(std::string_view word) {
  kube::Object node = node_object("n1");
  if (!word.empty()) label(node, kProfile.state_label, word);
  return node;
}

Record claim_in(Phase phase) {
  Record record;
  record.held = protocol::ClaimRecord{.kind = "nvidia/driver",
                                      .node = "node-uid",
                                      .claim = {.id = "c", .policy = "policy", .phase = phase},
                                      .since = kNow};
  return record;
}

Record last(base::CowPtr<core::Outcome> outcome, OutcomeRecord::Next next = OutcomeRecord::Next::Nothing) {
  Record record;
  record.last["nvidia/driver"] = {.outcome = std::move(outcome), .next = next};
  return record;
}

// Taking over: a label without a record.

struct Row {
  std::string_view word;
  bool cordoned;
  bool annotated;  // the vendor's operator had found it cordoned
  Phase phase;
  std::optional<Claim::Cordon> claim;
};

constexpr auto kOurs = Claim::Cordon::Ours;
constexpr auto kFound = Claim::Cordon::Found;

constexpr Row kRows[] = {
    // label                    cordoned  annotated  stands at                claim
    {"", false, false, Phase::Idle, {}},
    {"", true, false, Phase::Idle, {}},
    {"upgrade-done", false, false, Phase::Done, {}},
    {"upgrade-done", true, false, Phase::Done, {}},
    {"upgrade-done", true, true, Phase::Done, {}},
    {"upgrade-required", false, false, Phase::Required, {}},
    {"upgrade-required", true, false, Phase::Required, {}},
    {"upgrade-required", true, true, Phase::Required, {}},
    {"cordon-required", false, false, Phase::Required, {}},
    {"cordon-required", true, false, Phase::Cordon, kOurs},
    {"cordon-required", true, true, Phase::Cordon, kFound},
    {"wait-for-jobs-required", false, false, Phase::Required, {}},
    {"wait-for-jobs-required", true, false, Phase::WaitForJobs, kOurs},
    {"wait-for-jobs-required", true, true, Phase::WaitForJobs, kFound},
    {"pod-deletion-required", false, false, Phase::Required, {}},
    {"pod-deletion-required", true, false, Phase::EvictDevicePods, kOurs},
    {"pod-deletion-required", true, true, Phase::EvictDevicePods, kFound},
    {"drain-required", false, false, Phase::Required, {}},
    {"drain-required", true, false, Phase::Drain, kOurs},
    {"drain-required", true, true, Phase::Drain, kFound},
    {"pod-restart-required", false, false, Phase::Restart, kFound},
    {"pod-restart-required", true, false, Phase::Restart, kOurs},
    {"pod-restart-required", true, true, Phase::Restart, kFound},
    {"validation-required", false, false, Phase::Validate, kFound},
    {"validation-required", true, false, Phase::Validate, kOurs},
    {"validation-required", true, true, Phase::Validate, kFound},
    {"uncordon-required", false, false, Phase::Uncordon, kFound},
    {"uncordon-required", true, false, Phase::Uncordon, kOurs},
    {"uncordon-required", true, true, Phase::Uncordon, kFound},
    {"upgrade-failed", false, false, Phase::Failed, {}},
    {"upgrade-failed", true, false, Phase::Failed, kOurs},
    {"upgrade-failed", true, true, Phase::Failed, {}},
};

class AdoptTest : public ::testing::TestWithParam<Row> {};

TEST_P(AdoptTest, AsTheTableSays) {
  const Row& row = GetParam();
  kube::Object node = labelled(row.word);
  if (row.cordoned) json::ensure(node, {"spec", "unschedulable"}) = true;
  if (row.annotated) annotate(node, kProfile.found_cordoned_annotation, "true");
  const RecordedState found = recorded(node);
  EXPECT_EQ(core::name(found.phase), core::name(row.phase));
  ASSERT_EQ(found.held.has_value(), row.claim.has_value());
  if (found.held) {
    EXPECT_EQ(found.held->claim.cordon, *row.claim);
    EXPECT_EQ(found.held->claim.phase, row.phase);
    EXPECT_EQ(found.held->node, "node-uid");
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, AdoptTest, ::testing::ValuesIn(kRows), [](const auto& info) {
  std::string name = info.param.word.empty() ? "none" : std::string(info.param.word);
  std::replace(name.begin(), name.end(), '-', '_');
  return name + (info.param.cordoned ? "_cordoned" : "") + (info.param.annotated ? "_before" : "");
});

TEST(RecordedState, AnUnknownStateMeansNothing) {
  const RecordedState found = recorded(labelled("upgrade-maybe"));
  EXPECT_EQ(found.phase, Phase::Idle);
  EXPECT_EQ(found.odd_label, "upgrade-maybe");
  EXPECT_FALSE(found.held);
}

// With a record.

TEST(RecordedState, TheRecordCountsMoreThanTheLabel) {
  kube::Object node = labelled("upgrade-done");
  record(node, claim_in(Phase::Drain));
  EXPECT_EQ(recorded(node).phase, Phase::Drain);
  EXPECT_EQ(recorded(node).label, Phase::Done);
}

TEST(RecordedState, AClaimIsBoundToItsMachine) {
  kube::Object node = labelled("");
  Record other = claim_in(Phase::Drain);
  other.held->node = "another-machine";
  record(node, other);
  EXPECT_FALSE(recorded(node).held);
  EXPECT_EQ(recorded(node).phase, Phase::Idle);
}

TEST(RecordedState, AnotherKindsClaimIsNotOurs) {
  kube::Object node = labelled("");
  Record other = claim_in(Phase::Drain);
  other.held->kind = "tenstorrent/firmware";
  record(node, other);
  EXPECT_FALSE(recorded(node).held);
  EXPECT_EQ(recorded(node).other_claim, "tenstorrent/firmware");
}

TEST(RecordedState, OutcomesAreWhereANodeRests) {
  kube::Object node = labelled("");
  record(node, last(core::Outcome{.target = "d"}));
  EXPECT_EQ(recorded(node).phase, Phase::Done);
  record(node, last(core::Outcome{.failed = true, .target = "d"}));
  EXPECT_EQ(recorded(node).phase, Phase::Failed);
  record(node, last(core::Outcome{.target = "d"}, OutcomeRecord::Next::Outdated));
  EXPECT_EQ(recorded(node).phase, Phase::Required);
  EXPECT_FALSE(recorded(node).is_asked_for);
}

TEST(RecordedState, ALabelSetByAPersonIsAWishOnAFailedOrDoneNode) {
  for (const bool failed : {true, false}) {
    kube::Object node = labelled("upgrade-required");
    record(node, last(core::Outcome{.failed = failed, .target = "d"}));
    EXPECT_EQ(recorded(node).phase, Phase::Required);
    EXPECT_TRUE(recorded(node).is_asked_for);
  }
  kube::Object held = labelled("upgrade-required");
  record(held, claim_in(Phase::Failed));
  EXPECT_EQ(recorded(held).phase, Phase::Failed);
  EXPECT_TRUE(recorded(held).is_asked_for);
}

TEST(RecordedState, AWishOutlivesTheWaitOfANodeThatIsHeldAsItFailed) {
  kube::Object node = labelled("upgrade-required");
  Record waits = claim_in(Phase::Required);
  waits.last = last(core::Outcome{.failed = true, .after_swap = true, .target = "d"}, OutcomeRecord::Next::Asked).last;
  record(node, waits);
  EXPECT_EQ(recorded(node).phase, Phase::Required);
  EXPECT_TRUE(recorded(node).is_asked_for);
  waits.last =
      last(core::Outcome{.failed = true, .after_swap = true, .target = "d"}, OutcomeRecord::Next::Outdated).last;
  record(node, waits);
  EXPECT_FALSE(recorded(node).is_asked_for) << "another version is not a request of a user";
}

TEST(RecordedState, OurOwnLabelIsNoWish) {
  kube::Object node = labelled("upgrade-required");
  record(node, last(core::Outcome{.target = "d"}, OutcomeRecord::Next::Outdated));
  EXPECT_FALSE(recorded(node).is_asked_for);
}

TEST(RecordedState, ALabelOnANodeInFlightIsNoWishEither) {
  kube::Object node = labelled("upgrade-required");
  record(node, claim_in(Phase::Drain));
  EXPECT_FALSE(recorded(node).is_asked_for);
  EXPECT_EQ(recorded(node).phase, Phase::Drain);
}

TEST(RecordedState, TheAnnotationIsAWish) {
  kube::Object node = labelled("upgrade-done");
  annotate(node, kProfile.request_annotation, "true");
  EXPECT_TRUE(recorded(node).is_asked_for);
  annotate(node, kProfile.request_annotation, "yes");
  EXPECT_FALSE(recorded(node).is_asked_for);
}

TEST(RecordedState, AGarbledRecordIsToldAndTheLabelRead) {
  kube::Object node = labelled("upgrade-done");
  annotate(node, protocol::kRecordAnnotation, "{");
  EXPECT_FALSE(node_facts(node).record_trouble.empty());
  EXPECT_EQ(recorded(node).phase, Phase::Done);
}

}  // namespace
}  // namespace drover::observe::testing
