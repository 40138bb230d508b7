// HTTP/1.1 answers, read as bytes come in. Knows no sockets: the caller feeds the bytes (a connection, a fuzzer).
//
// At rest: where in the answer we are, and the line that is being collected. The body is handed on in the pieces in
// which it came, never copied. Limits: the head as a whole, one chunk-size line, the number of interim answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::kube::net {

struct ResponseHead {
  int code = 0;
  bool keep_alive = true;
  std::string retry_after;
  std::string date;
  std::string location;
  std::string content_encoding;
  std::string content_range;
};

class ResponseReader {
 public:
  explicit ResponseReader(std::size_t most_header_bytes) : most_header_bytes_(most_header_bytes) {}

  // Called with each piece of the body; its fault ends the reading. The head is complete by then.
  using BodySink = std::function<base::Result<void>(std::string_view piece)>;

  // Takes bytes up to the answer's end and says how many it took. Malformed for what is not HTTP/1.x; every later call
  // gives that fault again.
  base::Result<std::size_t> feed(std::string_view bytes, const BodySink& body);

  // The peer closed the connection: fine when that is how the body ends (no length was named), else a fault.
  base::Result<void> end_of_stream();

  bool has_begun() const { return has_begun_; }
  bool has_head() const { return has_head_; }
  const ResponseHead& head() const { return head_; }
  bool is_complete() const { return state_ == State::Complete; }

 private:
  enum class State { Head, Length, UntilClose, ChunkSize, Chunk, ChunkEnd, Trailers, Complete };

  base::Result<std::size_t> step(std::string_view bytes, const BodySink& body);
  base::Result<std::size_t> take_body(std::string_view bytes, const BodySink& body, State after);
  // Collects a line; true when `line_` holds a whole one (without its end).
  bool take_line(std::string_view& bytes, std::size_t most);
  base::Result<void> take_head_line();
  base::Result<void> take_status_line();
  base::Result<void> take_field();
  base::Result<void> head_ended();
  base::Result<void> take_chunk_size();

  std::size_t most_header_bytes_;
  State state_ = State::Head;
  bool has_begun_ = false;
  bool has_head_ = false;
  bool has_status_ = false;
  bool line_is_too_long_ = false;
  bool is_old_http_ = false;  // HTTP/1.0: closes unless told otherwise
  bool is_chunked_ = false;
  std::optional<std::uint64_t> length_;
  std::uint64_t left_ = 0;  // of the body or the chunk
  std::size_t header_bytes_ = 0;
  int interim_answers_ = 0;
  std::string line_;
  ResponseHead head_;
  std::optional<base::Fault> broken_;
};

// How long a Retry-After asks us to wait, in whole seconds as text: it may be a number or a date. A date is compared
// with the answer's own Date, so that our clock does not matter; "" when it cannot be known.
std::string retry_after_seconds(const ResponseHead& head);

}  // namespace drover::kube::net
