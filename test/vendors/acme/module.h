// A vendor that is made up: the smallest one that the operator can serve (docs/add-a-vendor.md). Nothing in src/ knows
// it.
#pragma once

#include "vendors/work_profile.h"

namespace drover::vendors {

const WorkProfile& acme_driver();
const VendorModule& acme();

}  // namespace drover::vendors
