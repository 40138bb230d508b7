// `drover version`: which drover this is, and what built it.
#include <fmt/format.h>

#include "base/version.h"
#include "cli/commands.h"

namespace drover::cli {

void add_version(Command app) {
  Command command = app.add("version", "Print the version");
  command.run([] {
    fmt::print("{} {} ({})\n", program_name(), base::version(), __VERSION__);
    return 0;
  });
}

}  // namespace drover::cli
