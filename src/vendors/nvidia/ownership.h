// Which of NVIDIA's policies count, and which of them has a node.
//
//   a ClusterPolicy that does not say useNvidiaDriverCRD     it has all nodes; the oldest one, if there are several
//   else                                                     each node has the NVIDIADriver that selects it:
//     one selects it                                           that one
//     none does                                                the one with default: true, if there is one
//     several do                                               the one that had it before; each of them says so in its
//     status
//
// The ClusterPolicy that says useNvidiaDriverCRD has no nodes; what it says of all DaemonSets holds for the
// NVIDIADrivers.
#pragma once

#include <vector>

#include "vendors/desired.h"

namespace drover::vendors {

// Whether a node has a GPU of NVIDIA's, by its labels.
bool has_nvidia_gpu(const LabelsOf& labels);

NodeOwnership allot_nvidia(const std::vector<PolicyObject>& policies);

// The ClusterPolicy that counts; nullptr for none.
const json::Value* cluster_policy_in(const std::vector<PolicyObject>& policies);

}  // namespace drover::vendors
