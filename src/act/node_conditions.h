// What keeps drover from going on with a node, as a condition of the Node: `kubectl describe node` shows it beside the
// kubelet's own. It is there only while it holds.
#pragma once

#include <string>
#include <vector>

#include "act/executor.h"
#include "act/obstacles.h"
#include "act/write.h"
#include "observe/fleet.h"
#include "vendors/work_profile.h"

namespace drover::act {

// "NvidiaDriverBlocked": a work has a condition of its own, since a node may have several.
std::string node_condition_of(const vendors::WorkProfile& profile);

// For nodes whose condition says something else than the obstacles.
std::vector<Write> node_conditions(const observe::Fleet& fleet, const std::vector<Obstacle>& obstacles,
                                   const vendors::WorkProfile& profile, const PendingWrites& pending,
                                   base::WallTime now);

}  // namespace drover::act
