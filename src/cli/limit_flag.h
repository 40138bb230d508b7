// The flag for the limit over all policies: the operator's, and that of commands that have to know it.
#pragma once

#include <optional>

#include "cli/command.h"
#include "core/policy.h"

namespace drover::cli {

void add_limit_flag(Command app, std::optional<core::Share>& value);

}  // namespace drover::cli
