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

// The fault: "grant it with a Role" was said of quotas, PodSecurity, webhooks and admission policies too.
TEST(Status, WhatToDoFitsTheCauseOfARefusal) {
  const auto next = [](int code, std::string_view said, std::string_view more = "") {
    const json::Value status =
        json::Members{{"message", said}, {"details", json::parse(more.empty() ? "{}" : more).value()}};
    const std::string message = fault_from(code, status, {}, "patch nodes/gpu-7").message;
    return message.substr(message.rfind("; ") + 2);
  };
  EXPECT_EQ(next(403, R"(nodes "gpu-7" is forbidden: User "drover" cannot patch resource "nodes" in API group "")"),
            "grant it with a Role or ClusterRole");
  EXPECT_EQ(
      next(422,
           R"(nodes "gpu-7" is forbidden: ValidatingAdmissionPolicy 'keep' with binding 'all' denied request: no)"),
      "that ValidatingAdmissionPolicy must allow it");
  EXPECT_EQ(next(403, R"(admission webhook "guard.example" denied the request: not now)"),
            "that webhook must allow it");
  EXPECT_EQ(next(500, R"(Internal error occurred: failed calling webhook "guard.example": no answer)"),
            "that webhook must answer, or be removed");
  EXPECT_EQ(
      next(403, R"(pods "a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1)"),
      "raise that ResourceQuota");
  EXPECT_EQ(next(403, R"(pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged)"),
            "label the namespace pod-security.kubernetes.io/enforce=privileged");
  EXPECT_EQ(next(403, R"(pods "a" is forbidden: error looking up service account x/y: serviceaccount "y" not found)"),
            "create that ServiceAccount");
  EXPECT_EQ(
      next(403, R"(pods "a" is forbidden: unable to create new content in namespace x because it is being terminated)"),
      "wait until the namespace is gone, then create it again");
  EXPECT_EQ(next(403, R"(pods "a" is forbidden: maximum cpu usage per Container is 1)"),
            "an admission plugin must allow it");
  EXPECT_EQ(next(404, R"(namespaces "x" not found)", R"({"kind": "namespaces", "name": "x"})"),
            "create it: kubectl create namespace x");
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
