// What a vendor brings to a cluster on which a plan is tried, as a value: its policy, its versions, its devices. The
// fixture names no vendor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/settings.h"
#include "test/operator/stage.h"
#include "test/operator/tenstorrent_stage.h"
#include "vendors/nvidia/module.h"
#include "vendors/tenstorrent/module.h"

namespace drover::cli::testing {

struct PlanVendor {
  std::string_view name;  // of its simulated machines, too: nvidia-1, nvidia-2, ...
  const vendors::WorkProfile& (*profile)();
  operate::Served (*served)();
  std::vector<std::string_view> definitions;
  std::string_view ns;
  const kube::Resource& policies;
  std::string_view policy_name;
  // `upgrade` are members of its upgradePolicy as JSON text.
  kube::Object (*policy)(std::string_view version, std::string_view upgrade);
  json::Value (*merge)(std::string_view version);  // changes the policy to another version
  std::string_view older;                          // before the old one; empty: the fleet is new
  std::string_view old_version;
  std::string_view new_version;
  std::string_view resource;  // of its devices
};

inline const PlanVendor& nvidia() {
  static const PlanVendor kNvidia = {
      .name = "nvidia",
      .profile = vendors::nvidia_driver,
      .served = [] { return operate::Served{.profile = &vendors::nvidia_driver(), .operands = {}}; },
      .definitions = {"charts/drover/crds/nvidia.com_clusterpolicies.yaml",
                      "charts/drover/crds/nvidia.com_nvidiadrivers.yaml"},
      .ns = "gpu-operator",
      .policies = operate::testing::kClusterPolicies,
      .policy_name = "cluster-policy",
      .policy = operate::testing::cluster_policy,
      .merge =
          [](std::string_view version) {
            return operate::testing::parsed(fmt::format(R"({{"spec": {{"driver": {{"version": "{}"}}}}}})", version));
          },
      .older = "",
      .old_version = "535.129.03",
      .new_version = "550.54.14",
      .resource = "nvidia.com/gpu",
  };
  return kNvidia;
}

// Only the first build of a fleet is a build in a driver's pod, and only later pods load alone: its fleet has been
// upgraded once, and then a node has joined.
inline const PlanVendor& tenstorrent() {
  static const PlanVendor kTenstorrent = {
      .name = "tenstorrent",
      .profile = vendors::tenstorrent_driver,
      .served =
          [] {
            return operate::Served{
                .profile = &vendors::tenstorrent_driver(),
                .operands = {.ns = std::string(operate::testing::kTenstorrentNamespace), .own_image = "drover:1"}};
          },
      .definitions = {"charts/drover/crds/driver.tenstorrent.com_tenstorrentdriverpolicies.yaml"},
      .ns = operate::testing::kTenstorrentNamespace,
      .policies = operate::testing::kDriverPolicies,
      .policy_name = "default",
      .policy =
          [](std::string_view version, std::string_view upgrade) {
            return operate::testing::driver_policy(version, fmt::format(R"(, "upgradePolicy": {{{}}})", upgrade));
          },
      .merge =
          [](std::string_view version) {
            return operate::testing::parsed(fmt::format(R"({{"spec": {{"version": "{}"}}}})", version));
          },
      .older = "2.6.0",
      .old_version = "2.7.0",
      .new_version = "2.8.0",
      .resource = "tenstorrent.com/n300",
  };
  return kTenstorrent;
}

}  // namespace drover::cli::testing
