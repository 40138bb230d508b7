// Tenstorrent's answers to what every vendor is asked (wants.h).
#pragma once

#include <memory>

#include "vendors/wants.h"

namespace drover::vendors {

std::unique_ptr<Wants> tenstorrent_wants(const json::Value& policy, const std::vector<PoolNode>& nodes,
                                         const std::vector<DriverSet>& sets, const OperandSettings& settings);

}  // namespace drover::vendors
