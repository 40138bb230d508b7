// Bringing an object into the shape its schema describes: unknown fields out, defaults in, before validation.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

// Removes what the schema does not know, except below x-kubernetes-preserve-unknown-fields, and never apiVersion, kind
// and metadata of a resource (`resource_root`, or x-kubernetes-embedded-resource). The paths that went, sorted.
std::vector<std::string> prune(json::Value& object, const Schema& schema, bool resource_root = true);

// Removes nulls where null is not allowed and no default would replace them.
void drop_nulls(json::Value& object, const Schema& schema);

// Fills in defaults: where a field is missing, or null without being nullable; then inside what is there.
void apply_defaults(json::Value& object, const Schema& schema);

}  // namespace drover::sim::crd
