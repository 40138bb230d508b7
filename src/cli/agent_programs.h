// The agent's programs as commands below `drover agent`, as their rows (agent/program.h) describe them.
#pragma once

#include "agent/program.h"
#include "cli/command.h"

namespace drover::cli {

void add_agent_program(Command agent, const agent::ProgramRow& row);

}  // namespace drover::cli
