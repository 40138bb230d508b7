// What keeps a rollout from going on, by name: the object in the way, the nodes that it holds, and what happens next.
// (Since when is the time of the condition: a text that grew older by itself would be written again and again.)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/decide.h"
#include "core/view.h"

namespace drover::act {

struct Obstacle {
  std::string reason;       // CamelCase, for the condition
  std::string object = {};  // "blocked by PodDisruptionBudget ml/train"
  std::string why = {};     // in the words of what refuses; they may change while the obstacle is the same
  std::vector<std::string> nodes = {};
  bool is_about_nodes = true;  // false: what its nodes have in common keeps others waiting
  std::string budget_ns = {};  // of a PodDisruptionBudget
  std::string budget = {};     // its name
  std::string next = {};       // "pods that use the device are deleted after 5m"
};

struct Obstacles {
  std::vector<Obstacle> found = {};
  std::optional<base::Span> look_again_in = {};  // when time alone makes another one count
};

// Those that hold nodes in flight, in the queue or before their first driver, and what keeps the driver's pod from its
// node; what may pass by itself counts after half a minute.
Obstacles obstacles_of(const core::Flow& flow, const core::FleetView& fleet, const core::Plan& plan);

// "gpu-1, gpu-2: blocked by PodDisruptionBudget ml/train; pods that use the device are deleted after 5m"
std::string text_of(const Obstacle& obstacle);

// "gpu-1, gpu-2 and 3 more"
std::string list_of(const std::vector<std::string>& names, std::size_t most = 10);

// Whether any of them holds this node.
bool holds(const std::vector<Obstacle>& obstacles, const std::string& node);

}  // namespace drover::act
