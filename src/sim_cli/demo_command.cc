// `drover-sim demo` on the command line; the demo itself is in demo.cc.
#include <unistd.h>

#include <memory>

#include "cli/flags.h"
#include "sim_cli/commands.h"
#include "sim_cli/demo.h"

namespace drover::sim_cli {

void add_demo(cli::Command app, sim::SimVendors vendors, vendors::WorkProfiles profiles) {
  cli::Command command = app.add("demo", "Watch a fleet of simulated nodes get a new driver");
  command.footer(
      "Nothing but this process is needed: API server, controllers, kubelets and the operator are in it, in virtual "
      "time.\n"
      "  drover-sim demo --write-kubeconfig demo.kubeconfig   # and then: kubectl --kubeconfig demo.kubeconfig get "
      "nodes");
  auto options = std::make_shared<DemoOptions>();
  options->vendors = vendors;
  options->profiles = profiles;
  // Without a terminal: no delay between frames.
  if (isatty(STDOUT_FILENO) != 1) options->frame = base::Span::zero();
  command.option("--seed", options->seed, "where chance begins", {.shows_default = true});
  cli::add_span_flag(command, "--frame", options->frame, "real time for each virtual second; 0 hurries");
  command.flag("--once", options->once, "end when the rollout has ended, even with --write-kubeconfig");
  command.option("--write-kubeconfig", options->kubeconfig,
                 "serve the cluster over HTTPS, write its administrator's kubeconfig here, and go on in real time "
                 "after the rollout",
                 {.type_name = "FILE"});
  command.run([options] { return demo(*options); });
}

}  // namespace drover::sim_cli
