#include "core/limit.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace drover::core {

std::optional<GlobalLimit> limit_over(const std::optional<Share>& asked, std::span<const FleetView* const> policies) {
  GlobalLimit limit{.share = asked.value_or(kUsualLimit), .is_asked_for = asked.has_value()};
  const auto with_nodes =
      std::count_if(policies.begin(), policies.end(), [](const FleetView* policy) { return !policy->nodes.empty(); });
  if (!asked && with_nodes < 2) return std::nullopt;
  // A node with devices of several vendors is in the fleet of each, and is one node.
  std::unordered_set<std::string_view> managed;
  std::unordered_set<std::string_view> unavailable;
  const auto is_new = [&](std::unordered_set<std::string_view>& names, const NodeView& node) {
    return with_nodes < 2 || names.insert(node.name).second;
  };
  for (const FleetView* policy : policies) {
    for (const NodeView& node : policy->nodes) {
      if (!node.is_managed()) continue;
      if (is_new(managed, node)) ++limit.managed;
      if (node.is_unavailable() && is_new(unavailable, node)) ++limit.unavailable;
    }
  }
  return limit;
}

}  // namespace drover::core
