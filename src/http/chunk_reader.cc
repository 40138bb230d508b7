#include "http/chunk_reader.h"

#include <algorithm>
#include <charconv>

namespace drover::http {

std::size_t ChunkReader::take(std::string_view bytes, std::string& body) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ == State::Reading) {
    if (part_ == Part::Piece) {
      const auto size = std::min(left_, bytes.size() - at);
      body.append(bytes.substr(at, size));
      at += size;
      left_ -= size;
      if (left_ == 0) part_ = Part::PieceEnd;
      continue;
    }
    const char c = bytes[at++];
    if (c == '\n') {
      end_of_line(body.size());
    } else if (line_.size() >= most_line_bytes_) {
      state_ = State::Broken;
    } else {
      line_ += c;
    }
  }
  return at;
}

void ChunkReader::end_of_line(std::size_t body_bytes) {
  if (!line_.ends_with('\r')) {
    state_ = State::Broken;
    return;
  }
  line_.pop_back();
  switch (part_) {
    case Part::Size: read_size(body_bytes); break;
    case Part::Piece:
    case Part::PieceEnd:
      part_ = Part::Size;
      if (!line_.empty()) state_ = State::Broken;
      break;
    case Part::Trailer:
      trailer_bytes_ += line_.size();
      if (trailer_bytes_ > most_line_bytes_) state_ = State::Broken;
      if (line_.empty()) state_ = State::Whole;
      break;
  }
  line_.clear();
}

void ChunkReader::read_size(std::size_t body_bytes) {
  std::size_t size = 0;
  const char* end = line_.data() + line_.size();
  const auto [after, error] = std::from_chars(line_.data(), end, size, 16);
  const bool is_clean = after == end || *after == ';' || *after == ' ' || *after == '\t';
  if (error == std::errc::invalid_argument || !is_clean) {
    state_ = State::Broken;
  } else if (error != std::errc() || size > most_bytes_ - body_bytes) {
    state_ = State::TooLarge;
  } else {
    left_ = size;
    part_ = size == 0 ? Part::Trailer : Part::Piece;
  }
}

}  // namespace drover::http
