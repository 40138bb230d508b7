// Reads NVIDIA's NVIDIADriver (nvidia.com/v1alpha1, cluster-scoped): one driver for some of the nodes.
//
// It says what spec.driver of a ClusterPolicy says, without that heading, and which nodes it is for. So it is turned
// into a ClusterPolicy and read as one; what goes wrong is named by the fields of the NVIDIADriver again.
#pragma once

#include <map>
#include <string>

#include "base/json.h"
#include "vendors/desired.h"
#include "vendors/nvidia/driver.h"

namespace drover::vendors {

// Which nodes an NVIDIADriver is for.
struct DriverScope {
  bool is_default = false;                              // those that no other one selects
  std::map<std::string, std::string> node_labels = {};  // empty: all that have a GPU
  bool can_be_read = true;                              // else it is for none

  bool selects(const LabelsOf& labels) const;
};

DriverScope scope_of(const json::Value& nvidia_driver);

// `cluster_policy` has what all drivers share; nullptr where there is none.
ClusterPolicyReading read_nvidia_driver(const json::Value& nvidia_driver, const json::Value* cluster_policy);

}  // namespace drover::vendors
