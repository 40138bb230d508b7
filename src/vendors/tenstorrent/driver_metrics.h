// The metrics that Tenstorrent's documents name: ttdriver_*. None of them names a node.
#pragma once

#include <vector>

#include "vendors/figures.h"

namespace drover::vendors {

// As Profile::measure.
std::vector<Family> measure_tenstorrent(const std::vector<PolicyFigures>& policies);

}  // namespace drover::vendors
