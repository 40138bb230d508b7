#include "core/node_class.h"

#include <numeric>

namespace drover::core {

NodeClass class_of(const NodeView& node) {
  const DriverView& driver = node.driver;
  if (is_in_flight(node.phase)) return NodeClass::InFlight;
  if (node.phase == Phase::Failed) return NodeClass::Failed;
  if (node.phase == Phase::Idle && driver.is_first && !driver.is_ready) return NodeClass::Installing;
  if (node.phase == Phase::Required || driver.is_outdated || driver.waits_for_us) return NodeClass::Waiting;
  if (!node.is_ready || node.target.empty()) return NodeClass::Unknown;
  if (node.phase == Phase::Idle && !driver.is_ready) return NodeClass::Installing;
  if (serves(node) == Serves::Unknown) return NodeClass::Unknown;
  return serves(node) == Serves::No ? NodeClass::Broken : NodeClass::Serving;
}

int ClassCounts::total() const { return std::accumulate(of.begin(), of.end(), 0); }

bool is_meant(const NodeView& node) { return node.is_managed() && (!node.is_skipped || is_in_flight(node.phase)); }

ClassCounts count_classes(const FleetView& fleet) {
  ClassCounts counts;
  for (const NodeView& node : fleet.nodes) {
    if (is_meant(node)) {
      ++counts.of[static_cast<std::size_t>(class_of(node))];
    } else if (node.is_selected) {
      ++(node.driver.is_host_managed ? counts.host_managed : counts.skipped);
    }
  }
  return counts;
}

}  // namespace drover::core
