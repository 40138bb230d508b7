#include "cli/limit_flag.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"
#include "vendors/shared/upgrade_policy.h"

namespace drover::cli {
namespace {

base::Result<core::Share> parse_limit(const std::string& text) {
  if (const auto percent = vendors::parse_percent(text)) return *percent;
  const auto nodes = base::parse_int(text);
  if (nodes && *nodes > 0 && *nodes <= 1'000'000) return core::Share{.amount = static_cast<int>(*nodes)};
  return base::fault(
      base::Fault::Kind::Malformed,
      fmt::format("\"{}\" is neither a number of nodes (5) nor a share of them (25%)", base::one_line(text, 40)));
}

}  // namespace

void add_limit_flag(Command app, std::optional<core::Share>& value) {
  const auto take = [&value](const std::string& text) -> base::Result<void> {
    TRY(value, parse_limit(text));
    return {};
  };
  app.parsed("--max-unavailable", take,
             "most nodes of all policies together that may be out of service (default: 25% where there are several "
             "policies; a policy that is alone has its own limit)",
             {.type_name = "NODES|SHARE%"});
}

}  // namespace drover::cli
