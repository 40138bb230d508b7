// A tar archive, read as its bytes come in; plain files and folders only.
//
// Knows nothing of what the files mean: the caller is told of each entry and of the bytes of those that it wants.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace drover::agent {

struct TarEntry {
  std::string name;  // as the archive has it: "./manifest.json"
  std::uint64_t size = 0;
  bool is_folder = false;
};

class TarReader {
 public:
  // Told of each entry before its bytes; true: its bytes are handed on, and it must not be larger than `kMostWanted`.
  using Wants = std::function<bool(const TarEntry& entry)>;
  using Bytes = std::function<void(std::string_view piece)>;
  static constexpr std::uint64_t kMostWanted = 1024 * 1024;

  TarReader(std::size_t most_entries, Wants wants, Bytes bytes)
      : most_entries_(most_entries), wants_(std::move(wants)), bytes_(std::move(bytes)) {}

  base::Result<void> take(std::string_view piece);
  // The archive came to its end; Malformed where it stops in the middle of an entry.
  base::Result<void> end() const;

 private:
  base::Result<void> take_header();
  base::Result<void> take_bytes(std::string_view bytes);

  std::size_t most_entries_;
  Wants wants_;
  Bytes bytes_;
  std::string header_;         // of the next entry, as far as it has come
  std::uint64_t left_ = 0;     // bytes of the entry
  std::uint64_t padding_ = 0;  // up to the next block
  bool is_wanted_ = false;
  bool is_extension_ = false;  // what comes says more about the next entry
  std::string extension_;
  bool has_ended_ = false;  // by an empty block: nothing that follows counts
  std::set<std::string> names_;
};

}  // namespace drover::agent
