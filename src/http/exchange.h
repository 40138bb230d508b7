// One HTTP request, and the way to answer it: what stands between the wire (http_server.h) and the code that knows what
// a request means (the embedded cluster's door, the operator's pages). Neither knows the other; tests answer requests
// without a socket.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace drover::http {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string target;  // as sent: "/api/v1/pods?limit=500"
  std::vector<HttpHeader> headers = {};
  std::string body = {};

  // The first header of this name, whatever its case; "" when there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpReply {
  int code = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<HttpHeader> headers = {};  // besides Content-Type and Content-Length
};

// Answered once: whole by `reply`, or piece by piece by `begin`, `send`… and `end`. What is said after the peer has
// gone, or after the end, is dropped. An Exchange that is let go of without an answer is answered with a 500.
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual void reply(HttpReply reply) = 0;

  // Sends the head (its body is ignored) and opens a chunked body.
  virtual void begin(HttpReply head) = 0;
  virtual void send(std::string piece) = 0;
  virtual void end() = 0;

  // Bytes said that the peer has not taken yet: a sender of endless things looks at it and stops, or hangs up.
  virtual std::size_t unsent() const = 0;
  // Called once, soon, when `unsent` is zero; a new call replaces the one before.
  virtual void on_drained(std::function<void()> then) = 0;
  // Called once when the connection is gone before the end, whichever side broke it (not when the whole server closes).
  // Holding the Exchange inside it would keep it alive for ever.
  virtual void on_gone(std::function<void()> then) = 0;
  // Breaks the connection: for a peer that does not take what it asked for.
  virtual void hang_up() = 0;
};

// Called on the loop's thread for each request; may answer at once or later.
using Answerer = std::function<void(HttpRequest request, std::shared_ptr<Exchange> exchange)>;

}  // namespace drover::http
