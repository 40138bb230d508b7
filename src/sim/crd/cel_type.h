// What rules may know about a value: a schema as CEL's type.
#pragma once

#include <string>

#include "sim/cel/type.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

// The type of `self` for rules on this schema, or nothing when its values are not visible to rules. The root of a
// resource also shows apiVersion, kind, metadata.name and metadata.generateName.
cel::TypeRef cel_type(const Schema& schema, bool resource_root, const std::string& name = "selfType");

}  // namespace drover::sim::crd
