// Pieces that several operands are put together from. For vendors only.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "core/policy.h"

namespace drover::vendors::parts {

inline constexpr std::string_view kProgram = "/usr/bin/drover";  // in our own image
inline constexpr std::string_view kDigestVariable =
    "DRIVER_CONFIG_DIGEST";  // tells the agent which driver it is there for

json::Members variable(std::string_view name, std::string_view value);
// The kubelet fills it in: "spec.nodeName".
json::Members variable_from_field(std::string_view name, std::string_view field);

json::Members host_volume(std::string_view name, std::string_view path, std::string_view type = "");
json::Members mount(std::string_view name, std::string_view path, bool is_read_only = false,
                    std::string_view propagation = "");

// A token of the pod's ServiceAccount, for the containers that mount it and no other.
json::Members token_volume();
json::Members token_mount();

// The reference of an object to the policy that it belongs to.
json::Members owner(std::string_view api_version, std::string_view kind, const core::Policy& policy,
                    bool blocks_deletion = false);

// 16 hexadecimal digits over all that a template says of its pods.
std::string template_mark(const json::Members& pod_spec);

// For server-side apply.
json::Value daemon_set(json::Members metadata, const json::Members& match_labels, json::Members update_strategy,
                       json::Members pod_metadata, json::Members pod_spec);

json::Array pull_secrets(const std::vector<std::string>& first, const std::vector<std::string>& second = {});
json::Members words(const std::map<std::string, std::string>& from);
json::Array arguments(const std::vector<std::string>& from);

}  // namespace drover::vendors::parts
