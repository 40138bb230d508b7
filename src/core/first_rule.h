// The first rule of a node's phase that applies, and what it was asked of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/flow.h"
#include "core/slots.h"
#include "core/view.h"

namespace drover::core {

// What the rules may look at when they are asked about this node; `node` may stand further than the fleet's does.
RuleInput input_of(const FleetView& fleet, const Slots& slots, std::size_t index, const NodeView& node);

// None where the flow does not have the phase.
const Rule* first_that_applies(const Flow& flow, const RuleInput& input, Explanation& words);

std::string with_detail(std::string_view because, const std::string& detail);

}  // namespace drover::core
