// Our own agent's programs, for containers of the simulated cluster: the code that runs on real machines.
//
//   load   Tenstorrent's builder (`drover agent load`)
#pragma once

#include "sim/program.h"

namespace drover::sim {

Programs agent_programs();

}  // namespace drover::sim
