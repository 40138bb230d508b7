// drover-sim: a simulated cluster, or parts of one.
#include "sim_cli/commands.h"

int main(int argc, char** argv) {
  return drover::cli::run_program(
      argc, argv, {.name = "drover-sim", .description = "drover-sim plays a Kubernetes cluster, or parts of one."},
      drover::sim_cli::add_commands);
}
