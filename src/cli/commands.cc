#include "cli/commands.h"

namespace drover::cli {

void add_commands(Command app) {
  add_agent(app);
  add_demo(app);
  add_explain(app);
  add_migrate(app);
  add_operator(app);
  add_ping(app);
  add_plan(app);
  add_sim(app);
  add_status(app);
  add_version(app);
}

}  // namespace drover::cli
