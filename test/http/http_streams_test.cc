// Answers of the HTTP server that go on: they end with the answerer, with the reader, or with neither.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/http_server_fixture.h"

namespace drover::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(HttpServerTest, StreamsUntilTheEnd) {
  answerer = [](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin(
        {.code = 200, .content_type = "application/json", .body = "", .headers = {{"X-A", "b\r\nX-Evil: c"}}});
    exchange->send("first\n");
    exchange->send("");
    exchange->send(std::string(100'000, 'x'));
    exchange->on_drained([exchange] {
      exchange->send("last\n");
      exchange->end();
      exchange->send("too late");
      exchange->reply({.code = 500, .content_type = "", .body = "too late", .headers = {}});
    });
  };
  visit([this] {
    auto client = peer();
    return client.say(kGet).hear("0\r\n\r\n") + client.say(kGet).hear("0\r\n\r\n");
  });
  EXPECT_THAT(heard, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_THAT(heard, HasSubstr("X-A: b  X-Evil: c\r\n"));
  EXPECT_THAT(heard, HasSubstr("\r\n\r\n6\r\nfirst\n\r\n186a0\r\nxxx"));
  EXPECT_THAT(heard, EndsWith("xxx\r\n5\r\nlast\n\r\n0\r\n\r\n"));
  EXPECT_THAT(heard, Not(HasSubstr("too late")));
}

TEST_F(HttpServerTest, NoticesThatTheReaderOfASilentStreamHangsUp) {
  std::shared_ptr<Exchange> open_exchange;
  int gone = 0;
  answerer = [&](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) {
    open_exchange = exchange;
    exchange->begin({});
    exchange->send("hello");
    exchange->on_gone([&] {
      ++gone;
      loop.stop();
    });
  };
  open();
  std::thread thread([&] { peer().say(kGet).hear("hello"); });
  loop.run();
  thread.join();
  EXPECT_EQ(gone, 1);
  EXPECT_EQ(server->connections(), 0u);
  open_exchange->send("dropped");
  open_exchange->end();
  EXPECT_EQ(open_exchange->unsent(), 0u);
}

TEST_F(PlainHttpServer, CutsOffAPeerThatNeverReadsAStream) {
  options.limits.taken_within = milliseconds(50);
  options.limits.most_unsent_bytes = 1024 * 1024;
  std::shared_ptr<Exchange> stalled;
  std::size_t most = 0;
  int gone = 0;
  answerer = [&](const HttpRequest& request, const std::shared_ptr<Exchange>& exchange) {
    if (request.target == "/hello") return exchange->reply({});
    exchange->begin({});
    exchange->on_gone([&] { ++gone; });
    stalled = exchange;
    const bool floods = request.target == "/flood";
    for (int i = 0; i < (floods ? 100'000 : 800); ++i) {
      exchange->send(std::string(20'000, 'x'));
      most = std::max(most, exchange->unsent());
    }
  };
  visit([this] {
    auto flooded = peer();
    flooded.say("GET /flood HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto answer = peer().say(kGet).hear("\r\n\r\n");
    flooded.hear();
    return answer;
  });
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 200 "));
  EXPECT_LT(most, 1'100'000u);
  EXPECT_EQ(gone, 1);
  options.limits.most_unsent_bytes = 64 * 1024 * 1024;
  server.reset();
  open();
  std::thread thread;
  base::Timer look;
  const std::function<void()> check = [&] {
    if (gone == 2) return loop.stop();
    look = loop.after(milliseconds(5), check);
  };
  auto lazy = peer();
  lazy.say("GET /16MB HTTP/1.1\r\nHost: localhost\r\n\r\n");
  check();
  loop.run();
  EXPECT_EQ(gone, 2);
  EXPECT_EQ(stalled->unsent(), 0u);
}

TEST_F(PlainHttpServer, AnswersAnExchangeThatEverybodyForgot) {
  answerer = [](const HttpRequest&, const std::shared_ptr<Exchange>&) {};
  visit([this] { return peer().say(kGet).hear("forgot"); });
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 500 "));
  answerer = [](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) { exchange->begin({}); };
  server.reset();
  visit([this] { return peer().say(kGet).hear(); });
  EXPECT_THAT(heard, Not(HasSubstr("0\r\n\r\n")));
}

TEST_F(PlainHttpServer, BreaksTheConnectionWhenTheAnswererHangsUp) {
  answerer = [](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) {
    exchange->begin({});
    exchange->hang_up();
  };
  visit([this] { return peer().say(kGet).hear(); });
  EXPECT_THAT(heard, Not(HasSubstr("0\r\n\r\n")));
  EXPECT_EQ(server->connections(), 0u);
}

}  // namespace
}  // namespace drover::http
