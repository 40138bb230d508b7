// What a TenstorrentDriverPolicy says of its nodes: the states, reasons and counts of Tenstorrent's pages.
#pragma once

#include <array>
#include <string_view>

#include "base/json.h"
#include "vendors/status.h"

namespace drover::vendors {

inline constexpr std::size_t kMostNodesTold = 1000;

// All that state_of can say.
inline constexpr std::array<std::string_view, 8> kNodeStates{"Pending",     "Cordoning", "Draining", "Upgrading",
                                                             "Uncordoning", "Done",      "Failed",   "HostManaged"};

struct NodeState {
  std::string_view state;
  std::string_view reason;
};
NodeState state_of(const core::NodeView& node, const core::Policy& policy);

// As Profile::reword.
ConditionWords condition_of_tenstorrent(std::string_view type, const ConditionWords& ours);

// As Profile::words. Waiting is no news, unless the node cannot be prepared.
NodeWords words_of_tenstorrent(const core::NodeView& node, const core::Policy& policy);

// As Profile::tell.
void tell_tenstorrent(const StatusRows& rows, json::Members& status);

}  // namespace drover::vendors
