// A plan as requests: one PATCH for each node that moves, the work of those that stay. Pure: what was sent and not seen
// yet comes in, and nothing is made that could not leave now.
#pragma once

#include <string>
#include <vector>

#include "act/executor.h"
#include "act/write.h"
#include "core/decide.h"
#include "observe/fleet.h"
#include "observe/runtime_facts.h"
#include "vendors/work_profile.h"

namespace drover::act {

// One policy's nodes as they were decided on.
struct Decided {
  const observe::Fleet& fleet;
  const core::FleetView& view;
  const core::Plan& plan;
  const vendors::WorkProfile& profile;
  const std::string& ns;  // of our operands
};

struct Writes {
  std::vector<Write> writes;
  // By node: the phase of a claim in which every pod in the way has been asked by now.
  std::vector<std::pair<std::string, observe::Attempt>> attempts;
};

Writes writes_of(const Decided& decided, const observe::RuntimeFacts& runtime, const PendingWrites& pending,
                 base::WallTime now);

}  // namespace drover::act
