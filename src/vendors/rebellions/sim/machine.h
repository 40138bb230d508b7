// Rebellions's share of the simulator.
#pragma once

#include "sim/vendor.h"

namespace drover::sim {

const SimVendor& rebellions();

}  // namespace drover::sim
