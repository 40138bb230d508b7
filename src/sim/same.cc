#include "sim/same.h"

#include <algorithm>

namespace drover::sim {

bool same(const json::Members& a, const json::Members& b) {
  if (a.size() != b.size()) return false;
  // Most pairs were copied from each other and have their keys in the same order.
  auto other = b.begin();
  for (const auto& member : a) {
    const json::Value* value = nullptr;
    if (other->key() == member.key()) {
      value = &other->value();
    } else {
      value = b.if_contains(member.key());
    }
    if (value == nullptr || !same(member.value(), *value)) return false;
    ++other;
  }
  return true;
}

bool same(const json::Array& a, const json::Array& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const json::Value& x, const json::Value& y) { return same(x, y); });
}

bool same(const json::Value& a, const json::Value& b) {
  if (a.is_object() && b.is_object()) return same(a.get_object(), b.get_object());
  if (a.is_array() && b.is_array()) return same(a.get_array(), b.get_array());
  return a == b;
}

bool same(const json::Value* a, const json::Value* b) {
  return a == b || (a != nullptr && b != nullptr && same(*a, *b));
}

}  // namespace drover::sim
