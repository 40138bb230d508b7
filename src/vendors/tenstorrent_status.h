// What a TenstorrentDriverPolicy says of its nodes: the states, reasons and counts of Tenstorrent's pages.
#pragma once

#include <string_view>

#include "base/json.h"
#include "vendors/status.h"

namespace drover::vendors {

inline constexpr std::size_t kMostNodesTold = 1000;

struct NodeState {
  std::string_view state;
  std::string_view reason;
};
NodeState state_of(const core::NodeView& node, const core::Policy& policy);

// As Profile::tell.
void tell_tenstorrent(const StatusRows& rows, json::Members& status);

}  // namespace drover::vendors
