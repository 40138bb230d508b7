// Correlating old and new values.
#include "sim/crd/correlation.h"

#include <algorithm>

#include "base/same.h"

namespace drover::sim::crd {

namespace {

// A key as given, or its default.
const json::Value* key_value(const json::Members& item, const std::string& key, const Schema* items) {
  if (const auto* found = item.if_contains(key)) return found;
  const Schema* schema = items != nullptr ? items->member(key) : nullptr;
  return schema != nullptr && schema->default_value ? &*schema->default_value : nullptr;
}

}  // namespace

const json::Value* find_by_keys(const json::Array& list, const json::Value& item, const std::vector<std::string>& keys,
                                const Schema* items) {
  const auto* wanted = item.if_object();
  if (wanted == nullptr || keys.empty()) return nullptr;
  for (const auto& candidate : list) {
    const auto* object = candidate.if_object();
    const bool same = object != nullptr && std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
                        const auto* mine = key_value(*wanted, key, items);
                        const auto* theirs = key_value(*object, key, items);
                        return (mine == nullptr) == (theirs == nullptr) && (mine == nullptr || *mine == *theirs);
                      });
    if (same) return &candidate;
  }
  return nullptr;
}

Correlation Correlation::member(std::string_view name) const {
  if (!*this || schema == nullptr || !now->is_object() || !old->is_object()) return {};
  const auto* new_member = now->get_object().if_contains(name);
  const auto* old_member = old->get_object().if_contains(name);
  const Schema* below = schema->member(name);
  if (new_member == nullptr || old_member == nullptr || below == nullptr) return {};
  return {new_member, old_member, below};
}

Correlation Correlation::item(std::size_t at) const {
  if (!*this || schema == nullptr || schema->list_type != "map" || !schema->items) return {};
  if (!now->is_array() || !old->is_array() || at >= now->get_array().size()) return {};
  const json::Value& item = now->get_array()[at];
  const json::Value* before = find_by_keys(old->get_array(), item, schema->list_keys, schema->items.get());
  if (before == nullptr) return {};
  return {&item, before, schema->items.get()};
}

bool Correlation::unchanged() const {
  if (!*this) return false;
  if (schema == nullptr) return json::same(*now, *old);
  if (now->is_object() && old->is_object()) {
    const auto& members = now->get_object();
    if (members.size() != old->get_object().size()) return false;
    return std::all_of(members.begin(), members.end(), [&](const auto& entry) {
      if (const Correlation below = member(entry.key())) return below.unchanged();
      const auto* before = old->get_object().if_contains(entry.key());
      return before != nullptr && json::same(*before, entry.value());
    });
  }
  if (now->is_array() && old->is_array() && schema->list_type == "map") {
    if (now->get_array().size() != old->get_array().size()) return false;
    for (std::size_t i = 0; i < now->get_array().size(); ++i) {
      if (!item(i).unchanged()) return false;
    }
    return true;
  }
  return json::same(*now, *old);
}

}  // namespace drover::sim::crd
