// A server on a real socket, and a blocking client of a few lines that talks to it.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/http_server.h"

namespace drover::http {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline const std::string kGet = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

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

}  // namespace drover::http
