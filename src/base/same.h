// Are two JSON values the same? Members in any order.
//
// Boost 1.81's operator== for objects copies each member before it compares it (its loop says `auto`, not `const
// auto&`), which costs more than whatever it is used in.
#pragma once

#include "base/json.h"

namespace drover::json {

bool same(const Value& a, const Value& b);
bool same(const Members& a, const Members& b);
bool same(const Array& a, const Array& b);
// Two places of which either may be missing.
bool same(const Value* a, const Value* b);

}  // namespace drover::json
