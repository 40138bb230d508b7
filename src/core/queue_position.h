// The line of those that wait for a slot.
#pragma once

#include <string_view>
#include <tuple>

#include "core/view.h"

namespace drover::core {

// A node's place in line, when so many pods use its devices: the lesser comes first. It speaks of the node's name,
// which must outlive it.
using QueuePosition = std::tuple<bool, bool, int, std::string_view>;
QueuePosition queue_position_of(const NodeView& node, int device_pods);

}  // namespace drover::core
