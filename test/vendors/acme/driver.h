// Reads an AcmeDriver (acme.example/v1), and says what it wants: a driver and a check on every node with an NPU.
#pragma once

#include <memory>
#include <vector>

#include "vendors/desired.h"

namespace drover::vendors {

std::unique_ptr<Desired> acme_wants(const std::vector<PolicyObject>& policies, std::size_t which,
                                    const std::vector<PoolNode>& nodes, const std::vector<DriverSet>& sets,
                                    const OperandSettings& settings);

}  // namespace drover::vendors
