#include "cli/ceiling_flag.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/text.h"
#include "vendors/policy_reader.h"

namespace drover::cli {
namespace {

core::Share parse_ceiling(const std::string& text) {
  if (const auto percent = vendors::parse_percent(text)) return *percent;
  const auto nodes = base::parse_int(text);
  if (nodes && *nodes > 0 && *nodes <= 1'000'000) return {.amount = static_cast<int>(*nodes)};
  throw CLI::ValidationError(
      "--max-unavailable",
      fmt::format("\"{}\" is neither a number of nodes (5) nor a share of them (25%)", base::one_line(text, 40)));
}

}  // namespace

void add_ceiling_flag(CLI::App& app, std::optional<core::Share>& value) {
  app.add_option_function<std::string>(
         "--max-unavailable", [&value](const std::string& text) { value = parse_ceiling(text); },
         "most nodes of all policies together that may be out of service (default: 25% where there are several "
         "policies; a policy that is alone has its own limit)")
      ->type_name("NODES|SHARE%");
}

}  // namespace drover::cli
