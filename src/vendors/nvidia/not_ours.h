// What a ClusterPolicy asks for and drover does not do. Nothing is dropped silently: fields of the driver that have no
// effect and operands that another program has to run are named, for the conditions FieldsIgnored and
// OperandsNotManaged.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace drover::vendors {

// Paths such as "spec.driver.rdma.enabled", sorted; only fields that ask for something (not "", false, 0, {}, []).
std::vector<std::string> ignored_fields(const json::Value& cluster_policy);

// Keys of spec such as "devicePlugin", sorted.
std::vector<std::string> unmanaged_operands(const json::Value& cluster_policy);

}  // namespace drover::vendors
