#include "operator/ceiling.h"

namespace drover::operate {

int room_under(const std::optional<core::Share>& asked, const std::vector<const observe::Fleet*>& fleets,
               bool is_sure) {
  int policies = 0;
  int managed = 0;
  int away = 0;
  for (const observe::Fleet* fleet : fleets) {
    const core::FleetView& view = fleet->seen();
    if (view.nodes.empty() || !fleet->policy_ref()) continue;
    ++policies;
    for (const core::NodeView& node : view.nodes) {
      if (!node.is_managed()) continue;
      ++managed;
      if (node.is_away()) ++away;
    }
  }
  if (!asked && policies < 2) return core::FleetView{}.room_elsewhere;
  return is_sure ? asked.value_or(kUsualCeiling).of(managed) - away : 0;
}

}  // namespace drover::operate
