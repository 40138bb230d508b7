// What the loader is told: by its container's environment.
#pragma once

#include <string>

#include "agent/environment.h"

namespace drover::agent {

struct LoadSettings {
  std::string node;              // NODE_NAME
  std::string pod_uid;           // POD_UID: the pod that asks, while no claim is open
  std::string version;           // TT_KMD_VERSION: the one to load
  std::string digest;            // DRIVER_CONFIG_DIGEST: what orders call it
  bool kills_holders = false;    // TT_FORCE_UNLOAD
  std::string source;            // TT_KMD_SOURCE; the vendor's repository if nothing is said
  Environment proxies = {};      // those that are set, for git
  std::string smi_version = {};  // TT_SMI_VERSION; "": the image carries no tt-smi
};

// Refused names the variable that cannot be used.
base::Result<LoadSettings> read_load_settings(const Environment& environment);

}  // namespace drover::agent
