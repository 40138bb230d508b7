// `drover demo` on the command line; the story itself is in demo.cc.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/demo.h"

namespace drover::cli {

void add_demo(CLI::App& app, Chosen& chosen) {
  auto* command = app.add_subcommand("demo", "Show the embedded cluster at work, in virtual time");
  auto options = std::make_shared<DemoOptions>();
  command->add_option("--seed", options->seed, "where chance begins")->capture_default_str();
  add_span_flag(*command, "--frame", options->frame, "real time for each virtual second; 0 shows the lines only");
  command->callback([&chosen, options] { chosen = [options] { return demo(*options); }; });
}

}  // namespace drover::cli
