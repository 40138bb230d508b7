// Tenstorrent's share of the command line.
#pragma once

#include "cli/vendor.h"

namespace drover::cli {

const VendorCli& tenstorrent();

// `drover migrate`
void add_migrate(Command app);

}  // namespace drover::cli
