// The HTTP server among peers that say too much, too little or nothing, and many at once: none of them disturbs
// another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/text.h"
#include "http/http_server_fixture.h"

namespace drover::http {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST_F(HttpServerTest, RefusesABodyThatIsTooLargeInTheWordsOfKubernetes) {
  const std::string large(5 * 1024 * 1024, 'x');
  visit([&] {
    auto told = peer();
    auto length = told.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5242880\r\n\r\n" + large).hear();
    auto chunked = peer();
    chunked.say("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 5; ++i) chunked.say("100000\r\n" + std::string(0x100000, 'x') + "\r\n");
    return length + chunked.hear();
  });
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 413 Payload Too Large\r\n"));
  EXPECT_THAT(heard, HasSubstr("Request entity too large: limit is 3145728"));
  EXPECT_NE(heard.find("413 Payload", 20), std::string::npos);
  EXPECT_TRUE(asked.empty());
}

TEST_F(PlainHttpServer, RefusesAHeadThatIsTooLong) {
  visit_saying("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 431 "));
  visit_saying("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(70'000, 'x'));
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(asked.empty());
}

TEST_F(PlainHttpServer, RefusesGarbage) {
  visit_saying("\x16\x03\x01 this is not http\r\n\r\n");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(heard, HasSubstr("this is not an HTTP/1.1 request"));
  visit_saying("GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 501 "));
  visit_saying("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 400 "));
  visit_saying("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(heard, HasSubstr("begins with /"));
  visit_saying(kGet + "garbage garbage garbage\r\n\r\n");
  EXPECT_THAT(heard, HasSubstr("GET /hello \nHTTP/1.1 400 "));
}

TEST_F(HttpServerTest, CutsOffWhoSpeaksNoTls) {
  visit([this] { return Peer(server->port(), false).say("nonsense, nonsense, nonsense").hear(); });
  EXPECT_THAT(heard, Not(HasSubstr("HTTP")));
  visit([this] { return Peer(server->port(), false).say(kGet).hear(); });
  EXPECT_THAT(heard, HasSubstr("https://"));
  visit([this] { return peer().say(kGet).hear("/hello \n"); });
  EXPECT_THAT(heard, EndsWith("GET /hello \n"));
}

TEST_F(PlainHttpServer, AnswersOnlyToItsOwnNames) {
  const auto calling = [](const std::string& host) {
    return "GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  };
  for (const auto* good : {"localhost:6443", "LOCALHOST", "127.0.0.1:1", "[::1]:6443", "[::1]", "::1"}) {
    visit_saying(calling(good));
    EXPECT_THAT(heard, StartsWith("HTTP/1.1 200 ")) << good;
  }
  asked.clear();
  for (const auto* bad : {"evil.example", "evil.example:6443", "localhost.evil.example", "127.0.0.1.evil", "[::2]", "[",
                          ":", "localhost:1:2"}) {
    visit_saying(calling(bad));
    EXPECT_THAT(heard, StartsWith("HTTP/1.1 403 ")) << bad;
    EXPECT_THAT(heard, HasSubstr("call it by 127.0.0.1 or localhost or ::1"));
  }
  visit_saying("GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 400 "));
  visit_saying("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(asked.empty());
}

TEST_F(PlainHttpServer, CutsOffWhoStalls) {
  options.limits.idle_for = milliseconds(30);
  options.limits.head_within = milliseconds(30);
  options.limits.body_within = milliseconds(30);
  for (const auto* words :
       {"", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc"}) {
    visit([&] {
      auto client = peer();
      client.say(words).hear();
      return client.ended() ? "cut off" : "still there";
    });
    EXPECT_EQ(heard, "cut off") << words;
  }
  EXPECT_TRUE(asked.empty());
}

TEST_F(HttpServerTest, CutsOffWhoStallsInTheHandshake) {
  options.limits.handshake_within = milliseconds(30);
  visit([this] {
    Peer client(server->port(), false);
    client.say("\x16\x03\x01").hear();
    return client.ended() ? "cut off" : "still there";
  });
  EXPECT_EQ(heard, "cut off");
}

TEST_F(HttpServerTest, AnswersWhileAThousandConnectionsAreIdle) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit more{.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &more);
  if (files.rlim_max < 2500) GTEST_SKIP() << "needs 2,500 file descriptors; see ulimit -Hn";
  std::size_t peak = 0;
  visit([&] {
    std::vector<Peer> idle;
    for (int i = 0; i < 1000; ++i) idle.push_back(peer());
    auto answer = peer().say(kGet).hear("/hello \n");
    loop.post([&] { peak = server->connections(); });
    answer += idle.front().say(kGet).hear("/hello \n");
    return answer;
  });
  setrlimit(RLIMIT_NOFILE, &files);
  EXPECT_THAT(heard, EndsWith("GET /hello \n"));
  EXPECT_EQ(asked.size(), 2u);
  EXPECT_GE(peak, 1000u);
}

// Two thousand timers that are always due, as when a large fleet starts: a visitor waits for a few of them at each step
// of its visit, not for all.
TEST_F(HttpServerTest, AnswersWhileThousandsOfTimersAreDue) {
  constexpr int kTimers = 2000;
  const std::string work(50'000, 'w');
  std::uint64_t done = 0;
  std::uint64_t sum = 0;
  std::function<void()> toil = [&] {
    ++done;
    sum += base::fnv1a(work);
    loop.after(base::Span::zero(), toil).let_go();
  };
  for (int i = 0; i < kTimers; ++i) loop.after(base::Span::zero(), toil).let_go();
  visit_saying("GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(heard, EndsWith("GET /hello \n"));
  EXPECT_NE(sum, 0u);
  EXPECT_LT(done, static_cast<std::uint64_t>(2 * kTimers));
}

TEST_F(PlainHttpServer, MakesRoomByClosingTheConnectionThatHasBeenIdleForLongest) {
  options.limits.most_connections = 3;
  visit([this] {
    auto first = peer();
    first.say(kGet).hear("/hello \n");
    std::vector<Peer> others;
    for (int i = 0; i < 5; ++i) others.push_back(peer());
    return others.back().say(kGet).hear("/hello \n") + "|" + first.hear();
  });
  EXPECT_THAT(heard, EndsWith("GET /hello \n|"));
}

TEST_F(HttpServerTest, CutsEverybodyOffWhenItCloses) {
  int gone = 0;
  std::shared_ptr<Exchange> open_exchange;
  answerer = [&](const HttpRequest&, const std::shared_ptr<Exchange>& exchange) {
    open_exchange = exchange;
    exchange->begin({});
    exchange->send("hello");
    exchange->on_gone([&] { ++gone; });
  };
  visit([this] {
    auto client = peer();
    client.say(kGet).hear("hello");
    loop.post([this] { server.reset(); });
    return client.hear() + "(over)";
  });
  EXPECT_EQ(heard, "(over)");
  open_exchange->send("to a closed connection");
  EXPECT_EQ(gone, 0);
}

}  // namespace
}  // namespace drover::http
