// The rollout before it happens: core::decide again and again, in virtual time, on a world that does as it is asked.
//
// This is no second engine: who goes when, who is evicted and what is given up is decided by the operator's own
// function on the same views. Only what the world answers is guessed here: images arrive, pods end with their grace
// period and are made again elsewhere, budgets count down and up, drivers and validators take as long as they took.
// Nothing goes wrong in it that is not known already.
#pragma once

#include <optional>
#include <vector>

#include "core/limit.h"
#include "core/rule.h"
#include "forecast/durations.h"
#include "forecast/input.h"
#include "forecast/obstacles.h"
#include "forecast/rows.h"

namespace drover::forecast {

struct Forecast {
  std::vector<Row> rows = {};
  std::vector<Obstacle> obstacles = {};
  int waves = 0;
  base::Span takes = {};  // until nothing moves any more
  base::Span takes_at_least = {};
  base::Span takes_at_most = {};
  bool gets_through = true;
  std::optional<core::GlobalLimit> limit = {};  // over all policies, at the beginning
  int tries = 0;                                // with durations as chance has them
  int others = 0;  // of them, those that end otherwise: through where this gets stuck, or stuck where it gets through
};

// One run of it, with things taking so long.
Forecast forecast(ForecastInput input, const core::Flow& flow, Durations durations);

}  // namespace drover::forecast
