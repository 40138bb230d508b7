// JSON as this project uses it: Boost.JSON's value, and a few questions that never throw.
//
// Objects that come from outside may lack any field or have it with another type; asking for it then gives the neutral
// answer (nullptr, "", the fallback), and code that needs more checks for more.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace drover::json {

using Value = boost::json::value;
using Members = boost::json::object;
using Array = boost::json::array;

using Path = std::initializer_list<std::string_view>;

// Deepest nesting that we read or write; an API server refuses less than this.
inline constexpr std::size_t kMaxDepth = 128;

// Parses one whole document. Malformed names the byte and what stood there.
base::Result<Value> parse(std::string_view text, std::size_t max_depth = kMaxDepth);

// Compact text; keys keep their order.
std::string text_of(const Value& value);

// The value under a path of keys, or nullptr when a step is missing or is not an object.
const Value* find(const Value& value, Path path);
Value* find(Value& value, Path path);

// The string there, or "".
std::string_view text_at(const Value& value, Path path);
// The integer there, or `fallback`.
std::int64_t int_at(const Value& value, Path path, std::int64_t fallback = 0);
// The boolean there, or `fallback`.
bool flag_at(const Value& value, Path path, bool fallback = false);
// The object there, or an empty one.
const Members& members_at(const Value& value, Path path);
// The array there, or an empty one.
const Array& array_at(const Value& value, Path path);

// The value under a path, made (with the objects on the way) when missing; what is in the way and not an object is
// replaced.
Value& ensure(Value& value, Path path);
// Removes the last key of the path; true when something was removed.
bool remove(Value& value, Path path);

}  // namespace drover::json
