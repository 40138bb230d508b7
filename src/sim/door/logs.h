// pods/NAME/log: what a simulated container has said, from the book that the kubelets keep in this process.
#pragma once

#include "sim/door/context.h"

namespace drover::sim::door {

void answer_log(DoorContext& context, const Visit& visit);

}  // namespace drover::sim::door
