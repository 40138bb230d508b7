// The order of resourceVersions.
//
// Servers promise only that a version is text. In practice it is an unsigned decimal, longer than any machine word if
// it likes; those are compared as numbers. Anything else is opaque: never older, never newer, only different.
#pragma once

#include <algorithm>
#include <string_view>

namespace drover::kube {

inline bool is_decimal(std::string_view version) {
  return !version.empty() && std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
}

// True when `a` is surely older than `b`: both are numbers, and it is the smaller one.
inline bool is_older(std::string_view a, std::string_view b) {
  if (!is_decimal(a) || !is_decimal(b)) return false;
  a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
  b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace drover::kube
