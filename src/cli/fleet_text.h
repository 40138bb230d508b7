// A look at a fleet, in words and as JSON. Pure: what was looked at comes in, text comes out.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/fleet_snapshot.h"

namespace drover::cli {

// The version that a node's driver pod brings, as far as its image says; "" without a pod.
std::string loaded_driver(const observe::Fleet& fleet, std::size_t node, const vendors::WorkProfile& profile);

// A table of nodes, a line that sums up, and what is wrong with the policy.
std::vector<std::string> status_lines(const FleetSnapshot& look);
// The same for programs.
json::Value status_json(const FleetSnapshot& look);
// A node has failed, or the policy cannot be read.
bool something_failed(const FleetSnapshot& look);

// One node: its facts, every rule that was considered, and what happens next. NotFound when the cluster has no such
// node, Refused when the policy has nothing to do with it.
base::Result<std::vector<std::string>> explain_lines(const FleetSnapshot& look, const std::string& node);

}  // namespace drover::cli
