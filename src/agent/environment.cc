#include "agent/environment.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace drover::agent {

using base::fault;
using base::Fault;
using base::Result;

std::string variable_of(const Environment& environment, std::string_view name) {
  const auto found = std::find_if(environment.rbegin(), environment.rend(),
                                  [&](const auto& variable) { return variable.first == name; });
  return found == environment.rend() ? std::string() : found->second;
}

std::unexpected<Fault> wrong_variable(std::string_view name, std::string_view value, std::string_view wanted) {
  return fault(Fault::Kind::Refused, fmt::format("{} is \"{}\"; {}", name, base::one_line(value, 80), wanted));
}

Result<bool> flag_in(const Environment& environment, std::string_view name, bool fallback) {
  const std::string value = variable_of(environment, name);
  if (value.empty()) return fallback;
  if (value == "true" || value == "false") return value == "true";
  return wrong_variable(name, value, "\"true\" or \"false\" is wanted");
}

Result<std::string> name_in(const Environment& environment, std::string_view name, bool must_be_there) {
  const std::string value = variable_of(environment, name);
  if (value.empty() && must_be_there) {
    return fault(Fault::Kind::Refused,
                 fmt::format("{} is not set; the operator sets it in this container's template", name));
  }
  const bool is_name = value.size() <= 253 && std::all_of(value.begin(), value.end(), [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                c == '.' || c == '-' || c == ':' || c == '_';
                       });
  if (is_name) return value;
  return wrong_variable(name, value, "a name of letters, digits and . _ : - is wanted");
}

}  // namespace drover::agent
