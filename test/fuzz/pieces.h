// Cuts an input into pieces as the input itself says, so that the fuzzer can learn where to cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace drover::fuzz {

// The first byte of the input is a choice, the second the size of its pieces (0 = one piece); the rest is text.
struct Input {
  Input(const std::uint8_t* bytes, std::size_t size) {
    if (size > 0) choice = bytes[0];
    if (size > 1) piece_size = bytes[1];
    if (size > 2) text = {reinterpret_cast<const char*>(bytes) + 2, size - 2};
  }

  // Each piece is a copy of its own size, so that a sanitizer sees a read beyond it.
  std::vector<std::vector<char>> pieces() const { return pieces_of(piece_size == 0 ? text.size() : piece_size); }
  std::vector<std::vector<char>> pieces_of(std::size_t most) const {
    std::vector<std::vector<char>> out;
    for (std::size_t at = 0; at < text.size(); at += most) {
      const std::string_view piece = text.substr(at, most);
      out.emplace_back(piece.begin(), piece.end());
    }
    return out;
  }

  std::uint8_t choice = 0;
  std::uint8_t piece_size = 0;
  std::string_view text;
};

}  // namespace drover::fuzz
