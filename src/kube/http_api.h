// The API door over HTTP/1.1 and TLS. Asio stays behind this header.
//
// Connections: a keep-alive pool for ordinary calls and lists, one connection for each watch, one for the lease. A
// write whose connection breaks after the first byte left is Unknown; before that Unreachable. A keep-alive connection
// that the server closed while idle is replaced once: for reads always, for writes only when nothing of the request can
// have been read.
// Limits on headers, on one object, and on time protect us from a server gone mad.
#pragma once

#include <memory>
#include <string>

#include "base/loop.h"
#include "kube/api.h"
#include "kube/config.h"

namespace drover::kube {

// The event loop of production. `run` returns after `stop`, or when nothing is left to wait for.
class AsioLoop final : public base::Loop {
 public:
  AsioLoop();
  ~AsioLoop() override;

  base::Instant now() const override;
  base::WallTime wall() const override;
  [[nodiscard]] base::Timer after(base::Span span, std::function<void()> then) override;
  void post(std::function<void()> then) override;

  void run();
  void stop();
  // Calls `then` once when SIGINT or SIGTERM arrives (and then runs on).
  void on_signal(std::function<void(int signal)> then);

  struct Body;  // asio's io_context lives here; kube/net only
  Body& body() { return *body_; }

 private:
  std::unique_ptr<Body> body_;
};

struct HttpLimits {
  base::Span connect_within = std::chrono::seconds(10);
  base::Span answer_within = std::chrono::seconds(30);  // to the first byte, and between bytes
  std::size_t most_header_bytes = 64 * 1024;
  std::size_t most_object_bytes = 8 * 1024 * 1024;  // etcd refuses more than 1.5 MB
  int pool = 8;                                     // ordinary connections at once
};

class HttpApi final : public Api {
 public:
  // Checks what can be checked without a connection: certificates and keys that do not parse are a fault here.
  static base::Result<std::unique_ptr<HttpApi>> open(AsioLoop& loop, Target target, HttpLimits limits = {});
  ~HttpApi() override;

  [[nodiscard]] Call call(Request request, Answer answer) override;
  [[nodiscard]] Call list(ListRequest request, ListSink sink) override;
  [[nodiscard]] Call watch(WatchRequest request, WatchSink sink) override;

  // Bytes and requests since the start; for metrics and benchmarks.
  struct Counters {
    std::uint64_t requests = 0;
    std::uint64_t connections = 0;
    std::uint64_t bytes_read = 0;
  };
  Counters counters() const;

 private:
  struct Body;
  explicit HttpApi(std::shared_ptr<Body> body);
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube
