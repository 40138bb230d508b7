// From facts to a plan: what is to happen to each node now, and why.
//
// Pure. The same functions drive the operator, `drover explain`, `drover plan` and the tests. A decision either changes
// the node (one PATCH, which may pass several phases that have nothing to do) or repeats its phase's work, never both.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/change.h"
#include "core/flow.h"
#include "core/repair.h"
#include "core/slots.h"
#include "core/view.h"

namespace drover::core {

struct Decision {
  std::size_t node;            // index in the fleet
  const Rule* rule = nullptr;  // the last that applied: where the node works or waits
  base::CowPtr<Change> change = {};
  Action action = Action::None;  // only without a change
  bool wants_news = false;       // a limit ran out; what it is about is to be heard of first
};

struct Plan {
  Slots slots;
  std::vector<Decision> decisions;         // one for each node, in their order
  std::optional<Span> look_again_in = {};  // when time alone changes something
};

Plan decide(const Flow& flow, const FleetView& fleet);

// One policy's nodes beside all others.
struct Rollout {
  std::string_view kind = {};  // of the claims: "acme/driver"
  const Flow* flow;
  FleetView* fleet;               // what the others leave for it is written into it
  bool is_of_policy = true;       // false: of nodes that no policy wants any more
  bool has_unseen_takes = false;  // it took a node that the watch does not show yet: how many are away is not known
};

// All policies of all vendors at once, in this order, under the limit over all of them (limit.h). One plan for each.
std::vector<Plan> decide(std::span<const Rollout> rollouts, const std::optional<Share>& limit);

}  // namespace drover::core
