// A machine with two vendors' devices: nodes "both-1", "both-2", ... of a fleet "both=2".
#pragma once

#include "sim/vendor.h"

namespace drover::proof {

// NVIDIA's GPUs and Tenstorrent's cards in one machine.
const sim::SimVendor& nvidia_and_tenstorrent();

}  // namespace drover::proof
