// NVIDIA, as its "GPU Driver Upgrades" page spells it.
#include "upgrade_terms.h"
#include "vendor.h"
#include "vendors/nvidia/module.h"

namespace drover::proof {
namespace {

using namespace std::string_view_literals;

const kube::Resource kClusterPolicy{"nvidia.com", "v1", "clusterpolicies", "ClusterPolicy", kube::Scope::Cluster};
constexpr std::array kNvidiaDefinitions = {"charts/drover/crds/nvidia.com_clusterpolicies.yaml"sv,
                                           "charts/drover/crds/nvidia.com_nvidiadrivers.yaml"sv};
constexpr Vendor::Pair kNvidiaSentences[] = {
    {"version", R"({"spec": {"driver": {"version": "$1"}}})"},
    {"pause", R"({"spec": {"driver": {"upgradePolicy": {"autoUpgrade": false}}}})"},
    {"resume", R"({"spec": {"driver": {"upgradePolicy": {"autoUpgrade": true}}}})"},
    {"upgrade-policy", R"({"spec": {"driver": {"upgradePolicy": {$1}}}})"},
    {"driver-spec", R"({"spec": {"driver": {$1}}})"},
    {"update-strategy", R"({"spec": {"daemonsets": {"updateStrategy": "$1"}}})"},
};

constexpr Vendor::Pair kNvidiaStates[] = {
    {"required", "upgrade-required"},
    {"cordon", "cordon-required"},
    {"wait-for-jobs", "wait-for-jobs-required"},
    {"evict-device-pods", "pod-deletion-required"},
    {"drain", "drain-required"},
    {"restart", "pod-restart-required"},
    {"validate", "validation-required"},
    {"uncordon", "uncordon-required"},
    {"done", "upgrade-done"},
    {"failed", "upgrade-failed"},
};
constexpr Vendor::Pair kNvidiaLeftOut[] = {{"nvidia.com/gpu.deploy.driver", "false"},
                                           {"nvidia.com/gpu.deploy.driver", "pre-installed"}};
constexpr std::array kNvidiaLabels = {"nvidia.com/gpu-driver-upgrade-state"sv, "nvidia.com/gpu.present"sv,
                                      "nvidia.com/gpu.deploy."sv};
constexpr std::array kNvidiaAnnotations = {"nvidia.com/gpu-driver-upgrade-requested"sv,
                                           "nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable"sv,
                                           "nvidia.com/gpu-driver-upgrade-enabled"sv};

// One of the six variables; `fallback` is the document's.
std::string variable_of(const kube::Object& policy, std::string_view name, std::string fallback) {
  for (const json::Value& one : json::array_at(policy, {"spec", "driver", "manager", "env"})) {
    if (json::text_at(one, {"name"}) == name) fallback = json::text_at(one, {"value"});
  }
  return fallback;
}

// Upgrades are off: the options of the upgrade policy mean nothing, the variables do.
void read_variables(const kube::Object& policy, Terms& terms) {
  terms.rolls = json::text_at(policy, {"spec", "daemonsets", "updateStrategy"}) != "OnDelete";
  terms.max_parallel = terms.rolls ? 1 : 0;
  terms.away = 100;
  terms.away_is_percent = true;
  terms.waits = false;
  terms.drains = variable_of(policy, "ENABLE_AUTO_DRAIN", "true") == "true";
  terms.device_pods = {.force = variable_of(policy, "DRAIN_USE_FORCE", "false") == "true",
                       .local_data = variable_of(policy, "DRAIN_DELETE_EMPTYDIR_DATA", "false") == "true",
                       .seconds = 0};
  terms.drain = terms.device_pods;
}

Terms nvidia_terms(const kube::Object& policy) {
  Terms terms;
  terms.is_there = true;
  terms.uid = kube::uid_of(policy);
  terms.version = json::text_at(policy, {"spec", "driver", "version"});
  read_upgrade_terms(json::find(policy, {"spec", "driver", "upgradePolicy"}), terms);
  if (!terms.is_on) read_variables(policy, terms);
  return terms;
}

void use_gpus(json::Value& pod_spec, int devices) { ask_for(pod_spec, "nvidia.com/gpu", devices); }

// Scripts in the place of the agents cannot ask: with them drivers do not change by themselves.
constexpr Vendor::Pair kNvidiaFurnishings[] = {
    {"agents work", ""}, {"", "update-strategy OnDelete"}, {"", "update-strategy OnDelete"}};
constexpr std::array kNvidiaTroubles = {
    // With all that follows: a container keeps its script when the image is there again.
    "image-of *driver:<version>* image-is-here missing; say the image is here;;"
    "image-of *driver:<version>* nvidia-driver-ctr missing; wait driver; load nvidia $VERSION; load nvidia_uvm "
    "$VERSION on nvidia; load nvidia_modeset $VERSION on nvidia; ready; wait forever; "
    "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia"sv,
    "container nvidia-operator-validator say no; exit 1"sv,
    // It fits nowhere.
    R"(driver-spec "resources": {"requests": {"cpu": "4000"}})"sv,
    // It serves, then it does not for a while.
    "image-of *driver:<version>* nvidia-driver-ctr wait driver; load nvidia $VERSION; load nvidia_uvm $VERSION on "
    "nvidia; load nvidia_modeset $VERSION on nvidia; ready; wait 5m; unready; wait 8m; ready; wait forever; "
    "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia"sv};

constexpr Vendor::Pair kNvidiaExempt[] = {
    {"I7 unload", "a driver's container unloads it when its pod ends: the removal of the pod is judged (I6)"}};

}  // namespace

const Vendor& nvidia() {
  static const Vendor kNvidia = {
      .name = "nvidia",
      .kind = "nvidia/driver",
      .order = "drover.dev/order-nvidia-driver",
      .report = "drover.dev/report-nvidia-driver",
      .ns = "gpu-operator",
      .module = "nvidia",
      .served = [] { return operate::Served{.profile = &vendors::nvidia_driver(), .operands = {}}; },

      .definitions = kNvidiaDefinitions,
      .policy = kClusterPolicy,
      .policy_name = "cluster-policy",
      .policy_text = R"({"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy",
          "metadata": {"name": "cluster-policy"},
          "spec": {"driver": {"version": "$VERSION",
                              "startupProbe": {"initialDelaySeconds": 0, "periodSeconds": 1},
                              "upgradePolicy": {"autoUpgrade": true}}}})",
      .sentences = kNvidiaSentences,
      .terms_of = nvidia_terms,
      .status_trouble = summary_trouble,

