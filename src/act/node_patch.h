// One decision about a node as one PATCH of it.
//
// Label, record, cordon, taint and gates go together, guarded by the version that was decided on: either all of it
// happens, or nothing and we decide again. Pure.
#pragma once

#include <string>

#include "base/json.h"
#include "base/time.h"
#include "core/decide.h"
#include "kube/api.h"
#include "protocol/record.h"
#include "vendors/work_profile.h"

namespace drover::act {

// The node as it was decided on.
struct NodeNow {
  const core::NodeView& seen;
  std::string version;
  std::string boot = {};
  json::Array taints = {};
  protocol::Record record = {};
  bool autoscaler_is_told = false;  // the annotation is there, whatever set it
  std::string order = {};           // what the agent was told last
  std::string driver_version = {};  // what it is to find loaded at the end
  std::string policy = {};          // the name of its policy
  bool is_paused = false;           // that policy
  bool is_to_prepare = false;       // the agent, the driver that is wanted
  bool has_cordon_note = false;     // the vendor's annotation that says whose the cordon is
};

// The record after the change.
protocol::Record record_after(const NodeNow& node, const core::Change& change, const vendors::WorkProfile& profile,
                              base::WallTime now);

// `change` may be missing: then only `dress` is put on.
kube::Request node_patch(const NodeNow& node, const core::Change* change, const vendors::NodeMetadata& metadata,
                         const vendors::WorkProfile& profile, base::WallTime now);

}  // namespace drover::act
