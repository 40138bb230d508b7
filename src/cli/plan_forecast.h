// The rollout before it happens: core::decide again and again, in virtual time, on a world that does as it is asked.
//
// This is no second engine: who goes when, who is evicted and what is given up is decided by the operator's own
// function on the same views. Only what the world answers is guessed here: images arrive, pods end with their grace
// period and are made again elsewhere, budgets count down and up, drivers and validators take as long as they took.
// Nothing goes wrong in it that is not known already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/plan_ground.h"
#include "core/rule.h"

namespace drover::cli {

struct Removed {
  std::string pod;    // "ml/train-7"; of one that does not exist yet, whose replacement it is
  std::string owner;  // "ReplicaSet ml/train"; empty: a bare pod
  bool is_replacement = false;
  bool is_forced = false;  // deleted around its budget, because a documented time is over
};

// One node, in the order in which they are taken.
struct Row {
  enum class End { Done, Failed, Waits, LeftOut };

  std::string node;
  Lot lot = {};
  int wave = 0;  // 0: it is not taken at all
  std::optional<base::Span> starts_in = {};
  std::optional<base::Span> ends_in = {};
  std::vector<Removed> removed = {};
  End end = End::Waits;
  std::string reason = {};  // why it failed or waits
};

// Something in the way that is known before the first cordon.
struct Obstacle {
  std::string kind;     // "budget", "bare-pod", "empty-dir", "daemon-pod", "mirror-pod", "image", "kernel", "node", …
  std::string node;     // empty: all of them
  std::string object;   // what is in the way: a pod, a budget, an image
  std::string message;  // with what to do
  bool stops = true;    // false: it costs time or a forced deletion, and the node gets through
};

struct Forecast {
  std::vector<Row> rows = {};
  std::vector<Obstacle> obstacles = {};
  int waves = 0;
  base::Span takes = {};  // until nothing moves any more
  bool gets_through = true;
};

Forecast forecast(Ground ground, const core::Flow& flow);

}  // namespace drover::cli
