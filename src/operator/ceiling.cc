#include "operator/ceiling.h"

namespace drover::operate {

std::optional<Ceiling> ceiling_over(const std::optional<core::Share>& asked,
                                    const std::vector<const core::FleetView*>& policies) {
  Ceiling ceiling{.share = asked.value_or(kUsualCeiling), .is_asked_for = asked.has_value()};
  int with_nodes = 0;
  for (const core::FleetView* policy : policies) {
    with_nodes += policy->nodes.empty() ? 0 : 1;
    for (const core::NodeView& node : policy->nodes) {
      if (!node.is_managed()) continue;
      ++ceiling.managed;
      if (node.is_away()) ++ceiling.away;
    }
  }
  return asked || with_nodes > 1 ? std::optional(ceiling) : std::nullopt;
}

int room_under(const std::optional<core::Share>& asked, const std::vector<const core::FleetView*>& policies,
               bool is_sure) {
  const auto ceiling = ceiling_over(asked, policies);
  if (!ceiling) return core::FleetView{}.room_elsewhere;
  return is_sure ? ceiling->room() : 0;
}

}  // namespace drover::operate
