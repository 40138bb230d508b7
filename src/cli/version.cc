// `drover version`: which drover this is, and what built it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"

#ifndef DROVER_VERSION
#define DROVER_VERSION "dev"
#endif

namespace drover::cli {

void add_version(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("version", "Print the version");
  command->callback([&chosen] {
    chosen = [] {
      fmt::print("drover {} ({})\n", DROVER_VERSION, __VERSION__);
      return 0;
    };
  });
}

}  // namespace drover::cli
