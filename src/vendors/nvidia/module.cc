// NVIDIA's words, as its "GPU Driver Upgrades" page spells them.
#include "vendors/nvidia/module.h"

#include "core/flows/flows.h"
#include "vendors/nvidia/driver_desired.h"
#include "vendors/nvidia/ownership.h"
#include "vendors/nvidia/words.h"

namespace drover::vendors {
namespace {

constexpr WorkProfile::Kind kMorePolicies[] = {{.group = "nvidia.com",
                                                .version = "v1alpha1",
                                                .plural = "nvidiadrivers",
                                                .kind = "NVIDIADriver",
                                                .own_fields = "spec.upgradePolicy.failureBudget"}};

constexpr VendorWords kNvidia = {
    .name = "nvidia",
    .ns = "gpu-operator",
    .present_label = "nvidia.com/gpu.present",
    .feature_labels =
        "feature.node.kubernetes.io/pci-10de.present,feature.node.kubernetes.io/pci-0302_10de.present,"
        "feature.node.kubernetes.io/pci-0300_10de.present",
    .device_resources = "nvidia.com/gpu,nvidia.com/mig-",
    .device_paths = "/dev/nvidia",
    .claim_driver = "gpu.nvidia.com",
    .own_operator = "app=gpu-operator",
    .own_operator_managers = "gpu-operator,driver-manager",
    .own_operator_off = ", or set driver.enabled=false in its ClusterPolicy",
};

}  // namespace

const WorkProfile& nvidia_driver() {
  static const WorkProfile kDriver = {
      .vendor = kNvidia,
      .kind = "nvidia/driver",
      .channel = kNvidiaDriverChannel,
      .flow = core::in_place(),
      .policy = {.group = "nvidia.com",
                 .version = "v1",
                 .plural = "clusterpolicies",
                 .kind = "ClusterPolicy",
                 .own_fields = "spec.driver.upgradePolicy.failureBudget"},
      .more_policies = kMorePolicies,
      .ownership = allot_nvidia,
      .read = nvidia_wants,
      .driver_set = driver_set_of,

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
      .deploy_label = kNvidiaDeployLabel,
      .owner_label = kDriverOwnerLabel,
      .carrier_label = kDriverSetLabel,
      .gates = kNvidiaGates,
      .gate_paused = kNvidiaGatePaused,

      .drain_skip_label = "nvidia.com/gpu-driver-upgrade-drain.skip",
      .role_label = "app",
      .template_annotation = protocol::kTemplateAnnotation,
      .driver_role = kDriverDaemonSet,
      .validator_role = kValidatorDaemonSet,
      .preflight_role = kPreflightApp,

      .event_reason = "GPUDriverUpgrade",
      .event_text = "Successfully updated node state label to [{}]",
      .metric_prefix = "gpu_operator",
      // The first is the document's, the second is what NVIDIA's operator exports.
      .metric_switches = "auto_upgrade_enabled,driver_auto_upgrade_enabled",
  };
  return kDriver;
}

const VendorModule& nvidia() {
  static const WorkProfile* const kWorks[] = {&nvidia_driver()};
  static const VendorModule kModule = {.works = kWorks};
  return kModule;
}

}  // namespace drover::vendors
