// The command line: commands, their options, and what to run. A facade over CLI11, which only command.cc includes: it
// takes longer to compile than most of our files.
//
// Parsing never acts. run_program parses, sets up logs, and then runs what was chosen; the int is the exit code: 0 it
// went well, 1 it did not, 2 a usage error.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace drover::cli {

using Run = std::function<int()>;

// How an option is shown, and what it accepts beyond its type.
struct Option {
  std::string type_name = {};     // in place of TEXT or INT
  std::string default_text = {};  // shown as the default
  bool shows_default = false;     // shows the present value as the default
  bool is_required = false;
  std::vector<std::string> words = {};  // accepts one of these
  struct Range {
    int least = 0;
    int most = 0;
  };
  std::optional<Range> range = {};
};

// One command of the program, to be described: a handle, cheap to copy, valid while add_commands runs. What options
// refer to must live until the program ends.
class Command {
 public:
  // Takes the text of an option; the message of a fault is a usage error.
  using Take = std::function<base::Result<void>(const std::string& text)>;

  Command(CLI::App& app, Run& chosen) : app_(&app), chosen_(&chosen) {}

  Command add(const std::string& name, const std::string& help);
  // A command that is in another program now; `to` is the command line there. Not in the help.
  Command add_moved(const std::string& name, const std::string& to);
  void footer(const std::string& text);
  void require_command();  // one of the commands below this one

  void flag(const std::string& name, bool& value, const std::string& help);
  void option(const std::string& name, std::string& value, const std::string& help, const Option& how = {});
  void option(const std::string& name, std::vector<std::string>& values, const std::string& help,
              const Option& how = {});
  void option(const std::string& name, int& value, const std::string& help, const Option& how = {});
  void option(const std::string& name, std::uint64_t& value, const std::string& help, const Option& how = {});
  void parsed(const std::string& name, const Take& take, const std::string& help, const Option& how = {});
  void parsed_each(const std::string& name, const Take& take, const std::string& help, const Option& how = {});

  // What runs when this command is chosen.
  void run(Run what);

 private:
  template <class T>
  void bind(const std::string& name, T& value, const std::string& help, const Option& how);
  std::string path() const;  // "sim serve"

  CLI::App* app_;
  Run* chosen_;
};

struct Program {
  std::string name;  // with which its messages begin
  std::string description;
};

// main: parses the command line with the commands that `add_commands` describes, and runs the chosen one.
int run_program(int argc, char** argv, const Program& program, const std::function<void(Command)>& add_commands);

// The name of the program that runs.
const std::string& program_name();

// Says on stderr what went wrong, on one line that begins with the program's name, and gives the exit code for it.
int complain(const base::Fault& fault);

}  // namespace drover::cli
