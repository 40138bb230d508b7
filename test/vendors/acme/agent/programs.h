// Acme's share of the agent.
#pragma once

#include "agent/program.h"

namespace drover::agent {

const VendorAgent& acme();

}  // namespace drover::agent
