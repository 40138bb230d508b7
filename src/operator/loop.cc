#include "operator/loop.h"

#include "core/decide.h"

namespace drover::operate {

std::optional<base::Span> walk_the_corridor(Herd& herd, const std::vector<std::string>& changed_nodes,
                                            bool api_is_there) {
  herd.absorb(changed_nodes, api_is_there);
  const core::FleetView& fleet = herd.observe();
  const core::Plan plan = core::decide(herd.flow(), fleet);
  herd.apply(fleet, plan);
  return herd.record(fleet, plan);
}

}  // namespace drover::operate
