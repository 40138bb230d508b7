// Tenstorrent's answers to what every vendor is asked (wants.h).
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "vendors/desired.h"

namespace drover::vendors {

// As WorkProfile::read (profile.h).
std::unique_ptr<Desired> tenstorrent_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                           const std::vector<PoolNode>& nodes, const std::vector<DriverSet>& sets,
                                           const OperandSettings& settings);

}  // namespace drover::vendors
