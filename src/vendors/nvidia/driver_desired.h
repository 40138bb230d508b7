// NVIDIA's ClusterPolicy, or one of its NVIDIADrivers, behind the door that all vendors share.
#pragma once

#include <memory>
#include <vector>

#include "vendors/desired.h"
#include "vendors/nvidia/operands.h"

namespace drover::vendors {

std::unique_ptr<Desired> nvidia_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                      const std::vector<PoolNode>& nodes, const std::vector<DriverSet>& sets,
                                      const OperandSettings& settings);

}  // namespace drover::vendors
