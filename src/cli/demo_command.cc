// `drover demo` on the command line; the story itself is in demo.cc.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/demo.h"

namespace drover::cli {

void add_demo(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("demo", "Watch a fleet of simulated nodes get a new driver");
  command->footer(
      "Nothing but this process is needed: API server, controllers, kubelets and the operator are in it, in virtual "
      "time.\n"
      "  drover demo --write-kubeconfig demo.kubeconfig   # and then: kubectl --kubeconfig demo.kubeconfig get nodes");
  auto options = std::make_shared<DemoOptions>();
  // Nobody looks at a pipe while it fills.
  if (isatty(STDOUT_FILENO) != 1) options->frame = base::Span::zero();
  command->add_option("--seed", options->seed, "where chance begins")->capture_default_str();
  add_span_flag(*command, "--frame", options->frame, "real time for each virtual second; 0 hurries");
  command->add_flag("--once", options->once, "end when the rollout has ended, even with --write-kubeconfig");
  command
      ->add_option("--write-kubeconfig", options->kubeconfig,
                   "serve the cluster over HTTPS, write its administrator's kubeconfig here, and go on in real time "
                   "after the rollout")
      ->type_name("FILE");
  command->callback([&chosen, options] { chosen = [options] { return demo(*options); }; });
}

}  // namespace drover::cli
