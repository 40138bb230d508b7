// NVIDIA's words, as its "GPU Driver Upgrades" page spells them.
#include "vendors/nvidia/module.h"

#include "core/flows/flows.h"
#include "vendors/nvidia/driver_desired.h"
#include "vendors/nvidia/ownership.h"
#include "vendors/nvidia/words.h"

namespace drover::vendors {
namespace {

constexpr Profile::Kind kMorePolicies[] = {
    {.group = "nvidia.com", .version = "v1alpha1", .plural = "nvidiadrivers", .kind = "NVIDIADriver"}};

}  // namespace

const Profile& nvidia() {
  static const Profile kNvidia = {
      .vendor = "nvidia",
      .kind = "nvidia/driver",
      .channel = kNvidiaDriverChannel,
      .flow = core::in_place(),
      .ns = "gpu-operator",
      .policy = {.group = "nvidia.com", .version = "v1", .plural = "clusterpolicies", .kind = "ClusterPolicy"},
      .more_policies = kMorePolicies,
      .ownership = allot_nvidia,
      .read = nvidia_wants,
      .driver_set = driver_set_of,
      .is_planned = true,

      .state_label = "nvidia.com/gpu-driver-upgrade-state",
      .states = {{
          "",                        // Idle
          "upgrade-required",        // Required
          "cordon-required",         // Cordon
          "wait-for-jobs-required",  // WaitForJobs
          "pod-deletion-required",   // EvictDevicePods
          "drain-required",          // Drain
          "pod-restart-required",    // Restart
          "validation-required",     // Validate
          "uncordon-required",       // Uncordon
          "upgrade-done",            // Done
          "upgrade-failed",          // Failed
      }},
      .skip_label = "nvidia.com/gpu-driver-upgrade.skip",
      .request_annotation = "nvidia.com/gpu-driver-upgrade-requested",
      .found_cordoned_annotation = "nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable",
      .managed_annotation = kNvidiaManagedAnnotation,
      .present_label = "nvidia.com/gpu.present",
      .deploy_label = kNvidiaDeployLabel,
      .owner_label = kDriverOwnerLabel,
      .carrier_label = kDriverSetLabel,
      .feature_labels =
          "feature.node.kubernetes.io/pci-10de.present,feature.node.kubernetes.io/pci-0302_10de.present,"
          "feature.node.kubernetes.io/pci-0300_10de.present",
      .gates = kNvidiaGates,
      .gate_paused = kNvidiaGatePaused,

      .device_resources = "nvidia.com/gpu,nvidia.com/mig-",
      .device_paths = "/dev/nvidia",
      .claim_driver = "gpu.nvidia.com",
      .drain_skip_label = "nvidia.com/gpu-driver-upgrade-drain.skip",
      .role_label = "app",
      .driver_role = kDriverDaemonSet,
      .validator_role = kValidatorDaemonSet,
      .preflight_role = kPreflightApp,
      .own_operator = "app=gpu-operator",
      .own_operator_off = ", or set driver.enabled=false in its ClusterPolicy",

      .event_reason = "GPUDriverUpgrade",
      .event_text = "Successfully updated node state label to [{}]",
      .metric_prefix = "gpu_operator",
      // The first is the document's, the second is what NVIDIA's operator exports.
      .metric_switches = "auto_upgrade_enabled,driver_auto_upgrade_enabled",
  };
  return kNvidia;
}

}  // namespace drover::vendors
