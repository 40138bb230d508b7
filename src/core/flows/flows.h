// The flows: which way a node goes from one driver to the next.
#pragma once

#include "core/flow.h"

namespace drover::core {

// The driver is swapped by replacing its pod, on a node that was emptied step by step; another pod proves the new one.
const Flow& in_place();

// The next driver is made ready on the node while it still serves; then the node is emptied in one go, and the driver's
// pod, which asks before it takes the old driver out, is replaced.
const Flow& prepared();

}  // namespace drover::core
