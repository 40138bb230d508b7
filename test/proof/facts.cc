#include "facts.h"

#include <fmt/format.h>

#include <algorithm>

namespace drover::proof {
namespace {

const std::vector<std::string> kInFlightPhases = {"cordon",  "wait-for-jobs", "evict-device-pods", "drain",
                                                  "restart", "validate",      "uncordon"};

const json::Value* condition(const kube::Object& object, std::string_view type) {
  for (const json::Value& one : json::array_at(object, {"status", "conditions"})) {
    if (json::text_at(one, {"type"}) == type) return &one;
  }
  return nullptr;
}

void read_record(std::string_view text, NodeMarks& marks) {
  marks.record_is_there = !text.empty();
  if (text.empty()) return;
  const auto record = json::parse(text);
  if (!record || !record->is_object()) return;
  if (const json::Value* claim = json::find(*record, {"claim"})) {
    const auto since = base::parse_rfc3339(json::text_at(*claim, {"since"}));
    const std::string_view cordon = json::text_at(*claim, {"cordon"});
    const std::string phase(json::text_at(*claim, {"phase"}));
    const bool knows_phase = phase == "failed" || phase == "required" || phase == "done" || phase == "idle" ||
                             std::count(kInFlightPhases.begin(), kInFlightPhases.end(), phase) > 0;
    if (!since || !knows_phase || (cordon != "ours" && cordon != "found")) return;
    if (json::text_at(*claim, {"node"}) == marks.uid) {
      marks.claim = ClaimFacts{.id = std::string(json::text_at(*claim, {"id"})),
                               .kind = std::string(json::text_at(*claim, {"kind"})),
                               .node = std::string(json::text_at(*claim, {"node"})),
                               .policy = std::string(json::text_at(*claim, {"policy"})),
                               .phase = phase,
                               .target = std::string(json::text_at(*claim, {"target"})),
                               .pod = std::string(json::text_at(*claim, {"pod"})),
                               .cordon_is_ours = cordon == "ours",
                               .autoscaler_told = json::flag_at(*claim, {"autoscalerTold"}),
                               .since = *since,
                               .serves = !json::text_at(*claim, {"serves"}).empty()};
    }
  }
  marks.record_is_good = true;
  if (const json::Value* last = json::find(*record, {"outcomes", kKind})) {
    marks.has_last = true;
    marks.result = json::text_at(*last, {"result"});
    marks.next = json::text_at(*last, {"next"});
  }
}

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
  terms.at_once = terms.rolls ? 1 : 0;
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

}  // namespace

const std::vector<std::string>& all_states() {
  static const std::vector<std::string> kAll = {"upgrade-required",      "cordon-required",   "wait-for-jobs-required",
                                                "pod-deletion-required", "drain-required",    "pod-restart-required",
                                                "validation-required",   "uncordon-required", "upgrade-done",
                                                "upgrade-failed"};
  return kAll;
}

bool is_in_flight_state(std::string_view state) {
  const auto& all = all_states();
  return std::find(all.begin() + 1, all.begin() + 8, state) != all.begin() + 8;
}

bool NodeMarks::is_in_flight() const {
  if (claim_is_ours()) return std::count(kInFlightPhases.begin(), kInFlightPhases.end(), claim->phase) > 0;
  if (record_is_good && has_last) return false;
  return is_in_flight_state(state) && is_cordoned;
}

bool NodeMarks::marks_say_the_cordon_is_the_machines() const {
  if (!is_cordoned || is_held) return false;
  if (claim_is_ours()) return claim->cordon_is_ours;
  if (record_is_good && has_last) return false;
  return (is_in_flight_state(state) || state == "upgrade-failed") && !was_found_cordoned;
}

bool NodeMarks::is_failed() const {
  if (claim_is_ours()) return claim->phase == "failed";
  return result == "failed" && next.empty();
}

NodeMarks marks_of(const kube::Object& node) {
  NodeMarks marks;
  marks.name = kube::name_of(node);
  marks.uid = kube::uid_of(node);
  marks.state = kube::label_of(node, kState);
  marks.is_cordoned = json::flag_at(node, {"spec", "unschedulable"});
  marks.is_ready = is_ready(node);
  marks.is_skipped = kube::label_of(node, kSkip) == "true";
  marks.is_held = !kube::annotation_of(node, kHold).empty();
  marks.was_found_cordoned = !kube::annotation_of(node, kFoundCordoned).empty();
  marks.is_selected = kube::label_of(node, "feature.node.kubernetes.io/pci-10de.present") == "true" &&
                      kube::label_of(node, "nvidia.com/gpu.deploy.driver") != "false" &&
                      kube::label_of(node, "nvidia.com/gpu.deploy.driver") != "pre-installed";
  for (const json::Value& taint : json::array_at(node, {"spec", "taints"})) {
    if (json::text_at(taint, {"key"}) == kTaint) marks.is_tainted = true;
  }
  for (const auto& label : kube::labels_of(node)) {
    if (label.value().is_string() && label.value().get_string() == kPaused) marks.has_paused_gates = true;
  }
  read_record(kube::annotation_of(node, kRecord), marks);
  marks.wish = wish_on(node);
  const auto report = json::parse(kube::annotation_of(node, kReport));
  marks.agent_has_paused = report && json::flag_at(*report, {"pausedGates"});
  const json::Value* can = report ? json::find(*report, {"canUnload"}) : nullptr;
  marks.cannot_unload = can != nullptr && can->is_bool() && !can->get_bool();
  return marks;
}

std::string wish_on(const kube::Object& node) {
  const auto report = json::parse(kube::annotation_of(node, kReport));
  return report ? std::string(json::text_at(*report, {"wants"})) : std::string();
}

std::int64_t Terms::may_be_away(std::int64_t nodes) const {
  return std::min(nodes, away_is_percent ? (away * nodes + 99) / 100 : away);
}

Terms terms_of(const kube::Object& policy) {
  Terms terms;
  terms.is_there = true;
  terms.uid = kube::uid_of(policy);
  terms.version = json::text_at(policy, {"spec", "driver", "version"});
  const json::Value* upgrade = json::find(policy, {"spec", "driver", "upgradePolicy"});
  static const json::Value kNone = json::Members();
  if (upgrade == nullptr) upgrade = &kNone;
  terms.is_on = json::flag_at(*upgrade, {"autoUpgrade"}, true);
  terms.at_once = json::int_at(*upgrade, {"maxParallelUpgrades"}, 1);
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

bool uses_gpu(const kube::Object& pod) {
  for (const json::Value& container : json::array_at(pod, {"spec", "containers"})) {
    for (const auto& resource : json::members_at(container, {"resources", "limits"})) {
      if (resource.key().starts_with("nvidia.com/")) return true;
    }
  }
  return false;
}

bool is_finished(const kube::Object& pod) {
  const std::string_view phase = json::text_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool is_ready(const kube::Object& object) {
  const json::Value* ready = condition(object, "Ready");
  return ready != nullptr && json::text_at(*ready, {"status"}) == "True";
}

bool was_evicted(const kube::Object& pod) {
  const json::Value* target = condition(pod, "DisruptionTarget");
  return target != nullptr && json::text_at(*target, {"reason"}) == "EvictionByEvictionAPI";
}

bool has_local_data(const kube::Object& pod) {
  const json::Array& volumes = json::array_at(pod, {"spec", "volumes"});
  return std::any_of(volumes.begin(), volumes.end(),
                     [](const json::Value& volume) { return json::find(volume, {"emptyDir"}) != nullptr; });
}

bool is_mirror(const kube::Object& pod) { return !kube::annotation_of(pod, "kubernetes.io/config.mirror").empty(); }

std::string_view our_role(const kube::Object& pod) {
  if (kube::namespace_of(pod) != kOurNamespace) return {};
  const std::string_view app = kube::label_of(pod, "app");
  return app == kDriverApp || app == kValidatorApp || app == kPreflightApp ? app : std::string_view();
}

std::string family_of(const kube::Object& pod) {
  const std::string_view app = kube::label_of(pod, "app");
  return fmt::format("{}/{}", kube::namespace_of(pod), app.empty() ? kube::name_of(pod) : app);
}

}  // namespace drover::proof
