// Sorting that keeps equals in their order, for the short lists of API objects.
//
// libstdc++ 12's std::stable_sort is built on a function that C++17 deprecates, and clang says so; a vector of a few
// entries needs no buffer anyway.
#pragma once

#include <algorithm>

namespace drover::base {

template <class Items, class Less>
void sort_keeping_order(Items& items, Less less) {
  for (auto next = items.begin(); next != items.end(); ++next) {
    std::rotate(std::upper_bound(items.begin(), next, *next, less), next, next + 1);
  }
}

}  // namespace drover::base
