// What a program of the agent is told by its container's environment. Nothing of it is believed unchecked.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace drover::agent {

using Environment = std::vector<std::pair<std::string, std::string>>;  // later ones win

// Its value, or "".
std::string variable_of(const Environment& environment, std::string_view name);
// "true" or "false"; the fallback when it is absent or empty.
base::Result<bool> flag_in(const Environment& environment, std::string_view name, bool fallback);
// The name of a node, a pod, a digest: letters, digits and . _ : - only.
base::Result<std::string> name_in(const Environment& environment, std::string_view name, bool must_be_there);
// Refused, with the variable, what it says and what is wanted.
std::unexpected<base::Fault> wrong_variable(std::string_view name, std::string_view value, std::string_view wanted);

}  // namespace drover::agent
