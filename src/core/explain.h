// Why a node stands where it stands: the same rules as in decide.h, with their words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

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

// Why the node stands where it stands: "no slot is free: 1 of 1 at once are in flight".
std::string reason_of(const Flow& flow, const FleetView& fleet, const Slots& slots, std::size_t node);

}  // namespace drover::core
