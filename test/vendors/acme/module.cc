#include "vendors/acme/module.h"

#include "core/flows/flows.h"
#include "vendors/acme/driver.h"
#include "vendors/acme/words.h"
#include "vendors/shared/oldest_policy.h"

namespace drover::vendors {
namespace {

constexpr VendorWords kAcme = {
    .name = "acme",
    .ns = "acme-system",
    .feature_labels = kAcmePresent,
    .device_resources = "acme.example/npu",
};

DriverSet acme_set_of(const json::Value& daemon_set) {
  return {.name = std::string(json::text_at(daemon_set, {"metadata", "name"}))};
}

ConditionWords acme_condition(std::string_view type, const ConditionWords& ours) {
  return {.status = ours.status, .reason = type == "Ready" && ours.status == "True" ? "NpusServe" : ours.reason};
}

}  // namespace

const WorkProfile& acme_driver() {
  static const WorkProfile kDriver = {
      .vendor = kAcme,
      .kind = "acme/driver",
      .channel = {.order = "drover.dev/order-acme-driver", .report = "drover.dev/report-acme-driver"},
      .flow = core::in_place(),
      .policy = {.group = "acme.example", .version = "v1", .plural = "acmedrivers", .kind = "AcmeDriver"},
      .ownership = oldest_has_all,
      .read = acme_wants,
      .driver_set = acme_set_of,
      .condition_words = acme_condition,

      .state_label = "acme.example/npu-upgrade",
      .states = {{
          "",              // Idle
          "waiting",       // Required
          "closing",       // Cordon
          "jobs-ending",   // WaitForJobs
          "pods-leaving",  // EvictDevicePods
          "draining",      // Drain
          "swapping",      // Restart
          "checking",      // Validate
          "opening",       // Uncordon
          "serving",       // Done
          "broken",        // Failed
      }},
      .skip_label = "acme.example/npu-upgrade.never",
      .request_annotation = "acme.example/npu-upgrade.now",
      .gates = kAcmeGate,
      .gate_paused = "shut",

      .role_label = kAcmePart,
      .template_annotation = protocol::kTemplateAnnotation,
      .driver_role = kAcmeDriver,
      .validator_role = kAcmeCheck,
      .preflight_role = kAcmePreflight,

      .event_reason = "NpuUpgrade",
      .event_text = "NPU driver: {}",
      .metric_prefix = "acme_npu",
      .metric_switches = "upgrades_enabled",
  };
  return kDriver;
}

const VendorModule& acme() {
  static const WorkProfile* const kWorks[] = {&acme_driver()};
  static const VendorModule kModule = {.works = kWorks};
  return kModule;
}

}  // namespace drover::vendors
