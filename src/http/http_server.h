// An HTTP/1.1 server on the event loop, with TLS (a certificate made on the spot) or without.
//
// It reads whole requests, hands them to the Answerer, and sends what comes back: whole, or as an endless stream. One
// request at a time per connection; further ones wait their turn. No client can disturb the others: one that stalls,
// sends garbage, too much, or does not read its answer is cut off. It must not know what a request means. Asio stays
// behind this header.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/certificate.h"
#include "http/exchange.h"
#include "kube/http_api.h"

namespace drover::http {

struct HttpServerLimits {
  std::size_t most_head_bytes = 64 * 1024;
  std::size_t most_body_bytes = 3 * 1024 * 1024;     // as kube-apiserver has it
  std::size_t most_unsent_bytes = 64 * 1024 * 1024;  // a stream with more untaken bytes than this is cut off
  std::size_t most_connections = 4096;               // beyond it the one idle for longest makes room
  base::Span handshake_within = std::chrono::seconds(10);
  base::Span head_within = std::chrono::seconds(10);  // from a request's first byte
  base::Span body_within = std::chrono::seconds(60);
  base::Span idle_for = std::chrono::seconds(120);     // between requests
  base::Span taken_within = std::chrono::seconds(30);  // the peer takes some of what it was sent
};

struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IP address
  int port = 0;                       // 0 picks a free one
  // The names this server has: in its certificate, and the only ones accepted in a Host header.
  std::vector<std::string> names = {"127.0.0.1", "localhost", "::1"};
  bool checks_host = true;
  bool speaks_tls = true;
  std::optional<Identity> identity = {};  // instead of one made on the spot
  std::string port_flag = "--listen";     // what to change when the port cannot be had; for messages
  HttpServerLimits limits = {};
};

class HttpServer {
 public:
  // Accepts connections from now on. The loop, and whatever the answerer refers to, must outlive it.
  static base::Result<std::unique_ptr<HttpServer>> open(kube::AsioLoop& loop, HttpServerOptions options,
                                                        Answerer answerer);
  // Closes all connections; nothing is called back any more.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const;
  // "https://127.0.0.1:6443"
  std::string url() const;
  // PEM; a client that trusts it trusts this server. Empty without TLS.
  const std::string& certificate() const;
  std::size_t connections() const;

 private:
  struct Body;
  explicit HttpServer(std::shared_ptr<Body> body);
  std::shared_ptr<Body> body_;
};

}  // namespace drover::http
