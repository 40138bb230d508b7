// NVIDIA's share of the simulator.
#pragma once

#include "sim/vendor.h"

namespace drover::sim {

const SimVendor& nvidia();

}  // namespace drover::sim
