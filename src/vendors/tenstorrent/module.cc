// Tenstorrent's words, as its "Upgrades" and "Migrating from DKMS" pages spell them.
#include "vendors/tenstorrent/module.h"

#include "core/flows/flows.h"
#include "vendors/tenstorrent/driver_desired.h"
#include "vendors/tenstorrent/driver_metrics.h"
#include "vendors/tenstorrent/driver_operands.h"
#include "vendors/tenstorrent/driver_status.h"
#include "vendors/tenstorrent/ownership.h"
#include "vendors/tenstorrent/words.h"

namespace drover::vendors {

namespace {

constexpr VendorWords kTenstorrent = {
    .name = "tenstorrent",
    .ns = "tt-k8s-driver-manager-system",
    .present_label = "",
    .feature_labels = kTenstorrentPciLabel,
    .device_resources = "tenstorrent.com/",
    .device_paths = "/dev/tenstorrent",
    .claim_driver = "tenstorrent.com",
    .own_operator = "app.kubernetes.io/name=tt-k8s-driver-manager",
    .own_operator_managers = "manager,tt-k8s-driver-manager",
    .own_operator_off = " (a TenstorrentDriverPolicy that is paused is paused for both)",
};

}  // namespace

const WorkProfile& tenstorrent_driver() {
  static const WorkProfile kDriver = {
      .vendor = kTenstorrent,
      .kind = "tenstorrent/driver",
      .channel = kTenstorrentDriverChannel,
      .flow = core::prepared(),
      .policy = {.group = "driver.tenstorrent.com",
                 .version = "v1alpha1",
                 .plural = "tenstorrentdriverpolicies",
                 .kind = "TenstorrentDriverPolicy",
                 .own_fields = "spec.upgradePolicy.maxParallel,spec.upgradePolicy.failureBudget"},
      .ownership = allot_tenstorrent,
      .read = tenstorrent_wants,
      .driver_set = builder_set_of,
      .carried_by = kmd_digest_of_pod,
      .digest_of = kmd_digest,
      .fill_status = fill_tenstorrent_status,
      .node_state = tenstorrent_node_state,
      .condition_words = tenstorrent_condition,
      .other_word = other_tenstorrent_word,
      .metrics = tenstorrent_metrics,
      .policies_share_nodes = true,

      // No state_label: its nodes show their state in the policy's status only.
      .states = {{
          "",             // Idle
          "Pending",      // Required
          "Cordoning",    // Cordon
          "",             // WaitForJobs
          "",             // EvictDevicePods
          "Draining",     // Drain
          "Upgrading",    // Restart
          "",             // Validate
          "Uncordoning",  // Uncordon
          "Done",         // Done
          "Failed",       // Failed
      }},
      .skip_label = kTenstorrentSkipLabel,
      .request_annotation = "drover.dev/upgrade-requested",
      .gates = "tenstorrent.com/deploy.tt-telemetry",
      .gate_paused = "false",
      .gates_are_made = true,
      .cordon_annotation = "driver.tenstorrent.com/cordoned-by",
      .cordon_time_annotation = "driver.tenstorrent.com/cordoned-at",

      .role_label = "app.kubernetes.io/name",
      .template_annotation = kTemplateHash,
      .force_annotation = kForceAnnotation,
      .driver_role = kBuilderRole,

      .event_reason = "TenstorrentDriverUpgrade",
      .event_text = "The driver upgrade of this node is {}",
  };
  return kDriver;
}

const VendorModule& tenstorrent() {
  static const WorkProfile* const kWorks[] = {&tenstorrent_driver()};
  static const VendorModule kModule = {.works = kWorks};
  return kModule;
}

}  // namespace drover::vendors
