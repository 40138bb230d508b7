// Reads NVIDIA's ClusterPolicy (nvidia.com/v1, cluster-scoped): which driver is wanted and how it is to be upgraded.
//
// Pure: an object in, a reading out. Absent fields mean the document's defaults. A field that cannot be used is a
// trouble with its path and what would be right; one that we understand but do not act on is listed, so that
// users do not expect an effect. Nothing of a reading with trouble in the driver is rendered.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/selector.h"
#include "core/policy.h"
#include "vendors/shared/upgrade_policy.h"

namespace drover::vendors {

// spec.driver: what the driver container is made of.
struct DriverAsk {
  bool is_enabled = true;
  bool is_said_elsewhere = false;  // by NVIDIADrivers: this policy brings none
  std::string repository = "nvcr.io/nvidia";
  std::string image = "driver";  // a whole reference when it was given as one
  std::string version = {};      // "550.54.15" or "sha256:…"; empty with a whole reference
  bool is_precompiled = false;   // modules were built for one kernel, so the image names it
  std::string module_type = "auto";
  std::string pull_policy = "IfNotPresent";
  std::vector<std::string> pull_secrets = {};
  std::vector<std::pair<std::string, std::string>> env = {};  // in the order given, each name once
  std::vector<std::string> args = {};                         // empty: the image's own
  std::string secret_env = {};                                // a Secret whose keys become variables
  json::Members resources = {};
  json::Members startup_probe = {};  // only what was given; periods and thresholds
  std::optional<json::Members> liveness_probe = {};
  std::optional<json::Members> readiness_probe = {};
  bool on_host_network = false;
  std::string host_root = "/";

  // The image does not depend on the node's system.
  bool is_pinned() const { return version.empty() || version.starts_with("sha256:"); }
  // What the loaded module must say of itself, or begin with (precompiled images name a branch, "550"); empty where the
  // image does not tell (a digest).
  std::string loaded_version() const;
};

// What the driver's init container would do on its own, where the upgrade controller is off (the document's six
// variables).
struct ManagerOptions {
  bool evicts_device_pods = true;
  bool drains = true;
  core::Removal removal = {};   // DRAIN_USE_FORCE, DRAIN_DELETE_EMPTYDIR_DATA, DRAIN_TIMEOUT_SECONDS
  base::Selector drained = {};  // DRAIN_POD_SELECTOR_LABEL
};

// spec.daemonsets: what all our DaemonSets have in common.
struct DaemonSetsAsk {
  enum class Update { Rolling, OnDelete };

  std::optional<json::Array> tolerations = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::string priority_class = "system-node-critical";
  std::optional<Update> update = {};     // the driver's own is OnDelete, whatever this says
  std::string rolling_unavailable = {};  // "1" or "10%"; empty: the API's default
};

struct ClusterPolicyReading {
  std::string nvidia_driver = {};  // the name of the NVIDIADriver that says it; empty: a ClusterPolicy does
  PolicyReading upgrade;           // its policy.trouble speaks of every trouble here, the driver's too
  DriverAsk driver;
  ManagerOptions manager;
  DaemonSetsAsk daemon_sets;
  std::vector<FieldTrouble> troubles = {};  // all of them
  bool can_be_rendered = true;              // no trouble outside upgradePolicy
  std::vector<std::string> ignored = {};    // paths of driver fields that have no effect (condition FieldsIgnored)
  std::vector<std::string> unmanaged = {};  // operands that the manifest enables (condition OperandsNotManaged)
};

ClusterPolicyReading read_cluster_policy(const json::Value& object);

}  // namespace drover::vendors
