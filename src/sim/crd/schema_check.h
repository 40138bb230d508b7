// Is a schema one that an API server would take? Asked once, when a CRD is created or changed.
#pragma once

#include <string>

#include "sim/crd/field_error.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

// Everything: structure, defaults, keywords, rules. `path` is where the schema stands in the CRD
// ("spec.validation.openAPIV3Schema").
FieldErrors check_schema(const SchemaRef& schema, const std::string& path, bool has_status);

// The structural part alone: types everywhere, nothing but value validations under the logical junctors.
FieldErrors check_structure(const Schema& schema, const std::string& path);

}  // namespace drover::sim::crd
