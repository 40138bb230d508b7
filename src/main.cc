// drover: one binary, one subcommand per question. main parses, sets up logs, and runs what was chosen.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"

namespace {

// What the parser says, or, where it only misses a command, the word that is none.
std::string complaint(const CLI::App& app, const CLI::Error& wrong) {
  const auto left = app.remaining(true);
  if (!left.empty()) return fmt::format("\"{}\" is neither a command nor a flag here", left.front());
  const std::string said = wrong.what();
  if (dynamic_cast<const CLI::RequiredError*>(&wrong) != nullptr && said.find("subcommand") != said.npos) {
    return "say what to do";
  }
  return said;
}

// As kubectl's plugin it is called kubectl-drover, and people write it with a blank.
std::string called_by(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name.starts_with("kubectl-") ? "kubectl drover" : "drover";
}

int run(int argc, char** argv) {
  CLI::App app{"drover installs, upgrades and heals accelerator drivers across a Kubernetes fleet.",
               called_by(argc > 0 ? argv[0] : "")};
  app.require_subcommand(1);
  app.fallthrough();
  drover::cli::LogFlags logs;
  drover::cli::add_log_flags(app, logs);
  drover::cli::Chosen chosen;
  drover::cli::add_agent(app, chosen);
  drover::cli::add_demo(app, chosen);
  drover::cli::add_explain(app, chosen);
  drover::cli::add_migrate(app, chosen);
  drover::cli::add_operator(app, chosen);
  drover::cli::add_ping(app, chosen);
  drover::cli::add_plan(app, chosen);
  drover::cli::add_sim(app, chosen);
  drover::cli::add_status(app, chosen);
  drover::cli::add_version(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::Error& wrong) {
    fmt::print(stderr, "drover: {}; see drover --help\n", drover::base::one_line(complaint(app, wrong), 300));
    return 2;
  }
  drover::log::configure(logs.level, logs.format);
  return chosen();
}

}  // namespace

int main(int argc, char** argv) {
  // A reader that hangs up is an error of one write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "drover: internal error: {}; please report it with the command line\n", error.what());
    return 70;
  }
}
