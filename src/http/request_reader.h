// Bytes into HTTP/1.1 requests, without a socket: what a peer may say, how much of it, and to which host name.
//
// Bytes come in pieces cut anywhere and give the same requests as when they come at once. Several requests may come in
// a row; each waits until it is asked for. A peer that breaks a rule is refused once, and nothing after that is read.
// It must not know what a request means.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/exchange.h"

namespace drover::http {

struct RequestRules {
  // The names a peer may call this server by; a page on the web that had its own name point here is refused
  // (DNS rebinding). Empty: any name.
  std::optional<std::vector<std::string>> hosts = {};
  std::size_t most_head_bytes = 64 * 1024;
  std::size_t most_body_bytes = 3 * 1024 * 1024;  // as kube-apiserver has it
};

// "[::1]:8443" -> "::1", "LocalHost:80" -> "localhost": a Host header without its port, in lower case.
std::string host_name(std::string_view host_header);

class RequestReader {
 public:
  enum class State {
    Empty,    // nothing of the next request has come
    Head,     // a part of its head
    Body,     // its head, and a part of its body
    Whole,    // `next` gives it
    Refused,  // `refusal` is the answer; the connection ends with it
  };

  // A request, and what its answer must respect.
  struct Arrived {
    HttpRequest request;
    bool keeps_alive = true;     // the peer may ask again on this connection
    bool knows_chunks = true;    // HTTP/1.1: an answer may come in chunks
    bool wants_no_body = false;  // HEAD
  };

  // The rules must outlive the reader.
  explicit RequestReader(const RequestRules& rules);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  void take(std::string_view bytes);
  State state() const { return state_; }
  // Only when Whole. The reader goes on with the bytes that came after it.
  Arrived next();
  // Only when Refused.
  const HttpReply& refusal() const { return refusal_; }
  // True once for a request whose peer waits to be told that its body is welcome ("Expect: 100-continue").
  bool take_wish_to_continue();
  // Bytes that came and are not part of a request yet.
  std::size_t held() const { return bytes_.size(); }

 private:
  struct Progress;

  void advance();
  std::size_t whole_head();
  void read_head(std::size_t size);
  void read_body();
  void refuse(int code, const std::string& why);
  void refuse_body();

  const RequestRules& rules_;
  std::unique_ptr<Progress> progress_;
  State state_ = State::Empty;
  std::string bytes_;
  Arrived arrived_;
  HttpReply refusal_;
  bool wants_to_continue_ = false;
};

}  // namespace drover::http
