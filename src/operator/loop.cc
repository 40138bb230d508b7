#include "operator/loop.h"

#include <algorithm>

#include "core/decide.h"

namespace drover::operate {
namespace {

// Nodes that this policy has taken, and that others have by now, or nobody.
int in_flight_elsewhere(const Herd& herd, const Flock& flock) {
  const std::string& policy = flock.fleet.seen().policy.uid;
  std::ptrdiff_t count = 0;
  for (const auto& other : herd.flocks()) {
    if (other.get() == &flock || policy.empty()) continue;
    const auto& nodes = other->fleet.seen().nodes;
    count += std::count_if(nodes.begin(), nodes.end(), [&](const core::NodeView& node) {
      return node.claim && core::is_in_flight(node.phase) && node.claim->policy == policy;
    });
  }
  return static_cast<int>(count);
}

}  // namespace

base::Span walk_the_corridor(const std::vector<std::unique_ptr<Herd>>& herds, const News& news,
                             const std::function<int()>& room, base::Span at_most) {
  for (const auto& herd : herds) {
    herd->absorb(news.changed_nodes);
    if (herd->knows_its_policies()) herd->observe(news.api_is_there);
  }
  for (const auto& herd : herds) {
    if (!herd->knows_its_policies()) continue;
    for (const auto& flock : herd->flocks()) {
      const core::FleetView& fleet =
          flock->fleet.within(herd->has_taken_unseen() ? 0 : room(), in_flight_elsewhere(*herd, *flock));
      const core::Plan plan = core::decide(herd->flow(), fleet);
      herd->apply(*flock, fleet, plan);
      at_most = std::min(at_most, herd->record(*flock, fleet, plan).value_or(at_most));
    }
    herd->tidy();
  }
  return at_most;
}

}  // namespace drover::operate
