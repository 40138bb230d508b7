// Which value of the old object is the same place as a value of the new one.
//
// Fields correlate by name, items of keyed lists by their keys; items of other lists do not correlate. Ratcheting asks
// here: what an update leaves as it was is not complained about.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/json.h"
#include "sim/crd/schema.h"

namespace drover::sim::crd {

struct Correlation {
  const json::Value* now = nullptr;
  const json::Value* old = nullptr;
  const Schema* schema = nullptr;

  // False for a place that has no old value.
  explicit operator bool() const { return now != nullptr && old != nullptr; }
  Correlation member(std::string_view name) const;
  Correlation item(std::size_t index) const;
  // Is the value there what it was? Keyed lists have no order.
  bool unchanged() const;
};

// The item of `list` with the same keys, or nullptr.
const json::Value* find_by_keys(const json::Array& list, const json::Value& item, const std::vector<std::string>& keys,
                                const Schema* items);

}  // namespace drover::sim::crd
