// What all policies share in one run of a forecast.
#pragma once

#include "forecast/clock.h"
#include "forecast/durations.h"
#include "forecast/obstacles.h"
#include "forecast/rows.h"
#include "forecast/world.h"

namespace drover::forecast {

struct Context {
  Clock& clock;
  Durations& durations;
  World& world;
  Obstacles& obstacles;
  Rows& rows;
};

}  // namespace drover::forecast
