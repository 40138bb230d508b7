// `drover version`: which drover this is, and what built it.
#include <fmt/format.h>

#include "cli/commands.h"

#ifndef DROVER_VERSION
#define DROVER_VERSION "dev"
#endif

namespace drover::cli {

void add_version(Command app) {
  Command command = app.add("version", "Print the version");
  command.run([] {
    fmt::print("{} {} ({})\n", program_name(), DROVER_VERSION, __VERSION__);
    return 0;
  });
}

}  // namespace drover::cli
