// What a reader asks, and the server over a real socket.
#include "sim/serve/log_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "http/certificate.h"
#include "sim/serve/log_query.h"

namespace drover::sim {
namespace {

using base::Fault;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr base::WallTime kNow{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

LogBook book_of(int lines, std::size_t most = 1000) {
  LogBook book(most);
  book.begin_run("ns/pod/main");
  for (int i = 1; i <= lines; ++i)
    book.append("ns/pod/main", kNow + std::chrono::seconds(i), "line " + std::to_string(i));
  return book;
}

std::string read_all(const LogBook& book, const LogQuery& query, base::WallTime now = kNow) {
  const auto* run = book.run(query.container, query.previous);
  if (run == nullptr) return "(none)";
  auto next = first_line(query, *run, now);
  return take_lines(query, *run, next, 1'000'000);
}

TEST(LogQuery, ReadsWhatKubectlAsks) {
  const auto query =
      parse_log_query("/containerLogs/ns/pod/main?follow=true&tailLines=5&timestamps=true&sinceSeconds=60");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->container, "ns/pod/main");
  EXPECT_TRUE(query->follow);
  EXPECT_EQ(query->tail, 5u);
  EXPECT_EQ(query->since, std::chrono::seconds(60));
  EXPECT_EQ(parse_log_query("/containerLogs/ns/p%6Fd/main")->container, "ns/pod/main");
}

TEST(LogQuery, RefusesWhatMakesNoSense) {
  EXPECT_EQ(parse_log_query("/exec/ns/pod/main").error().kind, Fault::Kind::NotFound);
  EXPECT_EQ(parse_log_query("/containerLogs/ns/pod").error().kind, Fault::Kind::NotFound);
  EXPECT_EQ(parse_log_query("/containerLogs/a/b/c?tailLines=-1").error().kind, Fault::Kind::Refused);
  EXPECT_EQ(parse_log_query("/containerLogs/a/b/c?sinceTime=soon").error().kind, Fault::Kind::Refused);
  EXPECT_TRUE(parse_log_query("/containerLogs/a/b/c?&&=&x=%zz"));
}

TEST(LogQuery, CutsAtTheTailAndAtATime) {
  const auto book = book_of(4);
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main", .tail = 2}), "line 3\nline 4\n");
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main", .tail = 0}), "");
  EXPECT_EQ(
      read_all(book, {.container = "ns/pod/main", .since = std::chrono::seconds(1)}, kNow + std::chrono::seconds(5)),
      "line 4\n");
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main", .timestamps = true, .tail = 1}),
            "2026-01-01T00:00:04.000000Z line 4\n");
}

TEST(LogBook, KeepsTheLastLinesOfThisRunAndThoseOfTheRunBefore) {
  auto book = book_of(5, 3);
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main"}), "line 3\nline 4\nline 5\n");
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main", .previous = true}), "(none)");
  book.begin_run("ns/pod/main");
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main"}), "");
  EXPECT_EQ(read_all(book, {.container = "ns/pod/main", .previous = true}), "line 3\nline 4\nline 5\n");
  book.forget_pod("ns/pod");
  EXPECT_EQ(book.run("ns/pod/main"), nullptr);
}

TEST(LogBook, ForgetsOnlyThePodItIsTold) {
  LogBook book;
  book.begin_run("ns/pod/main");
  book.begin_run("ns/pod-2/main");
  book.forget_pod("ns/pod");
  EXPECT_NE(book.run("ns/pod-2/main"), nullptr);
}

TEST(Certificate, IsMadeForItsNames) {
  const auto identity = http::make_identity({"127.0.0.1", "localhost"}, kNow);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_THAT(identity->certificate_pem, HasSubstr("BEGIN CERTIFICATE"));
  EXPECT_THAT(identity->key_pem, HasSubstr("PRIVATE KEY"));
}

// A client that speaks TLS over a blocking socket, on a thread of its own.
class Client {
 public:
  Client(int port, const std::string& target) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
    ssl_ = SSL_new(context_);
    SSL_set_fd(ssl_, fd_);
    if (SSL_connect(ssl_) != 1) return;
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    SSL_write(ssl_, request.data(), static_cast<int>(request.size()));
  }
  ~Client() {
    SSL_free(ssl_);
    close(fd_);
    SSL_CTX_free(context_);
  }
  // Until `enough` has come, or the end.
  std::string read(const std::string& enough = "\x01never") {
    char piece[4096];
    while (ssl_ != nullptr && text_.find(enough) == std::string::npos) {
      const int size = SSL_read(ssl_, piece, sizeof piece);
      if (size <= 0) break;
      text_.append(piece, static_cast<std::size_t>(size));
    }
    return text_;
  }

