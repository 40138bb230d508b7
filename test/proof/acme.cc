// The made-up vendor of test/vendors/acme, which no list in src/ knows.
#include "vendors/acme/module.h"

#include "upgrade_terms.h"
#include "vendor.h"

namespace drover::proof {
namespace {

using namespace std::string_view_literals;

const kube::Resource kAcmeDriver{"acme.example", "v1", "acmedrivers", "AcmeDriver", kube::Scope::Cluster};
constexpr std::array kAcmeDefinitions = {"test/vendors/acme/acmedrivers.yaml"sv};
constexpr Vendor::Pair kAcmeSentences[] = {
    {"version", R"({"spec": {"version": "$1"}})"},
    {"pause", R"({"spec": {"rollout": {"autoUpgrade": false}}})"},
    {"resume", R"({"spec": {"rollout": {"autoUpgrade": true}}})"},
    {"upgrade-policy", R"({"spec": {"rollout": {$1}}})"},
};

constexpr Vendor::Pair kAcmeStates[] = {
    {"required", "waiting"},
    {"cordon", "closing"},
    {"wait-for-jobs", "jobs-ending"},
    {"evict-device-pods", "pods-leaving"},
    {"drain", "draining"},
    {"restart", "swapping"},
    {"validate", "checking"},
    {"uncordon", "opening"},
    {"done", "serving"},
    {"failed", "broken"},
};
constexpr std::array kAcmeLabels = {"acme.example/npu-upgrade"sv, "acme.example/npu-check"sv};
constexpr std::array kAcmeAnnotations = {"acme.example/npu-upgrade.now"sv};

Terms acme_terms(const kube::Object& policy) {
  Terms terms;
  terms.is_there = true;
  terms.uid = kube::uid_of(policy);
  terms.version = json::text_at(policy, {"spec", "version"});
  read_upgrade_terms(json::find(policy, {"spec", "rollout"}), terms);
  return terms;
}

void use_npus(json::Value& pod_spec, int devices) { ask_for(pod_spec, "acme.example/npu", devices); }

constexpr Vendor::Pair kAcmeFurnishings[] = {{"", ""}};
constexpr std::array kAcmeTroubles = {
    "container acme-check say no; exit 1"sv,
    "image-of *acme-driver:<version>* image-is-here missing; say the image is here"sv};
constexpr Vendor::Pair kAcmeExempt[] = {
    {"I7 unload", "a driver's container unloads it when its pod ends: the removal of the pod is judged (I6)"}};

}  // namespace

const Vendor& acme() {
  static const Vendor kAcme = {
      .name = "acme",
      .kind = "acme/driver",
      .order = "drover.dev/order-acme-driver",
      .report = "drover.dev/report-acme-driver",
      .ns = "acme-system",
      .module = "acme",
      .served = [] { return operate::Served{.profile = &vendors::acme_driver(), .operands = {.ns = "acme-system"}}; },

      .definitions = kAcmeDefinitions,
      .policy = kAcmeDriver,
      .policy_name = "npus",
      .policy_text = R"({"apiVersion": "acme.example/v1", "kind": "AcmeDriver", "metadata": {"name": "npus"},
          "spec": {"version": "$VERSION"}})",
      .sentences = kAcmeSentences,
      .terms_of = acme_terms,
      .status_trouble = summary_trouble,

      .state_label = "acme.example/npu-upgrade",
      .states = kAcmeStates,
      .skip_label = "acme.example/npu-upgrade.never",
      .request_annotation = "acme.example/npu-upgrade.now",
      .found_cordoned_annotation = "",
      .cordon_annotation = "",
      .present_label = "feature.node.kubernetes.io/pci-acac.present",
      .left_out = {},
      .our_labels = kAcmeLabels,
      .our_annotations = kAcmeAnnotations,
      .gates = "acme.example/npu-check",
      .a_gate = "acme.example/npu-check",
      .gate_closed = "shut",
      .closed_gates_are_ours = true,
      .gates_close_with_cordon = false,
      .event_reason = "NpuUpgrade",
      .step_event = "NPU driver:",

      .role_label = "acme.example/part",
      .driver_role = "acme-driver",
      .validator_role = "acme-check",
      .preflight_role = "acme-preflight",
      .device_resources = "acme.example/npu",
      .device_paths = "",
      .drain_skip_label = "",
      .device = "/dev/acme0",
      .use_device = use_npus,

      .agent_asks_first = false,
      .empties_in_one_go = false,
      .own_operator = "",
      .own_operator_label = {},

      .versions = {"3.1", "3.2", "3.3"},
      .any_upgrade_policy = any_upgrade_policy,
      .furnishings = kAcmeFurnishings,
      .troubles = kAcmeTroubles,
      .mends = "",
      .any_width = R"("maxParallelUpgrades": 0)",
      .any_share = R"("maxUnavailable": "100%")",

      .exempt = kAcmeExempt,
  };
  return kAcme;
}

}  // namespace drover::proof
