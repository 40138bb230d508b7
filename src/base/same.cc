#include "base/same.h"

#include <algorithm>

namespace drover::json {

bool same(const Members& a, const Members& b) {
  if (a.size() != b.size()) return false;
  // Most pairs were copied from each other and have their keys in the same order.
  auto other = b.begin();
  for (const auto& member : a) {
    const Value* value = other->key() == member.key() ? &other->value() : b.if_contains(member.key());
    if (value == nullptr || !same(member.value(), *value)) return false;
    ++other;
  }
  return true;
}

bool same(const Array& a, const Array& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Value& x, const Value& y) { return same(x, y); });
}

bool same(const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return a.get_string() == b.get_string();
  if (a.is_object() && b.is_object()) return same(a.get_object(), b.get_object());
  if (a.is_array() && b.is_array()) return same(a.get_array(), b.get_array());
  return a == b;
}

bool same(const Value* a, const Value* b) { return a == b || (a != nullptr && b != nullptr && same(*a, *b)); }

}  // namespace drover::json
