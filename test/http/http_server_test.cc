// The HTTP server over real sockets: an ordinary conversation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http_server_fixture.h"

namespace drover::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST_F(HttpServerTest, AnswersOverTlsAndOffersNoHttp2) {
  visit([this] {
    auto client = peer();
    return client.protocol() + "|" + client.say(kGet).hear("/hello");
  });
  EXPECT_THAT(heard, StartsWith("|HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(heard, HasSubstr("Content-Length: 12\r\n"));
  EXPECT_THAT(heard, EndsWith("GET /hello \n"));
  EXPECT_THAT(server->certificate(), StartsWith("-----BEGIN CERTIFICATE-----"));
  EXPECT_EQ(server->url(), "https://127.0.0.1:" + std::to_string(server->port()));
}

TEST_F(HttpServerTest, KeepsAConnectionForFurtherRequests) {
  visit([this] {
    auto client = peer();
    client.say(kGet).hear("/hello \n");
    client.say("POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc").hear("abc\n");
    return client.say(kGet).hear("/hello \n");
  });
  EXPECT_THAT(heard, EndsWith("GET /hello \n"));
  ASSERT_EQ(asked.size(), 3u);
  EXPECT_EQ(asked[1].body, "abc");
  EXPECT_EQ(asked[1].header("HOST"), "localhost");
  EXPECT_EQ(asked[1].header("cookie"), "");
}

TEST_F(HttpServerTest, EndsTheConnectionWhenThePeerAsksForIt) {
  visit([this] {
    auto client = peer();
    const auto text = client.say("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").hear();
    return text + (client.ended() ? "(end)" : "(broken off)");
  });
  EXPECT_THAT(heard, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(heard, EndsWith("GET / \n(end)"));
}

TEST_F(PlainHttpServer, AnswersPipelinedRequestsInTheirOrder) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  visit([&] { return peer().say(many).hear("GET /2999 \n"); });
  ASSERT_EQ(asked.size(), 3000u);
  EXPECT_EQ(asked[1234].target, "/1234");
  EXPECT_LT(heard.find("GET /41 "), heard.find("GET /42 "));
}

TEST_F(PlainHttpServer, ReadsAChunkedBody) {
  visit([this] {
    auto client = peer();
    client.say("PUT /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    client.say("4;a=b\r\ndefg\r\n0\r\nAuthorization: late\r\n\r\n");
    return client.hear("g\n");
  });
  EXPECT_THAT(heard, EndsWith("PUT /x abcdefg\n"));
  EXPECT_EQ(asked[0].header("authorization"), "");
}

TEST_F(PlainHttpServer, TellsAPeerThatAsksThatItsBodyIsWelcome) {
  visit([this] {
    auto client = peer();
    const auto go =
        client.say("PUT /x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            .hear("\r\n\r\n");
    return go + client.say("ok").hear("ok\n");
  });
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"));
}

TEST_F(PlainHttpServer, SendsOnlyTheHeadForHead) {
  visit([this] {
    auto client = peer();
    const auto head = client.say("HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n").hear("\r\n\r\n");
    return head + client.say(kGet).hear("/hello \n");
  });
  EXPECT_THAT(heard, HasSubstr("Content-Length: 9\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\n\r\nHTTP/1.1 200 OK"));
}

TEST_F(PlainHttpServer, AnswersAnOldPeerAndAPeerThatOnlyStoppedTalking) {
  visit_saying("GET /old HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(heard, EndsWith("GET /old \n"));
  visit([this] { return peer().say(kGet).stop_talking().hear(); });
  EXPECT_THAT(heard, EndsWith("GET /hello \n"));
}

TEST(HttpServer, SaysWhatToDoWhenThePortCannotBeHad) {
  kube::AsioLoop loop;
  const Answerer silent = [](const HttpRequest&, const std::shared_ptr<Exchange>&) {};
  const auto first = HttpServer::open(loop, {}, silent);
  ASSERT_TRUE(first);
  HttpServerOptions options;
  options.port = (*first)->port();
  const auto taken = HttpServer::open(loop, options, silent);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("in use; give another --listen, or port 0"));
  options.address = "example.invalid";
  EXPECT_THAT(HttpServer::open(loop, options, silent).error().message, HasSubstr("not an IP address"));
  options.address = "127.0.0.1";
  options.identity = Identity{.certificate_pem = "x", .key_pem = "y"};
  EXPECT_THAT(HttpServer::open(loop, options, silent).error().message, HasSubstr("certificate"));
}

}  // namespace
}  // namespace drover::http
