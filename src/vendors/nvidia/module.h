// NVIDIA to the operator: its words, and how its policies are read.
#pragma once

#include "vendors/work_profile.h"

namespace drover::vendors {

const WorkProfile& nvidia_driver();
const VendorModule& nvidia();

}  // namespace drover::vendors
