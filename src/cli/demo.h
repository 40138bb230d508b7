// `drover demo`: the embedded cluster at work, in virtual time, for somebody who has just cloned the repository.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace drover::cli {

struct DemoOptions {
  std::uint64_t seed = 7;
  base::Span frame = std::chrono::milliseconds(40);  // real time for each virtual second; zero shows the lines only
};

// The exit code: 0 when the story ended as it should.
int demo(const DemoOptions& options);

}  // namespace drover::cli
