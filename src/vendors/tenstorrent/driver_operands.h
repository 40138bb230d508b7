// Renders what Tenstorrent's driver needs in the cluster: the builder's DaemonSet, one for each policy.
//
// The object holds exactly the fields that we own, for server-side apply. Two digests stand on it and on its pods:
//   drover.dev/driver-digest               what the driver is made of: its version, and nothing else. Pods that differ
//   in
//                                          it are replaced with cordon, drain and reload. Frozen by a test.
//   driver.tenstorrent.com/template-hash   the rest too (image, proxies, mounts). Pods that differ only in it are
//                                          replaced one node at a time without cordon, drain or reload. forceUnload is
//                                          not in it: only pods that are blocked are replaced for that.
// The order of labels and expressions in a policy changes neither. The DaemonSet belongs to its policy and goes with
// it: the driver stays loaded without it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/selector.h"
#include "vendors/tenstorrent/driver_policy.h"

namespace drover::vendors {

inline constexpr std::string_view kBuilderContainer = "builder";
inline constexpr std::string_view kPolicyLabel = "driver.tenstorrent.com/cr";
inline constexpr std::string_view kTemplateHash = "driver.tenstorrent.com/template-hash";
inline constexpr std::string_view kForceAnnotation = "driver.tenstorrent.com/force-unload";
inline constexpr std::string_view kBuilderRole = "tt-kmd-installer";  // app.kubernetes.io/name

// "ttdrv-<policy>".
std::string builder_name(std::string_view policy);
// 16 hexadecimal digits over what the driver is made of.
std::string kmd_digest(std::string_view version);

// What its template is made of besides the driver.
std::string template_hash(const DriverPolicyReading& reading, const OperandSettings& settings);

// Null where the reading has trouble in what would be rendered: what is there then stays as it is. Nodes that one of
// `older` means are left to it.
json::Value render_builder(const DriverPolicyReading& reading, const OperandSettings& settings,
                           const std::vector<base::Selector>& older = {});
// As WorkProfile::driver_set: it belongs to its policy, and stays with it.
DriverSet builder_set_of(const json::Value& daemon_set);

// The image of the builder.
const std::string& builder_image(const DriverPolicyReading& reading, const OperandSettings& settings);

// What a builder pod is made of, also one that the vendor's own operator made; "" for pods that say nothing.
std::string_view kmd_version_of_pod(const json::Value& pod);
std::string kmd_digest_of_pod(const json::Value& pod);

}  // namespace drover::vendors
