// Rebellions's share of the agent: its devices are known, its programs are still to come.
#pragma once

#include "agent/program.h"

namespace drover::agent {

const VendorAgent& rebellions();

}  // namespace drover::agent
