#include "core/limit.h"

namespace drover::core {

std::optional<GlobalLimit> limit_over(const std::optional<Share>& asked, std::span<const FleetView* const> policies) {
  GlobalLimit limit{.share = asked.value_or(kUsualLimit), .is_asked_for = asked.has_value()};
  int with_nodes = 0;
  for (const FleetView* policy : policies) {
    with_nodes += policy->nodes.empty() ? 0 : 1;
    for (const NodeView& node : policy->nodes) {
      if (!node.is_managed()) continue;
      ++limit.managed;
      if (node.is_unavailable()) ++limit.unavailable;
    }
  }
  return asked || with_nodes > 1 ? std::optional(limit) : std::nullopt;
}

}  // namespace drover::core
