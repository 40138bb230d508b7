// Where small differences decide between two ends (which eviction is asked for first, where a pod is made again), one
// run does not tell all. A rollout is foreseen once with usual durations, which says which nodes and when, and then
// some times more with durations drawn from the past: those runs say how far the time may be off, and what depends on
// it.
#pragma once

#include "forecast/forecast.h"

namespace drover::forecast {

Forecast foresee(const ForecastInput& input);

}  // namespace drover::forecast
