// NVIDIA's share of the agent.
#pragma once

#include "agent/program.h"

namespace drover::agent {

const VendorAgent& nvidia();

}  // namespace drover::agent
