// drover: one subcommand per question, for every vendor that is there.
#include "cli/commands.h"

int main(int argc, char** argv) {
  using namespace drover;
  return cli::run_program(
      argc, argv,
      {.name = "drover", .description = "drover installs and upgrades accelerator drivers across a Kubernetes fleet."},
      [](cli::Command app) {
        static const auto works = vendors::works_of(vendors::all());
        cli::add_commands(app, {.profiles = works, .agents = agent::all(), .clis = cli::all()});
      });
}
