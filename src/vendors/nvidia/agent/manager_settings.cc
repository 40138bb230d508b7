#include "vendors/nvidia/agent/manager_settings.h"

#include "base/selector.h"

namespace drover::agent {

base::Result<ManagerSettings> read_manager_settings(const Environment& environment) {
  ManagerSettings settings;
  TRY(settings.node, name_in(environment, "NODE_NAME", true));
  TRY(settings.pod_uid, name_in(environment, "POD_UID", true));
  TRY(settings.digest, name_in(environment, "DRIVER_CONFIG_DIGEST", true));
  TRY(const std::string ns, name_in(environment, "OPERATOR_NAMESPACE", false));
  if (!ns.empty()) settings.ns = ns;
  TRY(settings.reinstalls, flag_in(environment, "FORCE_REINSTALL", false));
  TRY(settings.evicts, flag_in(environment, "ENABLE_GPU_POD_EVICTION", true));
  TRY(settings.drains, flag_in(environment, "ENABLE_AUTO_DRAIN", true));
  TRY(settings.takes_bare_pods, flag_in(environment, "DRAIN_USE_FORCE", false));
  TRY(settings.takes_local_data, flag_in(environment, "DRAIN_DELETE_EMPTYDIR_DATA", false));
  settings.drained = variable_of(environment, "DRAIN_POD_SELECTOR_LABEL");
  if (const auto selector = base::Selector::parse(settings.drained); !selector)
    return wrong_variable("DRAIN_POD_SELECTOR_LABEL", settings.drained, "a label selector such as app=web is wanted");
  const std::string limit = variable_of(environment, "DRAIN_TIMEOUT_SECONDS");
  if (limit.empty()) return settings;
  const auto span = base::parse_span(limit);
  if (!span || *span < base::Span::zero())
    return wrong_variable("DRAIN_TIMEOUT_SECONDS", limit, "a time such as 300s is wanted, 0s for no limit");
  if (*span > base::Span::zero()) settings.at_most = *span;
  return settings;
}

}  // namespace drover::agent
