#include "base/random.h"

#include <algorithm>

#include "base/text.h"

namespace drover::base {

MersenneTwister::MersenneTwister(std::uint64_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < state_.size(); ++i) {
    state_[i] = 6364136223846793005ULL * (state_[i - 1] ^ (state_[i - 1] >> 62)) + i;
  }
}

void MersenneTwister::refill() {
  constexpr std::size_t kShift = 156;
  constexpr std::uint64_t kLower = 0x7fffffffULL;
  for (std::size_t i = 0; i < state_.size(); ++i) {
    const std::uint64_t x = (state_[i] & ~kLower) | (state_[(i + 1) % state_.size()] & kLower);
    const std::uint64_t twist = (x & 1) != 0 ? 0xb5026f5aa96619e9ULL : 0;
    state_[i] = state_[(i + kShift) % state_.size()] ^ (x >> 1) ^ twist;
  }
  used_ = 0;
}

std::uint64_t MersenneTwister::next() {
  if (used_ == state_.size()) refill();
  std::uint64_t x = state_[used_++];
  x ^= (x >> 29) & 0x5555555555555555ULL;
  x ^= (x << 17) & 0x71d67fffeda60000ULL;
  x ^= (x << 37) & 0xfff7eee000000000ULL;
  return x ^ (x >> 43);
}

Span Random::jitter(Span span, double fraction) {
  const double factor = 1.0 + fraction * (2.0 * unit() - 1.0);
  return Span(static_cast<Span::rep>(static_cast<double>(span.count()) * factor));
}

std::string Random::name_suffix(std::size_t length) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text(length, ' ');
  for (char& c : text) c = kLetters[below(kLetters.size())];
  return text;
}

std::string Random::uuid() {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "00000000-0000-4000-8000-000000000000";
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '0') text[i] = kHex[below(16)];
    if (i == 19) text[i] = kHex[8 + below(4)];
  }
  return text;
}

Random Random::fork(std::string_view label) const {
  // A multiplication by an odd constant spreads neighbouring seeds before the label's hash is mixed in.
  return Random((seed_ * 0x9e3779b97f4a7c15ULL) ^ fnv1a(label));
}

Span Backoff::next(Random& random) {
  Span wait = first_;
  for (int i = 0; i < tries_ && wait < most_; ++i) wait *= 2;
  ++tries_;
  return random.jitter(std::min(wait, most_), jitter_);
}

}  // namespace drover::base
