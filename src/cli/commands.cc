#include "cli/commands.h"

#include <functional>
#include <map>
#include <string_view>

namespace drover::cli {

void add_commands(Command app, const Vendors& vendors) {
  // In the order of their names, the vendors' among them.
  std::map<std::string_view, std::function<void()>> commands = {
      {"agent", [&] { add_agent(app, vendors.agents); }},
      {"explain", [&] { add_explain(app, vendors.profiles); }},
      {"operator", [&] { add_operator(app, vendors); }},
      {"ping", [&] { add_ping(app); }},
      {"plan", [&] { add_plan(app, vendors.profiles); }},
      {"status", [&] { add_status(app, vendors.profiles); }},
      {"version", [&] { add_version(app); }},
  };
  for (const VendorCli* vendor : vendors.clis) {
    for (const CommandRow& row : vendor->commands) commands.emplace(row.name, [&app, &row] { row.add(app); });
  }
  for (const auto& [name, add] : commands) add();

  app.add_moved("demo", "drover-sim demo");
  Command sim = app.add_moved("sim", "drover-sim --help");
  sim.add_moved("serve", "drover-sim serve");
  sim.add_moved("kubelet", "drover-sim kubelet");
}

}  // namespace drover::cli
