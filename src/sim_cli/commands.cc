#include "sim_cli/commands.h"

#include "cli/commands.h"

namespace drover::sim_cli {

void add_commands(cli::Command app) {
  add_demo(app);
  add_kubelet(app);
  add_serve(app);
  cli::add_version(app);
}

}  // namespace drover::sim_cli
