// One subcommand, one file: each adds itself to the parser and says what to run when it is chosen.
//
// Parsing never acts. main parses, sets up logging, and then runs what was chosen; the int is the exit code: 0 it went
// well, 1 it did not, 2 the command line made no sense.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/result.h"
#include "base/time.h"

namespace CLI {
class App;
}

namespace drover::cli {

using Chosen = std::function<int()>;

void add_agent(CLI::App& app, Chosen& chosen);
void add_demo(CLI::App& app, Chosen& chosen);
void add_explain(CLI::App& app, Chosen& chosen);
void add_migrate(CLI::App& app, Chosen& chosen);
void add_operator(CLI::App& app, Chosen& chosen);
void add_ping(CLI::App& app, Chosen& chosen);
void add_plan(CLI::App& app, Chosen& chosen);
void add_sim(CLI::App& app, Chosen& chosen);
void add_sim_serve(CLI::App& sim, Chosen& chosen);  // below `sim`
void add_status(CLI::App& app, Chosen& chosen);
void add_version(CLI::App& app, Chosen& chosen);

struct LogFlags {
  log::Level level = log::Level::Info;
  log::Format format = log::Format::Text;
};
void add_log_flags(CLI::App& app, LogFlags& flags);

// Where the API server is: the flags that every command which needs one has.
struct TargetFlags {
  std::string kubeconfig;
  std::string context;
};
void add_target_flags(CLI::App& app, TargetFlags& flags);

// A flag with a time ("2s", "500ms"); what does not parse is a usage error that says so.
void add_span_flag(CLI::App& app, const std::string& name, base::Span& value, const std::string& help);
// A flag with a part of a whole ("10%" or "0.1").
void add_fraction_flag(CLI::App& app, const std::string& name, double& value, const std::string& help);

// Says on stderr what went wrong, on one line that begins with "drover: ", and gives the exit code for it.
int complain(const base::Fault& fault);

}  // namespace drover::cli
