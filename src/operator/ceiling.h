// The limit over all policies: how many accelerator nodes may be out of service at once, whoever took them.
//
// A policy that is alone is its own limit: what its document promises about maxUnavailable holds as written. Where
// several policies share a cluster, each keeps its own limit, and all of them together this one. A limit that was asked
// for on the command line holds always.
#pragma once

#include <optional>
#include <vector>

#include "core/policy.h"
#include "core/view.h"
#include "observe/fleet.h"

namespace drover::operate {

inline constexpr core::Share kUsualCeiling = {.amount = 25, .is_percent = true};

// How many more may be taken, as the fleets were last seen; `is_sure`: nobody was taken since.
int room_under(const std::optional<core::Share>& asked, const std::vector<const observe::Fleet*>& fleets, bool is_sure);

}  // namespace drover::operate
