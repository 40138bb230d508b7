// How several TenstorrentDriverPolicies share the nodes: one that several of them mean belongs to the oldest.
//
// Their DaemonSets say the same, so that no node ever has two builders.
#pragma once

#include <cstddef>
#include <vector>

#include "base/selector.h"
#include "vendors/desired.h"

namespace drover::vendors {

// As WorkProfile::allot.
NodeOwnership allot_tenstorrent(const std::vector<PolicyObject>& policies);

// Of the policies that go before `policies[which]`: which nodes they mean.
std::vector<base::Selector> older_selectors(const std::vector<PolicyObject>& policies, std::size_t which);

}  // namespace drover::vendors
