// What chance has a hand in: a rollout is foreseen once with everything taking as long as it usually does here, which
// says who and when. Then it is run some times more with durations drawn from the past: where small differences decide
// between two ends (who asks a budget first, where a pod is made again), those runs say how far the time may be off,
// and what only perhaps happens.
#pragma once

#include "forecast/forecast.h"

namespace drover::forecast {

Forecast foresee(const ForecastInput& input, const core::Flow& flow);

}  // namespace drover::forecast
