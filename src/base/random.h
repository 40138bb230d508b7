// The only source of chance, so that one printed seed gives one run again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace drover::base {

// The numbers of std::mt19937_64, whose header costs every file that includes it half a second.
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint64_t seed);
  std::uint64_t next();

 private:
  void refill();

  std::array<std::uint64_t, 312> state_ = {};
  std::size_t used_ = 312;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed), seed_(seed) {}

  // A number in [0, bound); 0 when bound is 0. (Not std::uniform_int_distribution: its results are not specified.)
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : engine_.next() % bound; }
  // A number in [0, 1).
  double unit() { return static_cast<double>(engine_.next() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }
  // `span` times a factor in [1 - fraction, 1 + fraction).
  Span jitter(Span span, double fraction);
  // `length` letters of the alphabet that Kubernetes gives generated names ("bcdfghjklmnpqrstvwxz2456789").
  std::string name_suffix(std::size_t length = 5);
  // A random (version 4) UUID.
  std::string uuid();
  // Another stream of numbers that depends on this seed and the label only, not on what was drawn here before.
  Random fork(std::string_view label) const;

 private:
  MersenneTwister engine_;
  std::uint64_t seed_;
};

// Waits that grow: `first`, then times two up to `most`, each with jitter; `reset` after success.
class Backoff {
 public:
  Backoff(Span first, Span most, double jitter = 0.2) : first_(first), most_(most), jitter_(jitter) {}
  Span next(Random& random);
  void reset() { tries_ = 0; }
  int tries() const { return tries_; }

 private:
  Span first_;
  Span most_;
  double jitter_;
  int tries_ = 0;
};

}  // namespace drover::base
