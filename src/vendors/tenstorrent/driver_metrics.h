// The metrics that Tenstorrent's documents name: ttdriver_*. None of them names a node.
#pragma once

#include <vector>

#include "vendors/metric_family.h"

namespace drover::vendors {

// As WorkProfile::metrics.
std::vector<MetricFamily> tenstorrent_metrics(const std::vector<PolicyMetrics>& policies);

}  // namespace drover::vendors
