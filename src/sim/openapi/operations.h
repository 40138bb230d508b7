// The paths of a resource, and what can be done at each.
#pragma once

#include <string>

#include "base/json.h"
#include "sim/openapi/document.h"

namespace drover::sim::openapi {

// Adds the paths of a resource whose objects have this definition.
void add_paths(json::Members& paths, const ServedResource& served, const std::string& definition);

}  // namespace drover::sim::openapi
