#include "kube/status.h"

#include <gtest/gtest.h>

namespace drover::kube {
namespace {

using Kind = base::Fault::Kind;

base::Fault fault(int code, std::string_view body, std::string_view retry_after = {}) {
  return fault_from(code, json::parse(body).value(), retry_after, "get nodes/gpu-7");
}

TEST(Status, EachCodeHasItsKind) {
  EXPECT_EQ(fault(404, R"({"reason":"NotFound"})").kind, Kind::NotFound);
  EXPECT_EQ(fault(409, R"({"reason":"AlreadyExists"})").kind, Kind::AlreadyExists);
  EXPECT_EQ(fault(409, R"({"reason":"Conflict"})").kind, Kind::Conflict);
  EXPECT_EQ(fault(410, "{}").kind, Kind::Expired);
  EXPECT_EQ(fault(400, R"({"reason":"Expired"})").kind, Kind::Expired);
  EXPECT_EQ(fault(401, "{}").kind, Kind::Forbidden);
  EXPECT_EQ(fault(403, "{}").kind, Kind::Forbidden);
  EXPECT_EQ(fault(422, R"({"reason":"Invalid"})").kind, Kind::Refused);
  EXPECT_EQ(fault(302, "null").kind, Kind::Refused);
  EXPECT_EQ(fault(500, R"({"message":"boom"})").kind, Kind::Failed);
  EXPECT_EQ(fault(503, "{}").kind, Kind::Failed);
  EXPECT_EQ(fault(503, "{}", "3").kind, Kind::Throttled);
  EXPECT_EQ(fault(504, R"({"details":{"retryAfterSeconds":2}})").kind, Kind::Throttled);
}

TEST(Status, ABudgetBlocksAndAFloodIsThrottled) {
  EXPECT_EQ(fault(429, R"({"details":{"causes":[{"reason":"DisruptionBudget"}]}})").kind, Kind::Blocked);
  const base::Fault flood = fault(429, "{}", "5");
  EXPECT_EQ(flood.kind, Kind::Throttled);
  EXPECT_EQ(flood.retry_after, std::chrono::seconds(5));
}

TEST(Status, TwoBudgetsOnOnePodBlockToo) {
  EXPECT_EQ(
      fault(
          500,
          R"({"message":"This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."})")
          .kind,
      Kind::Blocked);
}

TEST(Status, TheMessageSaysWhatWasAskedAndWhatWasAnswered) {
  EXPECT_EQ(fault(404, R"({"message":"nodes \"gpu-7\" not found"})").message,
            "get nodes/gpu-7: nodes \"gpu-7\" not found");
}

TEST(Status, ABodyThatIsNoStatusIsQuotedInOneLine) {
  const base::Fault fault = fault_from(502, json::Value("<html>\n<b>Bad\tGateway</b>\x01"), {}, "get nodes/x");
  EXPECT_EQ(fault.kind, Kind::Failed);
  EXPECT_NE(fault.message.find("<html>"), std::string::npos);
  EXPECT_EQ(fault.message.find('\n'), std::string::npos);
}

TEST(Status, AWaitThatIsNoNumberIsNoWait) {
  EXPECT_EQ(fault(429, "{}", "soon").retry_after, std::nullopt);
  EXPECT_EQ(fault(429, "{}", "-4").retry_after, std::nullopt);
  EXPECT_EQ(fault(429, "{}", "99999999999").retry_after, std::chrono::hours(24));
}

TEST(Status, WhatWeWriteWeCanRead) {
  const json::Value status = make_status(409, "Conflict", "the object has been modified");
  EXPECT_EQ(json::text_at(status, {"status"}), "Failure");
  EXPECT_EQ(fault_from(0, status, {}, "x").kind, Kind::Conflict);
}

}  // namespace
}  // namespace drover::kube
