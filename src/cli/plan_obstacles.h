// What is told of what is in a rollout's way: each thing once, with what to do about it. Decides nothing: whoever runs
// the forecast says when somebody is held up, and by whom.
#pragma once

#include <string>
#include <vector>

#include "cli/plan_ground.h"
#include "cli/plan_lodgings.h"
#include "core/drain.h"
#include "core/slots.h"

namespace drover::cli {

// Something in the way that is known before the first cordon.
struct Obstacle {
  std::string kind;     // "budget", "bare-pod", "empty-dir", "daemon-pod", "mirror-pod", "image", "kernel", "node", …
  std::string node;     // empty: all of them
  std::string object;   // what is in the way: a pod, a budget, an image
  std::string message;  // with what to do
  bool stops = true;    // false: it costs time or a forced deletion, and the node gets through
};

class Obstacles {
 public:
  // What can be seen before anything moves.
  void tell_what_is_known(const Ground& ground);
  // The pods that keep a node from being emptied.
  void tell_pods(const std::string& node, const core::Clearing& left, const Lodgings& lodgings);
  // Nodes that others took out of service, where they leave no room for anybody.
  void tell_limit(const core::Policy& policy, const core::Slots& slots);
  // The budget that holds the pod, if one does.
  void tell_budget(const std::string& node, const core::PodView& pod, const Lodgings& lodgings, bool stops);

  std::vector<Obstacle> take() { return std::move(told_); }

 private:
  void tell(Obstacle obstacle);

  std::vector<Obstacle> told_;
};

}  // namespace drover::cli
