// The body of a request that comes in chunks: "3\r\nabc\r\n0\r\n\r\n" is "abc". Extensions and trailers are read past.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace drover::http {

class ChunkReader {
 public:
  enum class State { Reading, Whole, TooLarge, Broken };

  // At most `most_bytes` of body; lines between the pieces at most `most_line_bytes`, trailers together, too.
  ChunkReader(std::size_t most_bytes, std::size_t most_line_bytes)
      : most_bytes_(most_bytes), most_line_bytes_(most_line_bytes) {}

  // How many bytes were taken: all, unless it is not Reading any more.
  std::size_t take(std::string_view bytes, std::string& body);
  State state() const { return state_; }

 private:
  enum class Part { Size, Piece, PieceEnd, Trailer };

  void end_of_line(std::size_t body_bytes);
  void read_size(std::size_t body_bytes);

  std::size_t most_bytes_;
  std::size_t most_line_bytes_;
  State state_ = State::Reading;
  Part part_ = Part::Size;
  std::string line_;
  std::size_t left_ = 0;  // of the piece
  std::size_t trailer_bytes_ = 0;
};

}  // namespace drover::http
