// drover-sim's commands: one file each, which adds itself to the parser and says what to run when it is chosen.
#pragma once

#include "cli/command.h"
#include "sim/vendor.h"
#include "vendors/work_profile.h"

namespace drover::sim_cli {

// All of them.
void add_commands(cli::Command app, sim::SimVendors vendors, vendors::WorkProfiles profiles);

void add_demo(cli::Command app, sim::SimVendors vendors, vendors::WorkProfiles profiles);
void add_kubelet(cli::Command app, sim::SimVendors vendors);
void add_serve(cli::Command app, sim::SimVendors vendors);

}  // namespace drover::sim_cli
