#include "operator/image_line.h"

#include <algorithm>
#include <optional>

#include "core/line.h"

namespace drover::operate {
namespace {

// Not one whose write was refused: he may try for ever, and nobody waits for him.
bool is_joining(const core::FleetView& view, const core::Decision& decision, act::Errands& errands) {
  if (!decision.change || decision.change->phase != core::Phase::Required) return false;
  const core::NodeView& node = view.nodes[decision.node];
  const std::string key = "node/" + node.name;
  return node.phase != core::Phase::Required && (errands.is_under_way(key) || errands.is_free(key));
}

}  // namespace

// Labels are written a few at a time and answered in any order. Were only those in line that have theirs, images would
// be fetched for whoever was answered first, and for more nodes than are next: so whoever is about to join has his
// place there already.
std::vector<std::size_t> images_in_turn(std::vector<std::size_t> proofs, const std::vector<std::size_t>& patient,
                                        const core::FleetView& view, const core::Plan& plan, const Company& company,
                                        act::Errands& errands) {
  if (proofs.empty()) return proofs;
  // Of a node that does not wait yet its view does not say how many pods use its devices.
  const auto turn = [&](std::size_t i) {
    const core::NodeView& node = view.nodes[plan.decisions[i].node];
    return core::turn_of(node, company.device_pods(node.name));
  };
  const auto is_before = [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); };
  std::sort(proofs.begin(), proofs.end(), is_before);
  std::optional<std::size_t> joining;  // the first of them
  for (const std::size_t i : patient) {
    if (is_before(joining.value_or(proofs.back()), i)) continue;
    if (is_joining(view, plan.decisions[i], errands)) joining = i;
  }
  std::erase_if(proofs, [&](std::size_t i) { return joining && is_before(*joining, i); });
  return proofs;
}

}  // namespace drover::operate
