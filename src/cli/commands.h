// drover's commands: one file each, which adds itself to the parser and says what to run when it is chosen.
#pragma once

#include "cli/command.h"

namespace drover::cli {

// All of them.
void add_commands(Command app);

void add_agent(Command app);
void add_explain(Command app);
void add_migrate(Command app);
void add_operator(Command app);
void add_ping(Command app);
void add_plan(Command app);
void add_status(Command app);
void add_version(Command app);

}  // namespace drover::cli
