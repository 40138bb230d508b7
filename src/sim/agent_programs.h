// Our own agent's programs, for containers of the simulated cluster: the code that runs on real machines. A script's
// `program NAME` is `drover agent NAME`.
#pragma once

#include "base/result.h"
#include "sim/images.h"
#include "sim/program.h"
#include "sim/vendor.h"

namespace drover::sim {

Programs agent_programs(SimVendors vendors = all());

// From now on init containers of drivers run our driver manager, and the drivers beside them do what it relies on. By
// default they follow a script, which neither asks nor waits: fast, and enough where the controller does the asking.
base::Result<void> prefer_driver_manager(ImageTable& images, SimVendors vendors = all());

}  // namespace drover::sim
