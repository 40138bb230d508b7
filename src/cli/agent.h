// The subcommands below `drover agent`.
#pragma once

#include "cli/command.h"

namespace drover::cli {

void add_agent_driver_manager(CLI::App& agent, Chosen& chosen);
void add_agent_load(CLI::App& agent, Chosen& chosen);
void add_agent_vacate(CLI::App& agent, Chosen& chosen);
void add_agent_hand_back(CLI::App& agent, Chosen& chosen);
void add_agent_validate(CLI::App& agent, Chosen& chosen);

}  // namespace drover::cli
