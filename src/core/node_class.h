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
  Unknown,     // not ready, or what it should have cannot be determined, or nothing is heard of its driver
  Broken,      // done, and its driver serves no longer
  Serving,     // the wanted driver serves
};
inline constexpr std::size_t kNodeClasses = 7;

// A pod may be replaced, and a probe may miss once; a module that its agent has seen stays loaded without the pod.
inline constexpr Span kBrokenAfter = std::chrono::seconds(30);
inline constexpr Span kUnheardOfAfter = std::chrono::minutes(5);

// Whether the driver of a node that is done serves now.
enum class Serves : std::uint8_t { Yes, No, Unknown };

// The agent that is not ready, or gone, said of this boot that what is wanted is loaded.
inline bool was_loaded(const DriverView& driver) { return !driver.loaded.empty() && driver.loaded == driver.wanted; }

// How long such a node's driver may be without its pod, or not be ready.
inline Span serves_for(const DriverView& driver) { return was_loaded(driver) ? kUnheardOfAfter : kBrokenAfter; }

inline Serves serves(const NodeView& node) {
  const DriverView& driver = node.driver;
  if (node.phase != Phase::Done || !driver.unready_for || *driver.unready_for < serves_for(driver)) return Serves::Yes;
  return was_loaded(driver) ? Serves::Unknown : Serves::No;
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
