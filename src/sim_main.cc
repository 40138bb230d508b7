// drover-sim: a simulated cluster, or parts of one, with the machines of every vendor that is there.
#include "sim_cli/commands.h"

int main(int argc, char** argv) {
  using namespace drover;
  return cli::run_program(
      argc, argv, {.name = "drover-sim", .description = "drover-sim plays a Kubernetes cluster, or parts of one."},
      [](cli::Command app) {
        static const auto works = vendors::works_of(vendors::all());
        sim_cli::add_commands(app, sim::all(), works);
      });
}
