#include "vendors/tenstorrent/cli/commands.h"

#include <fmt/format.h>

#include <string>

#include "base/text.h"
#include "vendors/tenstorrent/words.h"

namespace drover::cli {
namespace {

// How drivers are built on nodes, and what keeps pods off them.
void add_builder_flags(Command command, vendors::OperandSettings& operands) {
  const auto take_source = [&operands](const std::string& text) -> base::Result<void> {
    if (!vendors::is_kmd_source(text)) {
      // A URL with a user carries a password.
      const bool is_shown = text.find('@') == std::string::npos;
      return base::fault(base::Fault::Kind::Malformed,
                         fmt::format("\"{}\" is not https://HOST/PATH without a user or a query",
                                     is_shown ? base::one_line(text, 80) : "(not shown)"));
    }
    operands.driver_source = text;
    return {};
  };
  command.parsed("--driver-source", take_source,
                 "where tt-kmd is cloned from: https only (default: Tenstorrent's repository)", {.type_name = "URL"});
  const auto take_gates = [&operands](const std::string& text) -> base::Result<void> {
    operands.gates = text;
    return {};
  };
  command.parsed("--deploy-gates", take_gates,
                 "labels that keep other pods off Tenstorrent's devices, set to false during an upgrade, "
                 "comma-separated; \"\" for none (default: tenstorrent.com/deploy.tt-telemetry)",
                 {.type_name = "LABELS"});
}

constexpr CommandRow kTenstorrentCommands[] = {{"migrate", add_migrate}};

}  // namespace

const VendorCli& tenstorrent() {
  static constexpr VendorCli kTenstorrent = {.commands = kTenstorrentCommands, .add_operator_flags = add_builder_flags};
  return kTenstorrent;
}

}  // namespace drover::cli
