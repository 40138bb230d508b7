// Pieces that NVIDIA's operands have in common.
#pragma once

#include <string>

#include "base/json.h"
#include "vendors/nvidia/operands.h"

namespace drover::vendors::parts {

json::Members owner(const ClusterPolicyReading& reading);
// For kPolicyAnnotation.
std::string policy_word(const ClusterPolicyReading& reading);
// The policy's, or the vendor's usual one, without doubles; then `more`.
json::Array tolerations(const DaemonSetsAsk& ask, const json::Array& more = {});

}  // namespace drover::vendors::parts
