// The API door over HTTP against a server that says what the test wrote down: what each answer, and each missing one,
// means.
#include "kube/http_api.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "http_api_fixture.h"

namespace drover::kube::fixtures {
namespace {

// What goes out.

TEST_F(HttpApiTest, AGetSaysWhoWeAreAndWantsNoCompression) {
  server.then(ok(kNode));
  const auto node = get_node();
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(name_of(*node), "gpu-7");
  const auto& seen = server.seen().at(0);
  EXPECT_EQ(seen.line(), "GET /api/v1/nodes/gpu-7 HTTP/1.1");
  EXPECT_EQ(seen.field("Host"), "127.0.0.1:" + server.port());
  EXPECT_TRUE(seen.field("User-Agent").starts_with("drover/"));
  EXPECT_EQ(seen.field("Accept-Encoding"), "");
}

TEST_F(HttpApiTest, EachKindOfWriteIsSpelledAsTheServerWantsIt) {
  for (int i = 0; i < 7; ++i) server.then(ok(kNode));
  ASSERT_TRUE(outcome(patch(kNodes, "", "n", PatchKind::Merge, json::Value{{"a", 1}}, "status")));
  ASSERT_TRUE(outcome(patch(kNodes, "", "n", PatchKind::Strategic, json::Members{})));
  ASSERT_TRUE(outcome(patch(kNodes, "", "n", PatchKind::Json, json::Array{})));
  Request apply = patch(kNodes, "", "n", PatchKind::Apply, json::Members{});
  apply.force = true;
  ASSERT_TRUE(outcome(apply));
  Request fresh = create(kPods, "ml", json::Value{{"metadata", {{"name", "p"}}}});
  fresh.dry_run = true;
  ASSERT_TRUE(outcome(fresh));
  Request gone = remove(kPods, "ml", "p", "uid-1");
  gone.grace = 30s;
  gone.propagation = Propagation::Foreground;
  ASSERT_TRUE(outcome(gone));
  ASSERT_TRUE(outcome(evict("ml", "p", "uid-2")));

  const auto& seen = server.seen();
  EXPECT_EQ(seen[0].line(), "PATCH /api/v1/nodes/n/status?fieldManager=drover HTTP/1.1");
  EXPECT_EQ(seen[0].field("Content-Type"), "application/merge-patch+json");
  EXPECT_EQ(seen[0].body, R"({"a":1})");
  EXPECT_EQ(seen[1].field("Content-Type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(seen[2].field("Content-Type"), "application/json-patch+json");
  EXPECT_EQ(seen[3].field("Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(seen[3].line(), "PATCH /api/v1/nodes/n?force=true&fieldManager=drover HTTP/1.1");
  EXPECT_EQ(seen[4].line(), "POST /api/v1/namespaces/ml/pods?fieldManager=drover&dryRun=All HTTP/1.1");
  EXPECT_EQ(seen[5].line(), "DELETE /api/v1/namespaces/ml/pods/p HTTP/1.1");
  const auto options = json::parse(seen[5].body);
  ASSERT_TRUE(options);
  EXPECT_EQ(json::text_at(*options, {"preconditions", "uid"}), "uid-1");
  EXPECT_EQ(json::int_at(*options, {"gracePeriodSeconds"}), 30);
  EXPECT_EQ(json::text_at(*options, {"propagationPolicy"}), "Foreground");
  EXPECT_EQ(seen[6].line(), "POST /api/v1/namespaces/ml/pods/p/eviction HTTP/1.1");
}

TEST_F(HttpApiTest, ANameThatWouldBeAnotherAddressIsRefusedBeforeItIsSent) {
  expect_fault(outcome(get(kPods, "ml", "../secrets/x")), Kind::Refused, "cannot be a name");
  expect_fault(outcome(get(kPods, "..", "x")), Kind::Refused, "cannot be a name");
  expect_fault(outcome(get(kPods, "ml", "")), Kind::Refused, "no name");
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(HttpApiTest, AnswersAreCutToTheProjection) {
  server.then(
      ok(R"({"kind":"Node","metadata":{"name":"gpu-7","labels":{"a":"b"}},"spec":{"unschedulable":true,"x":1}})"));
  Request request = get(kNodes, "", "gpu-7");
  request.projection = {"spec.unschedulable"};
  const auto node = outcome(request);
  ASSERT_TRUE(node);
  EXPECT_EQ(json::text_of(*node), R"({"kind":"Node","metadata":{"name":"gpu-7"},"spec":{"unschedulable":true}})");
}

TEST_F(HttpApiTest, ALogIsText) {
  server.then("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello\n");
  Request request = get(kPods, "ml", "p");
  request.subresource = "log";
  const auto log = outcome(request);
  ASSERT_TRUE(log);
  EXPECT_EQ(*log, json::Value("hello\n"));
}

// Connections.

TEST_F(HttpApiTest, OneConnectionServesManyCalls) {
  for (int i = 0; i < 5; ++i) server.then(i % 2 == 0 ? ok(kNode) : chunked(kNode, 7));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(get_node());
  EXPECT_EQ(server.connections(), 1);
  EXPECT_EQ(client().counters().requests, 5u);
  EXPECT_EQ(client().counters().connections, 1u);
}

TEST_F(HttpApiTest, NeverMoreConnectionsThanThePoolHas) {
  limits.pool = 2;
  int answers = 0;
  std::vector<Call> calls;
  for (int i = 0; i < 9; ++i) {
    server.then(ok(kNode));
    calls.push_back(client().call(get(kNodes, "", "gpu-7"), [&](const Result<Object>& node) {
      EXPECT_TRUE(node);
      if (++answers == 9) loop.stop();
    }));
  }
  run();
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpApiTest, TheLeaseDoesNotWaitBehindOthers) {
  limits.pool = 1;
  server.then({.pieces = {}, .after = Step::After::Silence}).then(ok(kNode));
  const Call stuck = client().call(get(kNodes, "", "gpu-7"), [](const Result<Object>&) {});
  Request lease = get(kLeases, "ns", "l");
  lease.lane = Lane::Lease;
  bool renewed = false;
  Call second;
  const base::Timer later = loop.after(50ms, [&] {
    second = client().call(lease, [&](const Result<Object>& answered) {
      renewed = answered.has_value();
      loop.stop();
    });
  });
  run();
  EXPECT_TRUE(renewed);
}

TEST_F(HttpApiTest, AConnectionThatTheServerClosedWhileIdleIsReplacedForReadsAndWrites) {
  server.then(ok(kNode)).then(ok(kNode)).then(ok(kNode));
  ASSERT_TRUE(get_node());
  server.drop_connections();
  ASSERT_TRUE(patch_node());
  server.drop_connections();
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.connections(), 3);
}

TEST_F(HttpApiTest, AnOldConnectionThatDiesUnderTheRequestIsReplacedForReadsOnly) {
  server.then(ok(kNode))
      .then({.pieces = {}, .after = Step::After::Close})
      .then(ok(kNode))
      .then({.pieces = {}, .after = Step::After::Close});
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.connections(), 2);
  expect_fault(patch_node(), Kind::Unknown, "may have happened");
  EXPECT_EQ(server.seen().size(), 4u);
}

TEST_F(HttpApiTest, AServerThatSaysCloseGetsANewConnectionNextTime) {
  server.then(ok(kNode, "Connection: close\r\n"), Step::After::Close).then(ok(kNode));
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpApiTest, BytesAfterTheAnswerSpoilTheConnection) {
  server.then(ok(kNode) + "HTTP/1.1 200 OK\r\n").then(ok(kNode));
  ASSERT_TRUE(get_node());
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(HttpApiTest, ADeadServerIsUnreachable) {
  Target target = server.target();
  target.port = "1";
  open(target);
  expect_fault(patch_node(), Kind::Unreachable, "cannot reach 127.0.0.1:1");
}

TEST_F(HttpApiTest, ADestroyedCallIsNeverAnsweredAndItsConnectionLivesOn) {
  server.then({.pieces = {ok(kNode)}, .wait = 60ms}).then(ok(kNode));
  bool answered = false;
  {
    const Call dropped = client().call(get(kNodes, "", "gpu-7"), [&](const Result<Object>&) { answered = true; });
  }
  Call sent = client().call(get(kNodes, "", "gpu-7"), [&](const Result<Object>&) { answered = true; });
  const base::Timer later = loop.after(20ms, [&] { sent.cancel(); });
  const base::Timer end = loop.after(150ms, [&] { loop.stop(); });
  run();
  EXPECT_FALSE(answered);
  EXPECT_EQ(server.seen().size(), 1u);  // the first was dropped before it left
  ASSERT_TRUE(get_node());
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpApiTest, ACancelledListMayBeCancelledFromItsOwnItem) {
  std::string items;
  for (int i = 0; i < 100; ++i) items += R"({"metadata":{"name":"n"}},)";
  items.pop_back();
  server.then(ok(R"({"kind":"NodeList","items":[)" + items + "]}"));
  int count = 0;
  Call call;
  call = client().list(all_of(kNodes), {[&](const Object&) {
                                          ++count;
                                          call.cancel();
                                          loop.post([&] { loop.stop(); });
                                        },
                                        [](const Result<ListEnd>&) { ADD_FAILURE() << "a cancelled list ended"; }});
  run();
  EXPECT_EQ(count, 1);
}

TEST_F(HttpApiTest, ClosingTheApiEndsEverythingSilently) {
  server.then(kChunkedHead, Step::After::Silence).then({.pieces = {}, .after = Step::After::Silence});
  const Call watch =
      client().watch({.range = {kNodes, "", "", ""}, .resource_version = "1"},
                     {[](const WatchEvent&) {}, [](const std::optional<Fault>&) { ADD_FAILURE() << "told"; }});
  const Call call = client().call(get(kNodes, "", "x"), [](const Result<Object>&) { ADD_FAILURE() << "answered"; });
  const base::Timer later = loop.after(30ms, [&] { api.reset(); });
  const base::Timer end = loop.after(60ms, [&] { loop.stop(); });
  run();
  EXPECT_EQ(api, nullptr);
}

// What comes back.

TEST_F(HttpApiTest, ARefusalIsTheFaultThatItsStatusMeans) {
  server.then(answer(404, R"({"kind":"Status","reason":"NotFound","message":"nodes \"gpu-7\" not found","code":404})"));
  expect_fault(get_node(), Kind::NotFound, "get nodes/gpu-7: nodes \"gpu-7\" not found");
  server.then(answer(409, R"({"kind":"Status","reason":"Conflict","message":"the object has been modified"})"));
  expect_fault(patch_node(), Kind::Conflict, "has been modified");
  server.then(answer(
      429, R"({"kind":"Status","details":{"causes":[{"reason":"DisruptionBudget"}]},"message":"Cannot evict pod"})"));
  expect_fault(outcome(evict("ml", "p", "u")), Kind::Blocked, "evict pods/ml/p: ");
  server.then(answer(403, R"({"kind":"Status","message":"nodes is forbidden"})"));
  expect_fault(get_node(), Kind::Forbidden, "forbidden");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpApiTest, RetryAfterIsReadAsSecondsAndAsADate) {
  server.then(answer(429, "{}", "Retry-After: 7\r\n"));
  auto seconds = get_node();
  expect_fault(seconds, Kind::Throttled, "wait 7s");
  EXPECT_EQ(seconds.error().retry_after, 7s);
  server.then(
      answer(503, "{}", "Date: Sun, 15 Nov 2026 16:22:04 GMT\r\nRetry-After: Sun, 15 Nov 2026 16:23:04 GMT\r\n"));
  auto date = get_node();
  expect_fault(date, Kind::Throttled, "wait 1m");
  EXPECT_EQ(date.error().retry_after, 60s);
  server.then(answer(429, "{}"));
  EXPECT_EQ(get_node().error().retry_after, std::nullopt);
}

TEST_F(HttpApiTest, AnUnknownUserIsToldToLogIn) {
  server.then(answer(401, R"({"kind":"Status","message":"Unauthorized","code":401})"));
  expect_fault(get_node(), Kind::Forbidden, "log in again");
  EXPECT_EQ(server.seen().size(), 1u);
}

TEST_F(HttpApiTest, ARedirectIsRefusedAndNamesTheNewAddress) {
  server.then(answer(302, "", "Location: https://user:hunter2@login.example.net/\r\n"));
  const auto result = get_node();
  expect_fault(result, Kind::Refused, "login.example.net");
  EXPECT_EQ(result.error().message.find("hunter2"), std::string::npos);
}

TEST_F(HttpApiTest, WhatIsNoApiServerSaysSo) {
  server.then("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 26\r\n\r\n<html>\nBad Gateway</html>\n");
  expect_fault(get_node(), Kind::Malformed, "<html>");
  server.then(answer(502, "<html>\n<h1>Bad Gateway</h1></html>"));
  expect_fault(get_node(), Kind::Failed, "Bad Gateway");
  server.then("220 mail.example.net ESMTP\r\n");
  expect_fault(get_node(), Kind::Malformed, "does not speak HTTP");
  server.then(std::string("\x15\x03\x01\x00\x02\x02\x16\xff\xfe\x00\n\n\n\n", 14));
  expect_fault(get_node(), Kind::Malformed, "does not speak HTTP");
  server.then(ok(kNode, "Content-Encoding: gzip\r\n"));
  expect_fault(get_node(), Kind::Malformed, "compressed");
  server.then(ok("{}{}"));
  expect_fault(get_node(), Kind::Malformed, "after its end");
  server.then(ok(R"({"kind":"Node")"));
  expect_fault(get_node(), Kind::Malformed, "cut off");
  server.then(ok(""));
  expect_fault(get_node(), Kind::Malformed, "empty");
}

TEST_F(HttpApiTest, AnswersWithoutEndAreGivenUp) {
  std::string fields = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 3000; ++i) fields += "X-Endless: " + std::string(60, 'x') + "\r\n";
  server.then(fields);
  expect_fault(get_node(), Kind::Malformed, "header is larger than 64 KB");
  server.then(ok(R"({"data":")" + std::string(10 * 1024 * 1024, 'x') + "\"}"));
  expect_fault(get_node(), Kind::Malformed, "larger than 8 MB");
  server.then(answer(500, std::string(3 * 1024 * 1024, 'y')));
  expect_fault(get_node(), Kind::Failed, "yyyy");
}

TEST_F(HttpApiTest, AnAnswerInOneBytePiecesIsAnAnswer) {
  Step step;
  for (const char c : chunked(kNode, 1)) step.pieces.emplace_back(1, c);
  server.then(step);
  EXPECT_TRUE(get_node());
}

TEST_F(HttpApiTest, ACutAnswerLeavesAReadUnreachableAndAWriteUnknown) {
  const std::string cut = ok(kNode).substr(0, 110);
  server.then(cut, Step::After::Close).then(cut, Step::After::Close).then(cut, Step::After::Reset);
  expect_fault(get_node(), Kind::Unreachable, "in the middle of its answer");
  expect_fault(patch_node(), Kind::Unknown, "look before trying again");
  expect_fault(patch_node(), Kind::Unknown, "look before trying again");
  server.then(std::string(kChunkedHead) + "10\r\n{\"ki", Step::After::Close);
  expect_fault(get_node(), Kind::Unreachable, "in the middle of its answer");
}

TEST_F(HttpApiTest, ASilentServerLeavesAReadUnreachableAndAWriteUnknown) {
  limits.answer_within = 60ms;
  server.then({.pieces = {}, .after = Step::After::Silence}).then({.pieces = {}, .after = Step::After::Silence});
  expect_fault(get_node(), Kind::Unreachable, "said nothing for 60ms");
  expect_fault(patch_node(), Kind::Unknown, "said nothing for 60ms");
}

TEST_F(HttpApiTest, ASlowAnswerIsFineWhileItMoves) {
  server.then({.pieces = {ok(kNode)}, .wait = 50ms});
  EXPECT_TRUE(get_node());
}

}  // namespace
}  // namespace drover::kube::fixtures
