#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cli/flags.h"

namespace drover::cli {
namespace {

constexpr int kUsageError = 2;
constexpr int kInternalError = 70;

// Set once, before anything is parsed.
std::string& name_of_program() {
  static std::string name = "drover";
  return name;
}

void describe(CLI::Option& option, const Option& how) {
  if (!how.type_name.empty()) option.type_name(how.type_name);
  if (!how.words.empty()) option.check(CLI::IsMember(how.words));
  if (how.range) option.check(CLI::Range(how.range->least, how.range->most));
  if (!how.default_text.empty()) option.default_str(how.default_text);
  if (how.shows_default) option.capture_default_str();
  if (how.is_required) option.required();
}

void take_or_throw(const std::string& name, const Command::Take& take, const std::string& text) {
  if (const auto taken = take(text); !taken) throw CLI::ValidationError(name, taken.error().message);
}

// What the parser says, or, where it only misses a command, the word that is not one.
std::string complaint(const CLI::App& app, const CLI::Error& wrong) {
  const auto left = app.remaining(true);
  if (!left.empty()) return fmt::format("\"{}\" is neither a command nor a flag here", left.front());
  const std::string said = wrong.what();
  if (dynamic_cast<const CLI::RequiredError*>(&wrong) != nullptr && said.find("subcommand") != said.npos) {
    return "say what to do";
  }
  return said;
}

// As kubectl's plugin drover is called kubectl-drover, and people write it with a blank.
std::string called_by(std::string_view file, const std::string& name) {
  return file.substr(file.rfind('/') + 1).starts_with("kubectl-") ? "kubectl " + name : name;
}

int parse_and_run(int argc, char** argv, const Program& program, const std::function<void(Command)>& add_commands) {
  CLI::App app{program.description, called_by(argc > 0 ? argv[0] : "", program.name)};
  app.fallthrough();
  Run chosen;
  LogFlags logs;
  Command root(app, chosen);
  root.require_command();
  add_log_flags(root, logs);
  add_commands(root);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::Error& wrong) {
    fmt::print(stderr, "{0}: {1}; see {0} --help\n", program.name, base::one_line(complaint(app, wrong), 300));
    return kUsageError;
  }
  log::configure(logs.level, logs.format);
  return chosen();
}

}  // namespace

Command Command::add(const std::string& name, const std::string& help) {
  return {*app_->add_subcommand(name, help), *chosen_};
}

Command Command::add_moved(const std::string& name, const std::string& to) {
  Command moved = add(name, "");
  // Whatever follows, also --help, is for the other program.
  moved.app_->group("")->fallthrough(false)->prefix_command()->set_help_flag("");
  moved.run([what = moved.path(), to] {
    fmt::print(stderr, "{}: \"{}\" is a command of {}: run \"{}\"\n", program_name(), what, to.substr(0, to.find(' ')),
               to);
    return kUsageError;
  });
  return moved;
}

std::string Command::path() const {
  std::string words = app_->get_name();
  for (const CLI::App* above = app_->get_parent(); above->get_parent() != nullptr; above = above->get_parent()) {
    words = above->get_name() + " " + words;
  }
  return words;
}

void Command::footer(const std::string& text) { app_->footer(text); }

void Command::require_command() { app_->require_subcommand(1); }

void Command::flag(const std::string& name, bool& value, const std::string& help) { app_->add_flag(name, value, help); }

template <class T>
void Command::bind(const std::string& name, T& value, const std::string& help, const Option& how) {
  describe(*app_->add_option(name, value, help), how);
}

void Command::option(const std::string& name, std::string& value, const std::string& help, const Option& how) {
  bind(name, value, help, how);
}

void Command::option(const std::string& name, std::vector<std::string>& values, const std::string& help,
                     const Option& how) {
  bind(name, values, help, how);
}

void Command::option(const std::string& name, int& value, const std::string& help, const Option& how) {
  bind(name, value, help, how);
}

void Command::option(const std::string& name, std::uint64_t& value, const std::string& help, const Option& how) {
  bind(name, value, help, how);
}

void Command::parsed(const std::string& name, const Take& take, const std::string& help, const Option& how) {
  const auto taken = [name, take](const std::string& text) { take_or_throw(name, take, text); };
  describe(*app_->add_option_function<std::string>(name, taken, help), how);
}

void Command::parsed_each(const std::string& name, const Take& take, const std::string& help, const Option& how) {
  const auto taken = [name, take](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) take_or_throw(name, take, text);
  };
  describe(*app_->add_option_function<std::vector<std::string>>(name, taken, help), how);
}

void Command::run(Run what) {
  app_->callback([chosen = chosen_, what = std::move(what)] {
    // CLI11 calls the innermost command first.
    if (!*chosen) *chosen = what;
  });
}

int run_program(int argc, char** argv, const Program& program, const std::function<void(Command)>& add_commands) {
  name_of_program() = program.name;
  // A reader that hangs up is an error of one write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return parse_and_run(argc, argv, program, add_commands);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: internal error: {}; please report it with the command line\n", program.name, error.what());
    return kInternalError;
  }
}

const std::string& program_name() { return name_of_program(); }

int complain(const base::Fault& fault) {
  // The longest message that still is one line of a terminal or two; servers can answer with anything.
  fmt::print(stderr, "{}: {}\n", program_name(), base::one_line(log::redact(fault.message), 600));
  return 1;
}

}  // namespace drover::cli
