// `drover agent …`: what runs on a node, inside the driver's and the validator's pods, or by hand.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "agent/inspect.h"
#include "agent/noop_binary.h"
#include "base/text.h"
#include "cli/agent_programs.h"
#include "cli/commands.h"
#include "cli/flags.h"
#include "host/linux_host.h"

namespace drover::cli {
namespace {

struct InspectFlags {
  std::string root = {};
  std::string output = "text";
};

int inspect(const InspectFlags& flags, agent::VendorAgents agents) {
  host::LinuxHost host(flags.root);
  const auto seen = agent::inspect(host, agent::devices_of(agents));
  if (!seen) return complain(seen.error());
  if (flags.output == "json")
    fmt::print("{}\n", json::text_of(agent::json_of(*seen)));
  else
    fmt::print("{}", agent::text_of(*seen));
  return 0;
}

void add_inspect(Command agent, agent::VendorAgents agents) {
  Command command = agent.add("inspect", "Show what this node has: devices, modules, and who holds them");
  auto flags = std::make_shared<InspectFlags>();
  command.option("--root", flags->root, "where the machine's files are (/host in a container that mounts them)",
                 {.type_name = "DIR"});
  add_output_flag(command, flags->output);
  command.run([flags, agents] { return inspect(*flags, agents); });
}

// Whatever user the driver's image runs as must be able to run it.
constexpr unsigned kForEverybody = 0755;

int place_helper(const std::string& to) {
  const auto helper = agent::noop_binary();
  if (!helper) return complain(helper.error());
  const auto written = base::write_file(to, *helper, kForEverybody);
  return written ? 0 : complain(written.error());
}

void add_place_helper(Command agent) {
  Command command = agent.add("place-helper",
                              "Write a program that ends well at once, for the driver's image to run (preflight pod)");
  auto to = std::make_shared<std::string>();
  command.option("--to", *to, "the file to write", {.type_name = "FILE", .is_required = true});
  command.run([to] { return place_helper(*to); });
}

}  // namespace

void add_agent(Command app, agent::VendorAgents agents) {
  Command agent = app.add("agent", "What runs on a node, in the driver's pods or by hand");
  agent.require_command();
  std::string footer =
      "  drover agent inspect            what this machine has, for people\n"
      "  drover agent inspect -o json    the same for programs";
  add_inspect(agent, agents);
  add_place_helper(agent);
  for (const agent::VendorAgent* vendor : agents) {
    for (const agent::ProgramRow& row : vendor->programs) {
      add_agent_program(agent, row);
      if (!row.example.empty()) footer += fmt::format("\n  drover agent {:<18} {}", row.name, row.example);
    }
  }
  agent.footer(footer);
}

}  // namespace drover::cli
