// The HTTP server over real sockets: what peers may do, and that none of them disturbs another.
#include "sim/serve/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

namespace drover::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kGet = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

// A blocking client, for a thread of its own. Gives up after a while, so that a broken server fails a test and does
// not hang it.
class Peer {
 public:
  Peer(int port, bool tls) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || !tls) return;
    context_ = SSL_CTX_new(TLS_client_method());
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, fd_);
    const unsigned char protocols[] = "\x02h2\x08http/1.1";
    SSL_set_alpn_protos(ssl_, protocols, sizeof protocols - 1);
    if (SSL_connect(ssl_) != 1) drop_tls();
  }
  ~Peer() {
    drop_tls();
    SSL_CTX_free(context_);
    if (fd_ >= 0) close(fd_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  Peer(Peer&& other) noexcept
      : context_(std::exchange(other.context_, nullptr)),
        ssl_(std::exchange(other.ssl_, nullptr)),
        fd_(std::exchange(other.fd_, -1)) {}

  Peer& say(const std::string& bytes) {
    std::size_t at = 0;
    while (at < bytes.size()) {
      const auto rest = bytes.size() - at;
      const auto sent = ssl_ != nullptr ? SSL_write(ssl_, bytes.data() + at, static_cast<int>(rest))
                                        : ::send(fd_, bytes.data() + at, rest, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    return *this;
  }
  // Until `enough` has come (and no further than the read that brought it), or the end.
  std::string hear(const std::string& enough = "\x01never") {
    std::string text;
    char piece[16384];
    while (text.find(enough) == std::string::npos) {
      const auto size = ssl_ != nullptr ? SSL_read(ssl_, piece, sizeof piece) : ::recv(fd_, piece, sizeof piece, 0);
      if (size <= 0) {
        ended_ = size == 0;
        break;
      }
      text.append(piece, static_cast<std::size_t>(size));
    }
    return text;
  }
  Peer& stop_talking() {
    shutdown(fd_, SHUT_WR);
    return *this;
  }
  bool ended() const { return ended_; }
  std::string protocol() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    if (ssl_ != nullptr) SSL_get0_alpn_selected(ssl_, &name, &size);
    return name == nullptr ? "" : std::string(reinterpret_cast<const char*>(name), size);
  }

 private:
  void drop_tls() { SSL_free(std::exchange(ssl_, nullptr)); }

  SSL_CTX* context_ = nullptr;
  SSL* ssl_ = nullptr;
  int fd_ = -1;
  bool ended_ = false;
};

class HttpServerTest : public ::testing::Test {
 protected:
  kube::AsioLoop loop;
  HttpServerOptions options;
  std::vector<HttpRequest> asked;
  std::unique_ptr<HttpServer> server;
  std::string heard;

  // Says "METHOD target body" unless told otherwise.
  Answerer answerer = [this](HttpRequest request, const std::shared_ptr<Exchange>& exchange) {
    asked.push_back(request);
    exchange->reply({.code = 200,
                     .content_type = "text/plain",
                     .body = request.method + " " + request.target + " " + request.body + "\n",
                     .headers = {}});
  };

  void open() {
    auto opened = HttpServer::open(loop, options, answerer);
    ASSERT_TRUE(opened) << opened.error().message;
    server = std::move(*opened);
  }
  Peer peer() const { return {server->port(), options.speaks_tls}; }
  // Runs the loop until the client, on its own thread, is done.
  void visit(const std::function<std::string()>& client) {
    if (server == nullptr) open();
    std::thread thread([&] {
      heard = client();
      loop.post([this] { loop.stop(); });
    });
    loop.run();
    thread.join();
  }
  void visit_saying(const std::string& bytes) {
    visit([&] { return peer().say(bytes).hear(); });
  }
};

class PlainHttpServer : public HttpServerTest {
 protected:
  PlainHttpServer() { options.speaks_tls = false; }
};

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
  EXPECT_THAT(heard, HasSubstr("this is no HTTP/1.1 request"));
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
  open_exchange->send("to nobody");
  EXPECT_EQ(gone, 0);
}

TEST(HttpServer, SaysWhatToDoWhenThePortCannotBeHad) {
  kube::AsioLoop loop;
  const Answerer nobody = [](const HttpRequest&, const std::shared_ptr<Exchange>&) {};
  const auto first = HttpServer::open(loop, {}, nobody);
  ASSERT_TRUE(first);
  HttpServerOptions options;
  options.port = (*first)->port();
  const auto taken = HttpServer::open(loop, options, nobody);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("in use; give another --listen, or port 0"));
  options.address = "example.invalid";
  EXPECT_THAT(HttpServer::open(loop, options, nobody).error().message, HasSubstr("not an IP address"));
  options.address = "127.0.0.1";
  options.identity = Identity{.certificate_pem = "x", .key_pem = "y"};
  EXPECT_THAT(HttpServer::open(loop, options, nobody).error().message, HasSubstr("certificate"));
}

}  // namespace
}  // namespace drover::sim
