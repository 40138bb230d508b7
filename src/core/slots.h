// Which nodes may start now: the limits of a policy against what the fleet can spare.
//
// Counted once a pass, for all nodes together; the rules of one node then only look up its turn. A node that is out of
// service anyway costs nothing of what may be away, but still one of those at once; when what may be away, of
// this policy or of all, is used up only those that we hold since an earlier try start.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/view.h"

namespace drover::core {

// A node that a user uncordons under us is left alone for this long.
inline constexpr Span kRespect = std::chrono::minutes(10);

struct Slots {
  int managed = 0;  // nodes that the policy manages
  int in_flight = 0;
  int unavailable = 0;                    // out of service, those in flight included
  std::vector<const NodeView*> cordoned;  // by others: what people ask about when nothing moves; at most a few
  // With upgrades off: the first that waits for them to be on again, and the first whose driver is being changed.
  const NodeView* paused = nullptr;
  const NodeView* changing = nullptr;
  const NodeView* lacking = nullptr;  // the first whose outdated driver does not serve: it comes before those that do

  int max_unavailable = 0;
  std::optional<int> max_parallel = {};
  std::string_view max_parallel_field = {};
  int global_headroom = 0;
  std::string trouble = {};  // the policy cannot be read
  bool pods_are_counted = true;

  int finished = 0;                     // with the driver that is wanted now
  std::vector<const NodeView*> failed;  // of them, after the swap
  bool is_halted = false;               // too many of them failed

  const NodeView* awaited = nullptr;  // the first that keeps its place while its image is fetched
  std::vector<bool> is_admitted;      // by index of the node: its turn has come
  std::vector<bool> is_next_in_line;  // by index: its turn comes soon enough to fetch the image now
  std::vector<bool> may_renew;        // by index: its pod, and nothing else, may be replaced now

  std::optional<Span> look_again_in = {};  // when time alone lets another node start

  // Why no other node starts, in words that name the limit: "maxParallelUpgrades reached (1 of 1)"; "" when there is
  // room.
  std::string obstacle() const;
};

Slots count_slots(const FleetView& fleet);

}  // namespace drover::core
