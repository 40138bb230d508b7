// Resource quantities ("500m", "2", "1Gi") and what a pod requests of them. Pure.
//
// Amounts are in thousandths, as a scheduler compares them; a value that is too large is as large as can be, because a
// store may hold what admission would not let in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "kube/object.h"

namespace drover::kube {

using Amounts = std::map<std::string, std::int64_t>;  // by resource, in thousandths

// A quantity in thousandths, rounded up; nothing when the text is not a quantity.
std::optional<std::int64_t> milli_quantity(std::string_view text);
std::optional<std::int64_t> milli_quantity_of(const json::Value& value);

// A sum that ends where its type does.
std::int64_t sum_of(std::int64_t a, std::int64_t b);
void add(Amounts& to, const Amounts& amounts, int sign = 1);

// A list of resources as the API has it ({"cpu": "2"}); what is not a quantity is left out.
Amounts amounts_in(const json::Members& list);
// What a pod requests: the sum of its containers, or its largest init container where that is more.
Amounts requests_of(const Object& pod);
Amounts requests_in(const json::Value& pod_spec);

}  // namespace drover::kube
