#include "vendors/tenstorrent/agent/load_settings.h"

#include "protocol/proxies.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {

using base::Result;

Result<LoadSettings> read_load_settings(const Environment& environment) {
  LoadSettings settings;
  TRY(settings.node, name_in(environment, "NODE_NAME", true));
  TRY(settings.pod_uid, name_in(environment, "POD_UID", true));
  TRY(settings.digest, name_in(environment, "DRIVER_CONFIG_DIGEST", true));
  settings.version = variable_of(environment, vendors::kKmdVersionVariable);
  if (!vendors::is_kmd_version(settings.version))
    return wrong_variable(vendors::kKmdVersionVariable, settings.version, "a version such as 2.8.0 is wanted");
  TRY(settings.kills_holders, flag_in(environment, vendors::kForceUnloadVariable, false));
  settings.source = variable_of(environment, vendors::kKmdSourceVariable);
  if (settings.source.empty()) settings.source = vendors::kKmdSource;
  if (!vendors::is_kmd_source(settings.source)) {
    // A URL with a user carries a password.
    const bool is_shown = settings.source.find('@') == std::string::npos;
    return wrong_variable(vendors::kKmdSourceVariable, is_shown ? settings.source : "(not shown)",
                          "https://HOST/PATH is wanted, without a user or a query");
  }
  for (const std::string_view name : protocol::kProxyVariables) {
    const std::string value = variable_of(environment, name);
    if (value.empty()) continue;
    // Not shown: proxies carry passwords.
    if (!protocol::is_proxy_text(value))
      return wrong_variable(name, "(not shown)", "one line of printable characters without spaces is wanted");
    settings.proxies.emplace_back(name, value);
  }
  settings.smi_version = variable_of(environment, vendors::kSmiVersionVariable);
  if (!settings.smi_version.empty() &&
      (!vendors::is_path_part(settings.smi_version) || settings.smi_version.size() > 63))
    return wrong_variable(vendors::kSmiVersionVariable, settings.smi_version, "a version such as 5.2.0 is wanted");
  return settings;
}

}  // namespace drover::agent
