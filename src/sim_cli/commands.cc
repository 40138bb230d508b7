#include "sim_cli/commands.h"

#include "cli/commands.h"

namespace drover::sim_cli {

void add_commands(cli::Command app, sim::SimVendors vendors, vendors::WorkProfiles profiles) {
  add_demo(app, vendors, profiles);
  add_kubelet(app, vendors);
  add_serve(app, vendors);
  cli::add_version(app);
}

}  // namespace drover::sim_cli
