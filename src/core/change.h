// What one PATCH changes about a node: our marks afterwards, and what they mean beside the node as it was seen.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/marks.h"
#include "core/policy.h"
#include "core/reason.h"
#include "core/view.h"

namespace drover::core {

struct Rule;

// One phase entered.
struct Step {
  Phase from;
  Phase to;
  std::string because;  // "the drain ran out of time: 10m of 5m"
  Reason reason = Reason::None;
  const Rule* rule = nullptr;  // that made it
};

struct Repair;

// Everything that one PATCH of the Node says.
struct Change {
  std::vector<Step> path;  // empty: what contradicted itself is put right, nothing else
  NodeMarks after;         // as they are written
  std::vector<const Repair*> repairs = {};
  bool repairs_show = false;  // they alone change the cordon or the taint
};

// ---- what it means; `before` is the node as it was decided on

inline bool uncordons(const NodeMarks& before, const NodeMarks& after) {
  return before.is_cordoned && !after.is_cordoned;
}
// A person's request has been taken up and can be removed.
inline bool request_is_heard(const NodeMarks& before, const NodeMarks& after) {
  return before.is_asked_for && !after.is_asked_for;
}
// Its state label says something else now; a missing one emits no Event.
bool label_was_wrong(const NodeView& before, const NodeMarks& after);
// A user uncordoned it; it is left alone for a while.
bool gives_back_to_person(const NodeView& before, const NodeMarks& after);
std::vector<std::string> gates_to_pause(const NodeView& before, const NodeMarks& after);
std::map<std::string, std::string> gates_to_restore(const NodeView& before, const NodeMarks& after);

// autoUpgrade is off for it: its states emit no Events.
bool is_without_controller(const NodeMarks& marks, const Policy& policy);
// What the label of a node shows: nothing when there is nothing to say, or upgrades are off and the node is not ours.
std::optional<Phase> label_of(const NodeMarks& marks, const Policy& policy);

// As observe would read the node back once it was patched.
void read_back(NodeView& node, const NodeMarks& after);

}  // namespace drover::core
