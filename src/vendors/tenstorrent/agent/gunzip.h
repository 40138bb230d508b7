// Unpacks gzip as its bytes come in, up to a limit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace drover::agent {

class Gunzip {
 public:
  using Sink = std::function<base::Result<void>(std::string_view piece)>;

  // More than `most_bytes` unpacked is Malformed: a small file may unpack to terabytes.
  Gunzip(std::uint64_t most_bytes, Sink sink);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  base::Result<void> take(std::string_view piece);
  // Malformed where the file stops before its checksum, which has been compared by then.
  base::Result<void> end() const;

 private:
  struct State;
  std::uint64_t left_;
  Sink sink_;
  std::unique_ptr<State> state_;
};

}  // namespace drover::agent
