// What contradicts itself on a node is put right without a move, whatever left it so.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/effect.h"
#include "core/flow.h"
#include "core/policy.h"
#include "core/reason.h"
#include "core/view.h"

namespace drover::core {

struct RepairInput {
  const NodeView& node;  // what is being put right shows in it at once
  const Flow& flow;
  const Policy& policy;
};

// Each is logged when it is written, and `drover explain` names those that are due; one that changes a cordon or a
// taint is an Event, too.
struct Repair {
  Reason reason;
  std::string_view text;  // what is wrong
  bool (*needed)(const RepairInput&);
  void (*apply)(NodeMarks&, WalkState&, const RepairInput&);  // none: writing the record again is the repair
  bool is_along_only = false;                                 // it rides on another write and never causes one
};

// In the order in which they are applied; each is asked again of the node as those before it left it.
std::span<const Repair> repairs();

// Something is to be put right.
bool needs_repair(const NodeView& node, const Flow& flow, const Policy& policy);
// What was put right, in order.
std::vector<const Repair*> repair(WalkedNode& node, const Flow& flow, const Policy& policy);

// The driver's init container was told that it cannot have what it asked for, and asks no more.
bool refusal_is_stale(const NodeView& node);

}  // namespace drover::core
