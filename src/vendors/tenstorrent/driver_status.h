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

struct StateAndReason {
  std::string_view state;
  std::string_view reason;
};
StateAndReason state_of(const core::NodeView& node, const core::Policy& policy);

// As WorkProfile::condition_words.
ConditionWords tenstorrent_condition(std::string_view type, const ConditionWords& ours);

// As WorkProfile::other_word: definitions before the migration from DKMS know no node that its host manages. It is up
// to date, as the summary counts it.
std::string_view other_tenstorrent_word(std::string_view word);

// As WorkProfile::node_state. Waiting emits no Event, unless the node cannot be prepared.
NodeState tenstorrent_node_state(const core::NodeView& node, const core::Policy& policy);

// As WorkProfile::fill_status.
void fill_tenstorrent_status(const StatusRows& rows, json::Members& status);

}  // namespace drover::vendors
