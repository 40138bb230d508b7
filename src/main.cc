// drover: one subcommand per question, for every vendor that is there.
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace drover;
  return cli::run_program(
      argc, argv,
      {.name = "drover", .description = "drover installs and upgrades accelerator drivers across a Kubernetes fleet."},
      [](cli::Command app) {
        cli::add_commands(app, {.profiles = vendors::all(), .agents = agent::all(), .clis = cli::all()});
      });
}
