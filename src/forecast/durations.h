// How long things take in one run of a forecast: as they usually do, or drawn at random from those of the past.
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
  Durations() = default;
  // At random.
  explicit Durations(base::Random chance)
      : order_(chance.fork("turns")), moments_(chance.fork("moments")), chance_(std::move(chance)) {}

  // Of two that begin together one ends a moment before the other: which policy gets a place may depend on that.
  base::Span preparation(const DurationStats& stats) {
    const base::Span moment = moments_ ? std::chrono::milliseconds(moments_->below(50)) : base::Span::zero();
    return one_of(stats.preparations, stats.preparation) + moment;
  }
  base::Span driver(const DurationStats& stats) { return one_of(stats.drivers, stats.driver); }
  base::Span validation(const DurationStats& stats) { return one_of(stats.validations, stats.validation); }
  // In which order requests that are made at the same moment arrive: as they were made, or at random.
  std::vector<std::size_t> order(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t left = count; order_ && left > 1; --left) std::swap(order[left - 1], order[order_->below(left)]);
    return order;
  }
  // A stream of its own, for what else is random.
  base::Random chance() const { return chance_ ? chance_->fork("others") : base::Random(1); }

 private:
  base::Span one_of(const std::vector<base::Span>& past, base::Span usual) {
    return chance_ && !past.empty() ? past[chance_->below(past.size())] : usual;
  }

  std::optional<base::Random> order_ = {};
  std::optional<base::Random> moments_ = {};
  std::optional<base::Random> chance_ = {};
};

}  // namespace drover::forecast
