// What vendors' values have in common where their policies share the upgrade options, the summary and the way to ask
// for devices.
#pragma once

#include "vendor.h"

namespace drover::proof {

// `upgrade` is the object of the options, or nothing.
void read_upgrade_terms(const json::Value* upgrade, Terms& terms);
std::string any_upgrade_policy(base::Random& random);

// The states of status.summary are those of all nodes.
std::string summary_trouble(const kube::Object& policy, bool at_rest);

// The pod's first container asks for so many of a resource.
void ask_for(json::Value& pod_spec, std::string_view resource, int devices);

}  // namespace drover::proof
