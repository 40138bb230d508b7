#include "base/order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace drover::base {
namespace {

RC_GTEST_PROP(Order, SortsAndKeepsEqualsInTheirOrder, (const std::vector<std::uint8_t>& keys)) {
  std::vector<std::pair<int, std::size_t>> items;
  for (std::size_t i = 0; i < keys.size(); ++i) items.emplace_back(keys[i] % 4, i);
  sort_keeping_order(items, [](const auto& a, const auto& b) { return a.first < b.first; });
  RC_ASSERT(items.size() == keys.size());
  // The second part is the place before: sorted by both means sorted, and equals in their order.
  RC_ASSERT(std::ranges::is_sorted(items));
}

}  // namespace
}  // namespace drover::base
