// What a strict decoder reports about a body before validation: unknown fields and duplicate fields.
#pragma once

#include <string>
#include <string_view>

#include "sim/server/context.h"

namespace drover::sim {

// Reads a written object of the request's kind: unknown fields of custom kinds go. What the request wants to hear of it
// is said: Strict refuses, Warn adds to the answer's warnings.
Answer<void> read_fields(const Context& context, const ResourceRules& rules, const kube::Request& request,
                         kube::Object& object);

// Can the body of an apply be read by the types of its kind at all? 500 when not, as the real server says it.
Answer<void> fits_type(const ResourceRules& rules, const kube::Request& request);

// 500 when a keyed list of the body gives a key twice.
Answer<void> nothing_twice(const ResourceRules& rules, const kube::Request& request, const FieldTypes& types);

// A body that the decoder refuses: 400, or (of a patch) 422 with the patched object in it.
Refusal unreadable(const ResourceRules& rules, const kube::Request& request, const kube::Object& object,
                   std::string_view why);

// A value as Go prints a map: "map[a:1 b:[x y]]".
std::string go_map(const json::Value& value);

}  // namespace drover::sim
