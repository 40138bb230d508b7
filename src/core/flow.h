// The flows: which way a node goes from one driver to the next.
#pragma once

#include "core/rule.h"

namespace drover::core {

// The driver is swapped by replacing its pod, with the node emptied of whoever uses the device (NVIDIA).
const Flow& upgrade_in_place();

}  // namespace drover::core
