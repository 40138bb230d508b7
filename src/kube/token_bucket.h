// Permissions that drip into a bucket: a burst at once, then so many a second.
//
// Has no clock: the caller says what time it is, and never goes back in time. A pause is a bucket that starts to fill
// in the future.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/time.h"

namespace drover::kube {

class TokenBucket {
 public:
  // Full at `now`. `rate` is per second and must be positive.
  TokenBucket(double rate, double burst, base::Instant now)
      : rate_(rate), burst_(burst), tokens_(burst), filled_at_(now) {}

  // Takes one token; false when there is none, or the bucket is paused.
  bool take(base::Instant now) {
    fill(now);
    if (now < filled_at_ || tokens_ < kOne) return false;
    tokens_ -= 1;
    return true;
  }

  // When a token will be there: now, or later.
  base::Instant next_at(base::Instant now) {
    fill(now);
    if (tokens_ >= kOne) return filled_at_;
    const double missing = (1 - tokens_) / rate_;
    return filled_at_ + base::Span(static_cast<base::Span::rep>(std::ceil(missing * 1e9)));
  }

  void set_rate(double rate, base::Instant now) {
    fill(now);
    rate_ = rate;
  }

  // Throws away what was saved up, but for one token; nothing is given before `until`.
  void pause(base::Instant until) {
    tokens_ = std::min(tokens_, 1.0);
    filled_at_ = std::max(filled_at_, until);
  }

  double rate() const { return rate_; }

 private:
  // Sums of fractions are not exact; a billionth of a token is not worth another timer.
  static constexpr double kOne = 1 - 1e-9;

  void fill(base::Instant now) {
    if (now <= filled_at_) return;
    const double seconds = std::chrono::duration<double>(now - filled_at_).count();
    tokens_ = std::min(burst_, tokens_ + rate_ * seconds);
    filled_at_ = now;
  }

  double rate_;
  double burst_;
  double tokens_;
  base::Instant filled_at_;
};

}  // namespace drover::kube
