// Flags that several commands have.
#pragma once

#include <string>

#include "base/log.h"
#include "base/time.h"
#include "cli/command.h"

namespace drover::cli {

struct LogFlags {
  log::Level level = log::Level::Info;
  log::Format format = log::Format::Text;
};
void add_log_flags(Command command, LogFlags& flags);

// Where the API server is: the flags that every command which needs one has.
struct TargetFlags {
  std::string kubeconfig;
  std::string context;
};
void add_target_flags(Command command, TargetFlags& flags);

// -o text or json.
void add_output_flag(Command command, std::string& value);
// A flag with a time ("2s", "500ms"); what does not parse is a usage error that says so.
void add_span_flag(Command command, const std::string& name, base::Span& value, const std::string& help);
// A flag with a part of a whole ("10%" or "0.1").
void add_fraction_flag(Command command, const std::string& name, double& value, const std::string& help);

}  // namespace drover::cli
