// What is in a rollout's way, each thing once, with what to do about it. Decides nothing: the forecast says when a node
// is held up, and by what.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/drain.h"
#include "core/limit.h"
#include "core/slots.h"
#include "forecast/input.h"
#include "forecast/world.h"

namespace drover::forecast {

// Something in the way that is known before the first cordon.
struct Obstacle {
  std::string kind;      // "budget", "bare-pod", "empty-dir", "daemon-pod", "mirror-pod", "grace", "image", …
  std::string node;      // empty: all of them
  std::string object;    // what is in the way: a pod, a budget, an image
  std::string message;   // with what to do
  bool stops = true;     // false: it costs time or a forced deletion, and the node gets through
  bool is_usual = true;  // false: it is in the way only where durations are other than usual
};

class Obstacles {
 public:
  // What can be seen before anything moves.
  void add_known(const ForecastInput& input);
  // The pods that keep a node from being emptied.
  void add_pods(const std::string& node, const core::Clearing& left, const World& world);
  // The old driver cannot be taken out.
  void add_held_device(const core::NodeView& node);
  // Nodes that others took out of service leave no slot: under the policy's own limit, and under the one over all
  // policies while no node is in flight.
  void add_limit(const core::Policy& policy, const core::Slots& slots);
  void add_limit_over_all(const core::GlobalLimit& limit);
  // Upgrades are switched off.
  void add_off(const core::Policy& policy);
  // The budget that holds the pod, if one does.
  void add_budget(const std::string& node, const core::PodView& pod, const World& world, bool stops);

  static bool is_same(const Obstacle& one, const Obstacle& other) {
    return one.kind == other.kind && one.node == other.node && one.object == other.object;
  }
  std::vector<Obstacle> take() { return std::move(all_); }

 private:
  void add(Obstacle obstacle);
  void add_known_of_nodes(const PolicyFleet& policy);

  std::vector<Obstacle> all_;
};

}  // namespace drover::forecast
