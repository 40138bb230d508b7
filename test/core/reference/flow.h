// The flows: which way a node goes from one driver to the next.
#pragma once

#include "core/reference/rule.h"

namespace drover::reference {

// The driver is swapped by replacing its pod, with the node emptied of whoever uses the device (NVIDIA).
const Flow& upgrade_in_place();

// The next driver is made ready on the node while it still serves; then the node is emptied in one go, and the driver's
// pod, which asks before it takes the old driver out, is replaced (Tenstorrent).
const Flow& upgrade_when_prepared();

}  // namespace drover::reference
