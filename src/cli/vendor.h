// What vendors bring to drover's command line.
#pragma once

#include <span>
#include <string_view>

#include "agent/program.h"
#include "cli/command.h"
#include "vendors/work_profile.h"

namespace drover::cli {

// A command of the program: it adds itself to the parser and says what to run when it is chosen.
struct CommandRow {
  std::string_view name;
  void (*add)(Command app);
};

// What one vendor brings.
struct VendorCli {
  std::span<const CommandRow> commands = {};
  // Further flags of `drover operator`.
  void (*add_operator_flags)(Command command, vendors::OperandSettings& operands) = nullptr;
};
using VendorClis = std::span<const VendorCli* const>;

// Every vendor that is there (cmake/vendors.cmake), for main: everything else is given the vendors that it serves.
VendorClis all();

// The vendors that a program is made for.
struct Vendors {
  vendors::WorkProfiles profiles = {};
  agent::VendorAgents agents = {};
  VendorClis clis = {};
};

}  // namespace drover::cli
