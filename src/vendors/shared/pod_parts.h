// Pieces that several operands are put together from. For vendors only.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "vendors/nvidia/operands.h"

namespace drover::vendors::parts {

json::Members variable(std::string_view name, std::string_view value);
// The kubelet fills it in: "spec.nodeName".
json::Members variable_from_field(std::string_view name, std::string_view field);

json::Members host_volume(std::string_view name, std::string_view path, std::string_view type = "");
json::Members mount(std::string_view name, std::string_view path, bool is_read_only = false,
                    std::string_view propagation = "");

// A token of the pod's ServiceAccount, for the containers that mount it and no other.
json::Members token_volume();
json::Members token_mount();

json::Array pull_secrets(const std::vector<std::string>& first, const std::vector<std::string>& second = {});
json::Members owner(const ClusterPolicyReading& reading);
// For kPolicyAnnotation.
std::string policy_word(const ClusterPolicyReading& reading);
// The policy's, or the vendor's usual one, without doubles; then `more`.
json::Array tolerations(const DaemonSetsAsk& ask, const json::Array& more = {});
json::Members words(const std::map<std::string, std::string>& from);
json::Array arguments(const std::vector<std::string>& from);

}  // namespace drover::vendors::parts
