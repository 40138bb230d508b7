// What the driver manager is told: by its container's environment, NVIDIA's six variables among it.
#pragma once

#include <optional>
#include <string>

#include "agent/environment.h"
#include "base/result.h"
#include "base/time.h"

namespace drover::agent {

struct ManagerSettings {
  std::string node;     // NODE_NAME
  std::string pod_uid;  // POD_UID: our own, which is not in our way
  std::string ns = "gpu-operator";
  std::string digest;                      // DRIVER_CONFIG_DIGEST: what the driver beside us is made of
  bool reinstalls = false;                 // FORCE_REINSTALL: also what is there already
  bool evicts = true;                      // ENABLE_GPU_POD_EVICTION
  bool drains = true;                      // ENABLE_AUTO_DRAIN
  bool takes_bare_pods = false;            // DRAIN_USE_FORCE
  bool takes_local_data = false;           // DRAIN_DELETE_EMPTYDIR_DATA
  std::string drained = {};                // DRAIN_POD_SELECTOR_LABEL
  std::optional<base::Span> at_most = {};  // DRAIN_TIMEOUT_SECONDS; nothing for "0s"
};

// Refused names the variable that makes no sense. How pods are removed is the operator's to know (it reads the same
// values in the policy); they are checked here so that a mistake is found before anything happens.
base::Result<ManagerSettings> read_manager_settings(const Environment& environment);

}  // namespace drover::agent
