#include "cli/commands.h"

namespace drover::cli {

void add_commands(Command app) {
  add_agent(app);
  add_explain(app);
  add_migrate(app);
  add_operator(app);
  add_ping(app);
  add_plan(app);
  add_status(app);
  add_version(app);

  app.add_moved("demo", "drover-sim demo");
  Command sim = app.add_moved("sim", "drover-sim --help");
  sim.add_moved("serve", "drover-sim serve");
  sim.add_moved("kubelet", "drover-sim kubelet");
}

}  // namespace drover::cli