      .state_label = "nvidia.com/gpu-driver-upgrade-state",
      .states = kNvidiaStates,
      .skip_label = "nvidia.com/gpu-driver-upgrade.skip",
      .request_annotation = "nvidia.com/gpu-driver-upgrade-requested",
      .found_cordoned_annotation = "nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable",
      .cordon_annotation = "",
      .present_label = "feature.node.kubernetes.io/pci-10de.present",
      .left_out = kNvidiaLeftOut,
      .our_labels = kNvidiaLabels,
      .our_annotations = kNvidiaAnnotations,
      .gates = "nvidia.com/",
      .a_gate = "nvidia.com/gpu.deploy.device-plugin",
      .gate_closed = "paused-for-driver-upgrade",
      .closed_gates_are_ours = true,
      .gates_close_with_cordon = false,
      .event_reason = "GPUDriverUpgrade",
      .step_event = "Successfully",

      .role_label = "app",
      .driver_role = "nvidia-driver-daemonset",
      .validator_role = "nvidia-operator-validator",
      .preflight_role = "nvidia-driver-preflight",
      .device_resources = "nvidia.com/",
      .device_paths = "",
      .drain_skip_label = "nvidia.com/gpu-driver-upgrade-drain.skip",
      .device = "/dev/nvidia0",
      .use_device = use_gpus,

      .agent_asks_first = false,
      .empties_in_one_go = false,
      .own_operator = "gpu-operator",
      .own_operator_label = {"app", "gpu-operator"},

      .versions = {"535.129.03", "550.54.15", "570.86.15"},
      .any_upgrade_policy = any_upgrade_policy,
      .furnishings = kNvidiaFurnishings,
      .troubles = kNvidiaTroubles,
      .mends = R"(driver-spec "resources": null)",
      .any_width = R"("maxParallelUpgrades": 0)",
      .any_share = R"("maxUnavailable": "100%")",

      .exempt = kNvidiaExempt,
  };
  return kNvidia;
}

}  // namespace drover::proof
