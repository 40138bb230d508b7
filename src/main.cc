// drover: one subcommand per question.
#include "cli/commands.h"

int main(int argc, char** argv) {
  return drover::cli::run_program(
      argc, argv,
      {.name = "drover",
       .description = "drover installs, upgrades and heals accelerator drivers across a Kubernetes fleet."},
      drover::cli::add_commands);
}
