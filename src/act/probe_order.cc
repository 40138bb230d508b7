#include "act/probe_order.h"

#include <algorithm>
#include <optional>

#include "core/queue_position.h"

namespace drover::act {
namespace {

// Not one whose write was refused: it may be tried for ever, and the others do not wait for it.
bool is_joining(const core::FleetView& view, const core::Decision& decision, const PendingWrites& pending) {
  if (!decision.change || decision.change->after.phase != core::Phase::Required) return false;
  const core::NodeView& node = view.nodes[decision.node];
  const std::string key = "node/" + node.name;
  return node.phase != core::Phase::Required && (pending.is_under_way(key) || pending.is_free(key));
}

}  // namespace

// Labels are written a few at a time and answered in any order. Were only those in the queue that have theirs, images
// would be fetched for the nodes that were answered first, and for more nodes than are next: so a node that is about to
// join has its place there already.
std::vector<std::size_t> probes_in_turn(std::vector<std::size_t> probes, const std::vector<std::size_t>& low_priority,
                                        const core::FleetView& view, const core::Plan& plan,
                                        const observe::RuntimeFacts& runtime, const PendingWrites& pending) {
  if (probes.empty()) return probes;
  // Of a node that does not wait yet its view does not say how many pods use its devices.
  const auto turn = [&](std::size_t i) {
    const core::NodeView& node = view.nodes[plan.decisions[i].node];
    return core::queue_position_of(node, runtime.device_pods_on(node.name).value_or(0));
  };
  const auto is_before = [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); };
  std::sort(probes.begin(), probes.end(), is_before);
  std::optional<std::size_t> joining;  // the first of them
  for (const std::size_t i : low_priority) {
    if (is_before(joining.value_or(probes.back()), i)) continue;
    if (is_joining(view, plan.decisions[i], pending)) joining = i;
  }
  std::erase_if(probes, [&](std::size_t i) { return joining && is_before(*joining, i); });
  return probes;
}

}  // namespace drover::act
