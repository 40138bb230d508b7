// Tenstorrent to the operator: its words, and how its policies are read.
#pragma once

#include "vendors/work_profile.h"

namespace drover::vendors {

const WorkProfile& tenstorrent_driver();
const VendorModule& tenstorrent();

}  // namespace drover::vendors
