// Are two JSON values the same? Members in any order.
//
// Boost 1.81's operator== for objects copies each member before it compares it (its loop says `auto`, not `const
// auto&`), which costs more than the request it is used in.
#pragma once

#include "base/json.h"

namespace drover::sim {

bool same(const json::Value& a, const json::Value& b);
bool same(const json::Members& a, const json::Members& b);
bool same(const json::Array& a, const json::Array& b);
// Two places of which either may be missing.
bool same(const json::Value* a, const json::Value* b);

}  // namespace drover::sim
