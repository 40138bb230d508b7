// Lists and watches over HTTP, against a server that says what the test wrote down.
#include "kube/http_api.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "base/text.h"
#include "http_api_fixture.h"

namespace drover::kube::fixtures {
namespace {

// Lists.

TEST_F(HttpApiTest, AListIsAskedForPageByPage) {
  server.then(ok(
      R"({"kind":"PodList","metadata":{"resourceVersion":"9","continue":"t/1="},"items":[{"metadata":{"name":"a"}}]})"));
  server.then(chunked(
      R"({"kind":"PodList","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"b"}},{"metadata":{"name":"c"}}]})",
      11));
  const Listed listed =
      list({.range = {kPods, "ml", "app=web,tier in (a)", "spec.nodeName=gpu-7"}, .page = 2, .resource_version = "0"});
  ASSERT_TRUE(listed.end) << listed.end.error().message;
  EXPECT_EQ(listed.end->resource_version, "9");
  EXPECT_EQ(listed.names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(
      server.seen()[0].line(),
      "GET /api/v1/namespaces/ml/pods?labelSelector=app%3Dweb%2Ctier%20in%20%28a%29&fieldSelector=spec.nodeName%3Dgpu-7"
      "&limit=2&resourceVersion=0&resourceVersionMatch=NotOlderThan HTTP/1.1");
  EXPECT_EQ(
      server.seen()[1].line(),
      "GET /api/v1/namespaces/ml/pods?labelSelector=app%3Dweb%2Ctier%20in%20%28a%29&fieldSelector=spec.nodeName%3Dgpu-7"
      "&limit=2&continue=t%2F1%3D HTTP/1.1");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpApiTest, AListWhoseTokenExpiresOnTheWayEndsExpired) {
  server.then(ok(R"({"kind":"PodList","metadata":{"continue":"t"},"items":[{"metadata":{"name":"a"}}]})"));
  server.then(
      answer(410, R"({"kind":"Status","reason":"Expired","message":"the provided continue parameter is too old"})"));
  const Listed listed = list(all_of(kPods));
  ASSERT_FALSE(listed.end);
  EXPECT_EQ(listed.end.error().kind, Kind::Expired);
  EXPECT_EQ(listed.names.size(), 1u);
}

TEST_F(HttpApiTest, AListThatIsNoListOrGoesInCirclesIsMalformed) {
  server.then(ok(kNode));
  EXPECT_NE(list(all_of(kPods)).end.error().message.find("a Node"), std::string::npos);
  const std::string page = R"({"kind":"PodList","metadata":{"continue":"t"},"items":[]})";
  server.then(ok(page)).then(ok(page)).then(ok(page));
  const Listed circles = list(all_of(kPods));
  ASSERT_FALSE(circles.end);
  EXPECT_EQ(circles.end.error().kind, Kind::Malformed);
}

TEST_F(HttpApiTest, AListCutInTheMiddleIsUnreachable) {
  server.then(std::string(kChunkedHead) + chunk(R"({"kind":"PodList","items":[{"metadata":{"name":"a"}},)"),
              Step::After::Close);
  const Listed listed = list(all_of(kPods));
  ASSERT_FALSE(listed.end);
  EXPECT_EQ(listed.end.error().kind, Kind::Unreachable);
  EXPECT_EQ(listed.names.size(), 1u);
}

// Watches.

std::string event(std::string_view type, std::string_view name) {
  return chunk(R"({"type":")" + std::string(type) + R"(","object":{"metadata":{"name":")" + std::string(name) +
               "\"}}}\n");
}

TEST_F(HttpApiTest, AWatchDeliversEventsAndEndsAsTheServerEndsIt) {
  server.then(
      {.pieces = {kChunkedHead, event("ADDED", "a"), event("MODIFIED", "b"), event("BOOKMARK", ""), "0\r\n\r\n"}});
  const Watched watched = watch({.range = {kPods, "ml", "", ""}, .resource_version = "41", .timeout = 5min});
  EXPECT_FALSE(watched.fault) << watched.fault->message;
  EXPECT_EQ(watched.names, (std::vector<std::string>{"a", "b", ""}));
  EXPECT_EQ(
      server.seen()[0].line(),
      "GET /api/v1/namespaces/ml/pods?watch=1&allowWatchBookmarks=true&resourceVersion=41&timeoutSeconds=300 HTTP/1.1");
}

