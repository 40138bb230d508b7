#include "vendors/nvidia/operand_parts.h"

#include <algorithm>

#include "vendors/shared/pod_parts.h"

namespace drover::vendors::parts {

std::string policy_word(const ClusterPolicyReading& reading) {
  const bool is_cluster_policy = reading.nvidia_driver.empty();
  return is_cluster_policy ? reading.upgrade.policy.name : std::string(kDriverPolicyPrefix) + reading.nvidia_driver;
}

json::Members owner(const ClusterPolicyReading& reading) {
  const bool is_driver = !reading.nvidia_driver.empty();
  return owner(is_driver ? "nvidia.com/v1alpha1" : "nvidia.com/v1", is_driver ? "NVIDIADriver" : "ClusterPolicy",
               reading.upgrade.policy);
}

json::Array tolerations(const DaemonSetsAsk& ask, const json::Array& more) {
  // Where the policy says nothing: the taint that GPU nodes usually have.
  static const json::Array kUsual = {
      json::Members{{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}};
  json::Array all;
  for (const json::Array* list : {ask.tolerations ? &*ask.tolerations : &kUsual, &more}) {
    for (const json::Value& one : *list) {
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    }
  }
  return all;
}

}  // namespace drover::vendors::parts
