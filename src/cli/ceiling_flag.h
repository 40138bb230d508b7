// The flag for the limit over all policies: the operator's, and that of whoever has to know it.
#pragma once

#include <optional>

#include "core/policy.h"

namespace CLI {
class App;
}

namespace drover::cli {

void add_ceiling_flag(CLI::App& app, std::optional<core::Share>& value);

}  // namespace drover::cli
