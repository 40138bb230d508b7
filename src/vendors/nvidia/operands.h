// Renders what NVIDIA's driver needs in the cluster: the driver's DaemonSets, the validator's, and the pod that proves
// an image can be had on a node.
//
// Every object holds exactly the fields that we own, for server-side apply. The digest speaks of what the driver is
// made of and of nothing else: two templates with the same digest load the same driver, so no pod is replaced for their
// difference. It is frozen: a release of drover that changed it would reload the driver of every node (a test pins it).
// The template mark speaks of the whole template: a pod that never ran is replaced when it differs, and no other.
//
// DaemonSets have no ownerReference: a deleted policy must not take drivers away from running workloads, nor the
// validator from a node whose new driver still has to prove itself. Preflight pods have one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "vendors/desired.h"
#include "vendors/nvidia/driver.h"
#include "vendors/nvidia/pools.h"
#include "vendors/shared/preflight.h"

namespace drover::vendors {

inline constexpr std::string_view kDriverContainer = "nvidia-driver-ctr";
inline constexpr std::string_view kManagerContainer = "k8s-driver-manager";
inline constexpr std::string_view kValidatorDaemonSet = "nvidia-operator-validator";
inline constexpr std::string_view kValidatorSetLabel = "drover.dev/validator-set";
inline constexpr std::string_view kDriverOwnerLabel = "nvidia.com/gpu-operator.driver.owner";  // on nodes
inline constexpr std::string_view kPreflightApp = "nvidia-driver-preflight";  // label app of the preflight pods

struct DriverOperand {
  Pool pool;
  std::string name;
  std::string image;
  std::string digest;
  std::string template_mark;  // of its pods
  json::Value daemon_set;
};

struct Operands {
  std::vector<DriverOperand> drivers;
  std::vector<std::string> leftovers = {};  // DaemonSets to delete with propagationPolicy Orphan
  std::vector<std::string> unplaced = {};   // nodes whose system is not known
};

// Nothing while the driver is disabled or the reading has trouble in it: what is there then stays as it is.
Operands render_drivers(const ClusterPolicyReading& reading, const std::vector<PoolNode>& nodes,
                        const std::vector<DriverSet>& existing, const OperandSettings& settings);

// The same for every version of the driver: what is to be validated, the validator learns from its Node.
json::Value render_validator(const ClusterPolicyReading& reading, const OperandSettings& settings);

// Pulls `driver.image` on one node and ends; the driver's DaemonSet is not touched by it.
json::Value render_preflight(const ClusterPolicyReading& reading, const DriverOperand& driver, const std::string& node,
                             const OperandSettings& settings);

// 16 hexadecimal digits over what the driver is made of.
std::string digest_of(const DriverAsk& driver, const Pool& pool);

// What a driver pod was made from; empty for pods that are not ours, whose image has to be compared instead.
std::string_view digest_of_pod(const json::Value& pod);
std::string_view driver_image_of_pod(const json::Value& pod);

}  // namespace drover::vendors
