#include "sim_cli/commands.h"

#include "cli/commands.h"

namespace drover::sim_cli {

void add_commands(cli::Command app, sim::SimVendors vendors) {
  add_demo(app, vendors);
  add_kubelet(app, vendors);
  add_serve(app, vendors);
  cli::add_version(app);
}

}  // namespace drover::sim_cli
