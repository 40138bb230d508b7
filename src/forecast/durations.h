// How long things take in one run of a forecast: as they usually do, or, drawn anew each time, as one of them once did.
#pragma once

#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "forecast/input.h"

namespace drover::forecast {

class Durations {
 public:
  // As usual.
  explicit Durations(DurationStats pace) : pace_(std::move(pace)) {}
  // As chance has it.
  Durations(DurationStats pace, base::Random chance)
      : pace_(std::move(pace)),
        turns_(chance.fork("turns")),
        moments_(chance.fork("moments")),
        chance_(std::move(chance)) {}

  // Of two that begin together one ends a moment before the other: which policy gets a place may hang on that.
  base::Span pull() {
    const base::Span moment = moments_ ? std::chrono::milliseconds(moments_->below(50)) : base::Span::zero();
    return one_of(pace_.pulls, pace_.pull) + moment;
  }
  base::Span stop() const { return pace_.stop; }
  base::Span driver() { return one_of(pace_.drivers, pace_.driver); }
  base::Span validation() { return one_of(pace_.validations, pace_.validation); }
  // Who is heard first of so many that ask at the same moment: in their order, or as chance has it.
  std::vector<std::size_t> turns(std::size_t count) {
    std::vector<std::size_t> turns(count);
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    for (std::size_t left = count; turns_ && left > 1; --left) std::swap(turns[left - 1], turns[turns_->below(left)]);
    return turns;
  }
  // A stream of its own, for whoever else leaves something to chance.
  base::Random chance() const { return chance_ ? chance_->fork("others") : base::Random(1); }

 private:
  base::Span one_of(const std::vector<base::Span>& past, base::Span usual) {
    return chance_ && !past.empty() ? past[chance_->below(past.size())] : usual;
  }

  DurationStats pace_;
  std::optional<base::Random> turns_ = {};
  std::optional<base::Random> moments_ = {};
  std::optional<base::Random> chance_ = {};
};

}  // namespace drover::forecast
