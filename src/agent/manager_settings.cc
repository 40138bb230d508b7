#include "agent/manager_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/selector.h"
#include "base/text.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;

std::string value_of(const Environment& environment, std::string_view name) {
  const auto found = std::find_if(environment.rbegin(), environment.rend(),
                                  [&](const auto& variable) { return variable.first == name; });
  return found == environment.rend() ? std::string() : found->second;
}

std::unexpected<Fault> wrong(std::string_view name, std::string_view value, std::string_view wanted) {
  return fault(Fault::Kind::Refused, fmt::format("{} is \"{}\"; {}", name, base::one_line(value, 80), wanted));
}

Result<bool> flag(const Environment& environment, std::string_view name, bool fallback) {
  const std::string value = value_of(environment, name);
  if (value.empty()) return fallback;
  if (value == "true" || value == "false") return value == "true";
  return wrong(name, value, "\"true\" or \"false\" is wanted");
}

// Names of nodes, pods and digests: nothing that could be more than a name.
Result<std::string> name(const Environment& environment, std::string_view variable, bool must_be_there) {
  const std::string value = value_of(environment, variable);
  if (value.empty() && must_be_there) {
    return fault(Fault::Kind::Refused,
                 fmt::format("{} is not set; the driver's DaemonSet gives it to this container", variable));
  }
  const bool is_name = value.size() <= 253 && std::all_of(value.begin(), value.end(), [](char c) {
                         return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                                c == '.' || c == '-' || c == ':' || c == '_';
                       });
  if (is_name) return value;
  return wrong(variable, value, "a name of letters, digits and . _ : - is wanted");
}

}  // namespace

Result<ManagerSettings> read_manager_settings(const Environment& environment) {
  ManagerSettings settings;
  TRY(settings.node, name(environment, "NODE_NAME", true));
  TRY(settings.pod_uid, name(environment, "POD_UID", true));
  TRY(settings.digest, name(environment, "DRIVER_CONFIG_DIGEST", true));
  TRY(const std::string ns, name(environment, "OPERATOR_NAMESPACE", false));
  if (!ns.empty()) settings.ns = ns;
  TRY(settings.reinstalls, flag(environment, "FORCE_REINSTALL", false));
  TRY(settings.evicts, flag(environment, "ENABLE_GPU_POD_EVICTION", true));
  TRY(settings.drains, flag(environment, "ENABLE_AUTO_DRAIN", true));
  TRY(settings.takes_bare_pods, flag(environment, "DRAIN_USE_FORCE", false));
  TRY(settings.takes_local_data, flag(environment, "DRAIN_DELETE_EMPTYDIR_DATA", false));
  settings.drained = value_of(environment, "DRAIN_POD_SELECTOR_LABEL");
  if (const auto selector = base::Selector::parse(settings.drained); !selector)
    return wrong("DRAIN_POD_SELECTOR_LABEL", settings.drained, "a label selector such as app=web is wanted");
  const std::string limit = value_of(environment, "DRAIN_TIMEOUT_SECONDS");
  if (limit.empty()) return settings;
  const auto span = base::parse_span(limit);
  if (!span || *span < base::Span::zero())
    return wrong("DRAIN_TIMEOUT_SECONDS", limit, "a time such as 300s is wanted, 0s for no limit");
  if (*span > base::Span::zero()) settings.at_most = *span;
  return settings;
}

}  // namespace drover::agent
