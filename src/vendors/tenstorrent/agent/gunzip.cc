#include "vendors/tenstorrent/agent/gunzip.h"

#include <zlib.h>

#include <array>
#include <string>

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

constexpr int kGzipOnly = 16;  // added to the window's bits: no zlib header, no raw stream
constexpr std::size_t kRoom = 64 * 1024;

}  // namespace

struct Gunzip::State {
  z_stream stream = {};
  bool is_open = false;
  bool is_whole = false;  // at the end of a member
  std::array<char, kRoom> room;
};

Gunzip::Gunzip(std::uint64_t most_bytes, Sink sink)
    : left_(most_bytes), sink_(std::move(sink)), state_(std::make_unique<State>()) {
  state_->is_open = ::inflateInit2(&state_->stream, MAX_WBITS + kGzipOnly) == Z_OK;
}

Gunzip::~Gunzip() {
  if (state_->is_open) ::inflateEnd(&state_->stream);
}

Result<void> Gunzip::take(std::string_view piece) {
  z_stream& stream = state_->stream;
  if (!state_->is_open) return fault(Fault::Kind::Failed, "zlib could not be started: is there no memory?");
  // zlib does not write to its input.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
  stream.avail_in = static_cast<uInt>(piece.size());
  do {
    // A gzip file may be several, one after the other.
    if (state_->is_whole && stream.avail_in > 0) {
      if (::inflateReset(&stream) != Z_OK) return fault(Fault::Kind::Malformed, "it is not a gzip file, or garbled");
      state_->is_whole = false;
    }
    stream.next_out = reinterpret_cast<Bytef*>(state_->room.data());
    stream.avail_out = kRoom;
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
      return fault(Fault::Kind::Malformed, "it is not a gzip file, or garbled");
    state_->is_whole = code == Z_STREAM_END;
    const std::size_t size = kRoom - stream.avail_out;
    if (size > left_) return fault(Fault::Kind::Malformed, "it unpacks to more than a bundle may hold");
    left_ -= size;
    if (size > 0) TRY_VOID(sink_({state_->room.data(), size}));
  } while (stream.avail_in > 0 || stream.avail_out == 0);
  return {};
}

Result<void> Gunzip::end() const {
  if (state_->is_whole) return {};
  return fault(Fault::Kind::Malformed, "it ends in the middle: the download was cut short");
}

}  // namespace drover::agent
