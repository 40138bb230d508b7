// The rollout before it begins: core::decide again and again, in virtual time, on a simple model of the cluster.
//
// This is not a second engine: which nodes are taken when, which pods are evicted and when a node fails is decided by
// the operator's own function, over all policies of all vendors, on the same views. Only what the cluster answers is
// guessed here: images are pulled and drivers built, pods end with their grace period and are made again elsewhere,
// budgets count down and up, drivers and validators take as long as they took. Nothing fails that is not known to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/limit.h"
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
  int tries = 0;                                // with durations drawn at random
  int others = 0;  // of them, those that end otherwise: through where this gets stuck, or stuck where it gets through
  std::vector<std::string> sources = {};  // where the durations come from

  // A pod is deleted around its budget, or may be.
  bool forces() const;
};

// One run of it, with things taking so long.
Forecast forecast(ForecastInput input, Durations durations);

}  // namespace drover::forecast
