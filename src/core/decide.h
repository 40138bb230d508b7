// From facts to a plan: what is to happen to each node now, and why.
//
// Pure. The same functions drive the operator, `drover explain`, `drover plan` and the tests. A decision either changes
// the node (one PATCH, which may pass several phases that have nothing to do) or repeats its phase's work, never both.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/flow.h"
#include "core/repair.h"
#include "core/slots.h"
#include "core/view.h"

namespace drover::core {

// One phase entered.
struct Step {
  Phase from;
  Phase to;
  std::string because;  // "the drain ran out of time: 10m of 5m"
  Reason reason = Reason::None;
};

// Everything that one PATCH of the Node says. What is not set stays as it is.
struct Change {
  std::vector<Step> path;           // empty: the label is put right, nothing else
  Phase phase;                      // where the node stands afterwards
  std::optional<Phase> label = {};  // what its label shows then; none: the label goes
  bool label_was_wrong = false;     // it says something else now; a missing one emits no Event
  std::optional<bool> cordoned = {};
  std::optional<bool> tainted = {};
  base::CowPtr<Claim> claim = {};      // as it is afterwards; none: the node is free
  base::CowPtr<Outcome> outcome = {};  // as it is afterwards
  std::vector<std::string> gates_to_pause = {};
  std::map<std::string, std::string> gates_to_restore = {};
  bool wish_is_heard = false;          // a person's request has been taken up and can be removed
  bool is_asked_for = false;           // a person's request stands, and must survive us
  bool without_controller = false;     // it waits for its turn without the controller
  bool is_without_controller = false;  // autoUpgrade is off for it: its states emit no Events
  // What its driver's init container is told that it cannot have, or was told and may still be reading.
  std::optional<Scope> refuses = {};
  bool gives_back_to_person = false;  // a user uncordoned it; it is left alone for a while
};

struct Decision {
  std::size_t node;            // index in the fleet
  const Rule* rule = nullptr;  // the last that applied: where the node works or waits
  base::CowPtr<Change> change = {};
  Action action = Action::None;  // only without a change
};

struct Plan {
  Slots slots;
  std::vector<Decision> decisions;         // one for each node, in their order
  std::optional<Span> look_again_in = {};  // when time alone changes something
};

Plan decide(const Flow& flow, const FleetView& fleet);

// One policy's nodes beside all others.
struct Rollout {
  const Flow* flow;
  FleetView* fleet;               // what the others leave for it is written into it
  bool is_of_policy = true;       // false: of nodes that no policy wants any more
  bool has_unseen_takes = false;  // it took a node that the watch does not show yet: how many are away is not known
};

// All policies of all vendors at once, in this order, under the limit over all of them (limit.h). One plan for each.
std::vector<Plan> decide(std::span<const Rollout> rollouts, const std::optional<Share>& limit);

}  // namespace drover::core
