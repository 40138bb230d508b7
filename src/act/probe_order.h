// Which images are fetched now, and which drivers built: from the head of the queue on.
#pragma once

#include <cstddef>
#include <vector>

#include "act/executor.h"
#include "core/decide.h"
#include "observe/runtime_facts.h"

namespace drover::act {

// Of the decisions `probes`, by index into the plan: those that are begun now, in order. `patient` are the decisions
// whose labels are still to be written.
std::vector<std::size_t> probes_in_turn(std::vector<std::size_t> probes, const std::vector<std::size_t>& low_priority,
                                        const core::FleetView& view, const core::Plan& plan,
                                        const observe::RuntimeFacts& runtime, const PendingWrites& pending);

}  // namespace drover::act
