// A policy and its nodes, in words and as JSON. Pure: a snapshot comes in, text comes out.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/vendor_snapshot.h"

namespace drover::cli {

// The version that a node's driver pod has loaded, as far as its image says; "" while none runs.
std::string loaded_driver(const observe::Fleet& fleet, std::size_t node, const vendors::WorkProfile& profile);

// A table of nodes, a line that sums up, and what is wrong with the policy.
std::vector<std::string> status_lines(const PolicySnapshot& snapshot);
// The same for programs.
json::Value status_json(const PolicySnapshot& snapshot);
// A node has failed, or the policy cannot be read.
bool something_failed(const PolicySnapshot& snapshot);

// One node: its facts, every rule that was considered, and what happens next. NotFound when the cluster has no such
// node, Refused when the policy has nothing to do with it.
base::Result<std::vector<std::string>> explain_lines(const PolicySnapshot& snapshot, const std::string& node);

}  // namespace drover::cli
