// NVIDIA, as its "GPU Driver Upgrades" page spells it.
#include <fmt/format.h>

#include "vendor.h"
#include "vendors/nvidia/module.h"

namespace drover::proof {
namespace {

using namespace std::string_view_literals;

const kube::Resource kClusterPolicy{"nvidia.com", "v1", "clusterpolicies", "ClusterPolicy", kube::Scope::Cluster};
constexpr std::array kNvidiaDefinitions = {"nvidia.com_clusterpolicies"sv, "nvidia.com_nvidiadrivers"sv};
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

RemovalTerms removal_of(const json::Value* removal) {
  if (removal == nullptr) return {};
  return {.force = json::flag_at(*removal, {"force"}),
          .local_data = json::flag_at(*removal, {"deleteEmptyDir"}),
          .seconds = json::int_at(*removal, {"timeoutSeconds"}, 300)};
}

Terms nvidia_terms(const kube::Object& policy) {
  Terms terms;
  terms.is_there = true;
  terms.uid = kube::uid_of(policy);
  terms.version = json::text_at(policy, {"spec", "driver", "version"});
  const json::Value* upgrade = json::find(policy, {"spec", "driver", "upgradePolicy"});
  static const json::Value kNone = json::Members();
  if (upgrade == nullptr) upgrade = &kNone;
  terms.is_on = json::flag_at(*upgrade, {"autoUpgrade"}, true);
  terms.max_parallel = json::int_at(*upgrade, {"maxParallelUpgrades"}, 1);
  if (const json::Value* away = json::find(*upgrade, {"maxUnavailable"})) {
    terms.away_is_percent = away->is_string();
    terms.away = away->is_string() ? std::strtoll(std::string(away->get_string()).c_str(), nullptr, 10)
                                   : json::int_at(*upgrade, {"maxUnavailable"});
  }
  terms.waits = !json::text_at(*upgrade, {"waitForCompletion", "podSelector"}).empty();
  const json::Value* deletion = json::find(*upgrade, {"gpuPodDeletion"});
  terms.device_pods = removal_of(deletion != nullptr ? deletion : json::find(*upgrade, {"podDeletion"}));
  terms.drains = json::flag_at(*upgrade, {"drain", "enable"});
  terms.drain = removal_of(json::find(*upgrade, {"drain"}));
  if (!terms.is_on) read_variables(policy, terms);
  return terms;
}

std::string nvidia_status_trouble(const kube::Object& policy, bool /*at_rest*/) {
  const json::Value* states = json::find(policy, {"status", "summary", "states"});
  if (states == nullptr || !states->is_object()) return {};
  std::int64_t sum = 0;
  for (const auto& state : states->get_object()) sum += state.value().is_int64() ? state.value().get_int64() : 0;
  const std::int64_t total = json::int_at(policy, {"status", "summary", "total"});
  return sum == total ? "" : fmt::format("the states sum up to {} of {} nodes", sum, total);
}

void use_gpus(json::Value& pod_spec, int devices) {
  pod_spec.at("containers").get_array().front().get_object()["resources"] = {
      {"limits", {{"nvidia.com/gpu", std::to_string(devices)}}}};
}

std::string any_removal(base::Random& random) {
  const bool force = random.chance(0.5);
  const bool local_data = random.chance(0.5);
  return fmt::format(R"("force": {}, "deleteEmptyDir": {}, "timeoutSeconds": {})", force, local_data,
                     30 + random.below(300));
}

std::string any_nvidia_upgrade(base::Random& random) {
  static constexpr std::array kShares = {R"(1)", R"(2)", R"("25%")", R"("50%")", R"("100%")"};
  std::string text = fmt::format(R"("maxParallelUpgrades": {}, )", random.below(4));
  text += fmt::format(R"("maxUnavailable": {})", kShares[random.below(kShares.size())]);
  text += fmt::format(R"(, "podDeletion": {{{}}})", any_removal(random));
  if (random.chance(0.4)) text += fmt::format(R"(, "drain": {{"enable": true, {}}})", any_removal(random));
  if (random.chance(0.3)) {
    text += fmt::format(R"(, "waitForCompletion": {{"podSelector": "kind=job", "timeoutSeconds": {}}})",
                        30 + random.below(300));
  }
  return text;
}

// Scripts in the place of the agents cannot ask: with them drivers do not change by themselves.
constexpr Vendor::Pair kNvidiaFurnishings[] = {
    {"agents work", ""}, {"", "update-strategy OnDelete"}, {"", "update-strategy OnDelete"}};
constexpr std::array kNvidiaTroubles = {
    // With all that follows: a container keeps its script when the image is there again.
    "image-of *driver:<version>* image-is-here missing; say the image is here;;"
    "image-of *driver:<version>* nvidia-driver-ctr missing; wait driver; load nvidia $VERSION; load nvidia_uvm "
    "$VERSION on nvidia; load nvidia_modeset $VERSION on nvidia; ready; wait forever; "
    "when-stopped; try-unload nvidia_modeset; try-unload nvidia_uvm; try-unload nvidia"sv,
    "container nvidia-operator-validator say no; exit 1"sv};

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
      .status_trouble = nvidia_status_trouble,

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
      .own_operator = "nvidia-operator",
      .own_operator_label = {"app", "gpu-operator"},

      .versions = {"535.129.03", "550.54.15", "570.86.15"},
      .any_upgrade_policy = any_nvidia_upgrade,
      .furnishings = kNvidiaFurnishings,
      .troubles = kNvidiaTroubles,
      .mends = "",
      .any_width = R"("maxParallelUpgrades": 0)",
      .any_share = R"("maxUnavailable": "100%")",

      .exempt = kNvidiaExempt,
  };
  return kNvidia;
}

}  // namespace drover::proof
