// pods/NAME/log: what a simulated container has said, from the book that the kubelets keep in this process.
#pragma once

#include "sim/door/ground.h"

namespace drover::sim::door {

void answer_log(Ground& ground, const Visit& visit);

}  // namespace drover::sim::door
