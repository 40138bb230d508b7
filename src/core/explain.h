// Why a node stands where it stands: the same rules as in decide.h, with their words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide.h"
#include "core/flow.h"
#include "core/slots.h"
#include "core/view.h"

namespace drover::core {

// One rule as it was considered.
struct Considered {
  const Rule* rule;
  bool holds;
  std::string detail;
};

// Every rule of the node's phase up to the one that applied.
std::vector<Considered> explain(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t node);

// Why the node stands where it stands: "no slot is free: maxParallelUpgrades reached (1 of 1)"; what the API server
// refuses comes before the rule.
std::string reason_of(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t node);

// The same as a code: of what is refused, else of the last failure for a node that failed, else of the rule that was
// decided on.
Reason reason_code(const NodeView& node, const Decision& decision);

// The reasons for which a node of this flow can stand still or fail, each once.
std::vector<Reason> standing_reasons(const Flow& flow);

}  // namespace drover::core
