// What a node counts as when the question is whether the policy is carried out. Each managed node is in exactly one
// class, so that their counts add up to all nodes; status, metrics and the command line ask here and not for a phase.
#pragma once

#include <array>
#include <cstdint>

#include "core/view.h"

namespace drover::core {

// The first that fits.
enum class NodeClass : std::uint8_t {
  InFlight,    // taken out of service, and not given back yet
  Failed,      // manual action required
  Installing,  // its first driver has not served yet
  Waiting,     // it has another driver than the one that is wanted
  Unknown,     // not ready, or what it should have cannot be determined
  Broken,      // done, and its driver serves no longer
  Serving,     // the wanted driver serves
};
inline constexpr std::size_t kNodeClasses = 7;

// A pod may be replaced, and a probe may miss once; a module stays loaded without its agent's pod.
inline constexpr Span kBrokenAfter = std::chrono::seconds(30);
inline constexpr Span kBrokenWithoutPodAfter = std::chrono::minutes(5);

// How long a driver may be without its pod, or not be ready, before it counts as broken.
inline Span broken_after(const DriverView& driver) {
  const bool is_loaded = !driver.loaded.empty() && driver.loaded == driver.wanted && driver.pod.empty();
  return is_loaded ? kBrokenWithoutPodAfter : kBrokenAfter;
}

inline bool is_broken(const NodeView& node) {
  return node.driver.unready_for && *node.driver.unready_for >= broken_after(node.driver);
}

NodeClass class_of(const NodeView& node);

// Of the nodes that the policy means: selected, with a driver that is not the host's own, and not skipped (one that was
// taken before its skip label came is counted until it is back).
struct ClassCounts {
  std::array<int, kNodeClasses> of = {};
  int skipped = 0;
  int host_managed = 0;

  int count(NodeClass one) const { return of[static_cast<std::size_t>(one)]; }
  int total() const;
};

bool is_meant(const NodeView& node);
ClassCounts count_classes(const FleetView& fleet);

}  // namespace drover::core
