// The subcommands below `drover agent`.
#pragma once

#include "cli/command.h"

namespace drover::cli {

void add_agent_driver_manager(Command agent);
void add_agent_load(Command agent);
void add_agent_vacate(Command agent);
void add_agent_hand_back(Command agent);
void add_agent_validate(Command agent);

}  // namespace drover::cli
