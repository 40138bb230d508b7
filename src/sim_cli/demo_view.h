// What the demo draws: one line for the rollout, one for each node.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/view.h"
#include "observe/fleet.h"
#include "vendors/work_profile.h"

namespace drover::sim_cli {

// How far a node is on its way through the phases of an upgrade, from 0 to 1.
double part_done(core::Phase phase);

// Why a node stands where it stands, in few words: a budget that holds a pod goes before everything else.
std::string short_reason(const core::FleetView& view, const core::Slots& slots, const core::Flow& flow,
                         std::size_t node);

// `left`: of the rollout, as `drover plan` foresees it; nothing when none is under way, or when it would get stuck.
std::vector<std::string> fleet_picture(const observe::Fleet& fleet, const vendors::WorkProfile& profile,
                                       std::optional<base::Span> left);

}  // namespace drover::sim_cli
