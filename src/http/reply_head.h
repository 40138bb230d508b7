// The first bytes of an answer: status line and headers. Nothing that an answerer put into a header can end it early.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "http/exchange.h"

namespace drover::http {

enum class Framing {
  Length,    // the body's size is told
  Chunks,    // the body comes in chunks
  UntilEnd,  // the body ends with the connection (HTTP/1.0)
};

// With the empty line that ends it. 204 and 304 have no body and so no framing.
std::string reply_head(const HttpReply& reply, Framing framing, bool keeps_alive, base::WallTime now);

// A piece of a chunked body is between these two; the last one is empty.
std::string chunk_head(std::size_t size);
inline constexpr std::string_view kChunkEnd = "\r\n";
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace drover::http
