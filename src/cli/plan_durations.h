// How long things take in one run of a forecast: as they usually do, or, drawn anew each time, as one of them once did.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "cli/plan_ground.h"

namespace drover::cli {

class Durations {
 public:
  // As usual.
  explicit Durations(Pace pace) : pace_(std::move(pace)) {}
  // As chance has it.
  Durations(Pace pace, base::Random chance) : pace_(std::move(pace)), chance_(std::move(chance)) {}

  base::Span pull() { return one_of(pace_.pulls, pace_.pull); }
  base::Span stop() const { return pace_.stop; }
  base::Span driver() { return one_of(pace_.drivers, pace_.driver); }
  base::Span validation() { return one_of(pace_.validations, pace_.validation); }
  // A stream of its own, for whoever else leaves something to chance.
  base::Random chance() const { return chance_ ? chance_->fork("others") : base::Random(1); }

 private:
  base::Span one_of(const std::vector<base::Span>& past, base::Span usual) {
    return chance_ && !past.empty() ? past[chance_->below(past.size())] : usual;
  }

  Pace pace_;
  std::optional<base::Random> chance_ = {};
};

}  // namespace drover::cli
