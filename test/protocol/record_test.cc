#include "protocol/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::protocol {
namespace {

using ::testing::HasSubstr;

Record full() {
  Record record;
  record.held = ClaimRecord{.kind = "nvidia/driver",
                            .node = "node-uid",
                            .claim = {.id = "a1b2",
                                      .policy = "policy-uid",
                                      .phase = core::Phase::Drain,
                                      .target = "d1",
                                      .driver_pod = "pod-uid",
                                      .boot = "boot",
                                      .cordon = core::Claim::Cordon::Found,
                                      .was_asked_for = true,
                                      .device_pod_returns = 2,
                                      .spent = std::chrono::seconds(90),
                                      .deadline_paused = true,
                                      .gates = {{"nvidia.com/gpu.deploy.dcgm", "true"}},
                                      .requested_scope = core::Scope::AllPods},
                            .since = base::parse_rfc3339("2026-11-15T16:22:04Z").value(),
                            .at = base::parse_rfc3339("2026-11-15T16:23:05Z").value(),
                            .reason = "draining",
                            .autoscaler_is_told = true};
  record.last["nvidia/driver"] = {.outcome = core::Outcome{.failed = true,
                                                           .after_swap = true,
                                                           .target = "d0",
                                                           .code = core::Reason::StartTimeout,
                                                           .reason = "no device",
                                                           .pod = "p7"},
                                  .at = base::parse_rfc3339("2026-11-14T00:00:00Z").value(),
                                  .next = OutcomeRecord::Next::Asked,
                                  .given_back_at = base::parse_rfc3339("2026-11-15T00:00:00Z").value()};
  return record;
}

TEST(Record, ReadsWhatItWrites) {
  Record alone = full();
  alone.held->claim.requested_scope = core::Scope::DevicePods;
  alone.last["nvidia/driver"].next = OutcomeRecord::Next::Alone;
  EXPECT_EQ(parse_record(text_of(alone)).value(), alone);
  const auto read = parse_record(text_of(full()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, full());
  EXPECT_EQ(parse_record(text_of(Record{})).value(), Record{});
}

TEST(Record, EveryPhaseSurvives) {
  for (const core::PhaseRow& row : core::kPhaseTable) {
    Record record = full();
    record.held->claim.phase = row.phase;
    EXPECT_EQ(parse_record(text_of(record)).value(), record) << row.name;
  }
}

TEST(Record, NeverTakesMoreThanItsRoom) {
  Record record = full();
  record.held->reason = std::string(10'000, 'r');
  for (int i = 0; i < 60; ++i) {
    OutcomeRecord last = record.last["nvidia/driver"];
    last.outcome->reason = std::string(1'000, 'x');
    last.at = *last.at + std::chrono::hours(i);
    record.last["vendor" + std::to_string(i) + "/driver"] = last;
  }
  const std::string text = text_of(record);
  EXPECT_LE(text.size(), kMostRecordBytes);
  const auto read = parse_record(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->held->claim, record.held->claim) << "what is needed to give the node back is never cut";
  EXPECT_TRUE(read->last.contains("vendor59/driver")) << "the newest outcomes stay";
}

TEST(Record, WhatIsNoRecordSaysWhy) {
  const auto complaint = [](std::string_view text) { return parse_record(text).error().message; };
  EXPECT_FALSE(parse_record(""));
  EXPECT_FALSE(parse_record("{"));
  EXPECT_THAT(complaint("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(complaint(R"({"claim":{}})"), HasSubstr("phase"));
  EXPECT_THAT(complaint(R"({"claim":{"phase":"drain"}})"), HasSubstr("since when"));
  EXPECT_THAT(complaint(R"({"claim":{"phase":"drain","since":"2026-11-15T16:22:04Z"}})"), HasSubstr("cordon"));
  EXPECT_THAT(complaint(R"({"claim":7})"), HasSubstr("phase"));
  EXPECT_THAT(complaint(std::string(100'000, ' ')), HasSubstr("larger"));
}

TEST(Record, ANewerDroversWordsAreNoTrouble) {
  const auto read = parse_record(R"({"v":9,"color":"blue","outcomes":{"x/y":{"result":"paused","mood":3}}})");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->held);
  EXPECT_FALSE(read->last.at("x/y").outcome);
}

}  // namespace
}  // namespace drover::protocol
