// drover's commands: one file each, which adds itself to the parser and says what to run when it is chosen.
#pragma once

#include "cli/command.h"
#include "cli/vendor.h"

namespace drover::cli {

// All of them, and the vendors'.
void add_commands(Command app, const Vendors& vendors);

void add_agent(Command app, agent::VendorAgents agents);
void add_explain(Command app, vendors::WorkProfiles profiles);
void add_operator(Command app, const Vendors& vendors);
void add_ping(Command app);
void add_plan(Command app, vendors::WorkProfiles profiles);
void add_status(Command app, vendors::WorkProfiles profiles);
void add_version(Command app);

}  // namespace drover::cli