TEST_F(HttpApiTest, AWatchMayBeSilentForLongerThanAnAnswer) {
  limits.answer_within = 40ms;
  server.then(std::string(kChunkedHead) + event("ADDED", "a"), Step::After::Silence);
  std::optional<Fault> ended;
  int events = 0;
  const Call call = client().watch(
      {.range = {kPods, "", "", ""}, .resource_version = "1"},
      {[&](const WatchEvent&) { ++events; }, [&](std::optional<Fault> fault) { ended = std::move(fault); }});
  const base::Timer later = loop.after(200ms, [&] { loop.stop(); });
  run();
  EXPECT_EQ(events, 1);
  EXPECT_FALSE(ended);
}

// Its machine may go without a word, and a watch that has nothing to say would wait for it for minutes.
TEST_F(HttpApiTest, TheKernelAsksASilentServerWhetherItIsStillThere) {
  server.then(std::string(kChunkedHead) + event("ADDED", "a"), Step::After::Silence);
  const Call call = client().watch({.range = {kPods, "", "", ""}, .resource_version = "1"},
                                   {[&](const WatchEvent&) { loop.stop(); }, [](const std::optional<Fault>&) {}});
  run();
  int asked = 0;
  for (int descriptor = 0; descriptor < 256; ++descriptor) {
    int after = 0;
    socklen_t size = sizeof after;
    if (::getsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &after, &size) == 0 && after == 30) ++asked;
  }
  EXPECT_EQ(asked, 1) << "the client's end of the one connection";
}

TEST_F(HttpApiTest, AWatchFromTooLongAgoIsExpiredInBothWaysOfSayingIt) {
  server.then(answer(410, R"({"kind":"Status","reason":"Expired","message":"too old"})"));
  EXPECT_EQ(watch({.range = {kPods, "", "", ""}, .resource_version = "1"}).fault->kind, Kind::Expired);
  server.then(
      std::string(kChunkedHead) +
      chunk(R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})") +
      "0\r\n\r\n");
  EXPECT_EQ(watch({.range = {kPods, "", "", ""}, .resource_version = "1"}).fault->kind, Kind::Expired);
}

TEST_F(HttpApiTest, AWatchThatIsCutIsUnreachableWhereverItWasCut) {
  server.then(std::string(kChunkedHead) + event("ADDED", "a"), Step::After::Close);
  const Watched between = watch({.range = {kPods, "", "", ""}, .resource_version = "1"});
  EXPECT_EQ(between.fault->kind, Kind::Unreachable);
  EXPECT_EQ(between.names.size(), 1u);
  server.then(std::string(kChunkedHead) + event("ADDED", "a") + "40\r\n{\"type\":", Step::After::Reset);
  EXPECT_EQ(watch({.range = {kPods, "", "", ""}, .resource_version = "1"}).fault->kind, Kind::Unreachable);
}

TEST_F(HttpApiTest, EachWatchHasAConnectionOfItsOwn) {
  limits.pool = 1;
  server.then(kChunkedHead, Step::After::Silence).then(kChunkedHead, Step::After::Silence).then(ok(kNode));
  std::vector<Call> watches;
  for (int i = 0; i < 2; ++i) {
    watches.push_back(client().watch({.range = {kPods, "", "", ""}, .resource_version = "1"},
                                     {[](const WatchEvent&) {}, [](const std::optional<Fault>&) {}}));
  }
  Call call;
  const base::Timer later = loop.after(50ms, [&] {
    call = client().call(get(kNodes, "", "gpu-7"), [&](const Result<Object>& node) {
      EXPECT_TRUE(node);
      loop.stop();
    });
  });
  run();
  EXPECT_EQ(server.connections(), 3);
}

}  // namespace
}  // namespace drover::kube::fixtures
