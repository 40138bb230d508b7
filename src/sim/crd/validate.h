// Does an object obey its schema? Every keyword except the rules (rules.h), in the words of an API server.
#pragma once

#include <string_view>

#include "base/json.h"
#include "sim/crd/correlation.h"
#include "sim/crd/field_error.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

// All complaints about `value`. `root` is the path that the value has in messages ("" for an object, "status" when only
// its status is looked at); with a correlation, complaints about what did not change are left out.
FieldErrors validate(const json::Value& value, const Schema& schema, std::string_view root = {},
                     const Correlation& correlation = {});

// x-kubernetes-list-type: sets and keyed lists hold nothing twice.
FieldErrors check_list_types(const json::Value& value, const Schema& schema, std::string_view path = {});

// x-kubernetes-embedded-resource: apiVersion and kind are there and well-formed.
FieldErrors check_embedded_resources(const json::Value& value, const Schema& schema, std::string_view path = {});

}  // namespace drover::sim::crd
