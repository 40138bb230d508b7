// What is told of what is in a rollout's way: each thing once, with what to do about it. Decides nothing: whoever runs
// the forecast says when somebody is held up, and by whom.
#pragma once

#include <string>
#include <vector>

#include "core/drain.h"
#include "core/limit.h"
#include "core/slots.h"
#include "forecast/input.h"
#include "forecast/world.h"

namespace drover::forecast {

// Something in the way that is known before the first cordon.
struct Obstacle {
  std::string kind;      // "budget", "bare-pod", "empty-dir", "daemon-pod", "mirror-pod", "image", "kernel", "node", …
  std::string node;      // empty: all of them
  std::string object;    // what is in the way: a pod, a budget, an image
  std::string message;   // with what to do
  bool stops = true;     // false: it costs time or a forced deletion, and the node gets through
  bool is_usual = true;  // false: it is in the way only where durations are other than usual
};

class Obstacles {
 public:
  // What can be seen before anything moves.
  void tell_what_is_known(const ForecastInput& input);
  // The pods that keep a node from being emptied.
  void tell_pods(const std::string& node, const core::Clearing& left, const World& world);
  // Nodes that others took out of service, where they leave no room for anybody: under the policy's own limit, and
  // under the one over all policies while nobody is in flight.
  void tell_limit(const core::Policy& policy, const core::Slots& slots);
  void tell_limit_over_all(const core::GlobalLimit& limit);
  // Upgrades are switched off.
  void tell_off(const core::Policy& policy);
  // The budget that holds the pod, if one does.
  void tell_budget(const std::string& node, const core::PodView& pod, const World& world, bool stops);

  static bool is_same(const Obstacle& one, const Obstacle& other) {
    return one.kind == other.kind && one.node == other.node && one.object == other.object;
  }
  std::vector<Obstacle> take() { return std::move(told_); }

 private:
  void tell(Obstacle obstacle);
  void tell_images_and_nodes(const PolicyFleet& policy_fleet);
  void tell_dispute(const Dispute& dispute);

  std::vector<Obstacle> told_;
};

}  // namespace drover::forecast
