// Acme's share of the simulator.
#pragma once

#include "sim/vendor.h"

namespace drover::sim {

const SimVendor& acme();

}  // namespace drover::sim