 private:
  SSL_CTX* context_ = SSL_CTX_new(TLS_client_method());
  SSL* ssl_ = nullptr;
  int fd_ = -1;
  std::string text_;
};

class LogServerTest : public ::testing::Test {
 protected:
  kube::AsioLoop loop;
  LogBook book = book_of(3);
  std::unique_ptr<LogServer> server;
  std::string answer;

  void SetUp() override {
    auto opened = LogServer::open(loop, book, 0);
    ASSERT_TRUE(opened) << opened.error().message;
    server = std::move(*opened);
  }
  // Runs the loop until the client, on its own thread, is done.
  void visit(const std::function<std::string(int port)>& client) {
    std::thread thread([&, port = server->port()] {
      answer = client(port);
      loop.post([this] { loop.stop(); });
    });
    loop.run();
    thread.join();
  }
  static std::function<std::string(int)> get(const std::string& target) {
    return [target](int port) { return Client(port, target).read(); };
  }
};

TEST_F(LogServerTest, AnswersWithTheLinesAndEnds) {
  visit(get("/containerLogs/ns/pod/main?tailLines=2"));
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  EXPECT_THAT(answer, HasSubstr("line 2\nline 3\n"));
  EXPECT_THAT(answer, Not(HasSubstr("line 1")));
  EXPECT_THAT(answer, EndsWith("0\r\n\r\n"));
}

TEST_F(LogServerTest, SaysWhyThereAreNoLines) {
  visit(get("/containerLogs/ns/pod/other"));
  EXPECT_THAT(answer, HasSubstr("400 Bad Request"));
  EXPECT_THAT(answer, HasSubstr("ns/pod/other has no logs"));
  visit(get("/containerLogs/ns/pod/main?previous=true"));
  EXPECT_THAT(answer, HasSubstr("404"));
  visit(get("/etc/passwd"));
  EXPECT_THAT(answer, HasSubstr("404"));
  visit(get("/healthz"));
  EXPECT_THAT(answer, HasSubstr("ok"));
}

TEST_F(LogServerTest, FollowsUntilTheContainerEnds) {
  visit([this](int port) {
    Client client(port, "/containerLogs/ns/pod/main?follow=true&tailLines=1");
    client.read("line 3");
    loop.post([this] { book.append("ns/pod/main", kNow, "line 4"); });
    client.read("line 4");
    loop.post([this] { book.end_run("ns/pod/main"); });
    return client.read();
  });
  EXPECT_THAT(answer, HasSubstr("line 3\n"));
  EXPECT_THAT(answer, HasSubstr("line 4\n"));
  EXPECT_THAT(answer, EndsWith("0\r\n\r\n"));
  EXPECT_EQ(book.listeners(), 0u);
}

TEST_F(LogServerTest, IsNotDisturbedByAReaderThatDoesNotReadOrHangsUp) {
  visit([this](int port) {
    Client lazy(port, "/containerLogs/ns/pod/main?follow=true");
    lazy.read("line 3");
    {
      Client gone(port, "/containerLogs/ns/pod/main?follow=true");
      gone.read("line 3");
    }
    for (int i = 0; i < 200; ++i) {
      loop.post([this] { book.append("ns/pod/main", kNow, std::string(4000, 'x')); });
    }
    loop.post([this] { book.append("ns/pod/main", kNow, "after the flood"); });
    return Client(port, "/containerLogs/ns/pod/main?tailLines=1").read();
  });
  EXPECT_THAT(answer, HasSubstr("200 OK"));
}

TEST_F(LogServerTest, LimitsTheBytes) {
  visit(get("/containerLogs/ns/pod/main?limitBytes=8"));
  EXPECT_THAT(answer, HasSubstr("line 1\nl\r\n"));
}

TEST_F(LogServerTest, CutsItsReadersOffWhenItCloses) {
  std::thread thread([&, port = server->port()] {
    Client client(port, "/containerLogs/ns/pod/main?follow=true");
    client.read("line 3");
    loop.post([this] { server.reset(); });
    answer = client.read();
    loop.post([this] { loop.stop(); });
  });
  loop.run();
  thread.join();
  EXPECT_EQ(book.listeners(), 0u);
  EXPECT_THAT(answer, HasSubstr("line 3"));
}

TEST(LogServer, SaysSoWhenThePortIsTaken) {
  kube::AsioLoop loop;
  LogBook book;
  const auto first = LogServer::open(loop, book, 0);
  ASSERT_TRUE(first);
  const auto second = LogServer::open(loop, book, (*first)->port());
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("--log-port"));
}

}  // namespace
}  // namespace drover::sim
