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
    const bool knows_phase =
        phase == "failed" || phase == "required" || phase == "done" || phase == "idle" || is_in_flight_phase(phase);
    const bool knows_cordon = cordon == "ours" || cordon == "found" || cordon == "none";
    if (!since || !knows_phase || !knows_cordon) return;
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
  if (const json::Value* last = json::find(*record, {"outcomes", marks.vendor->kind})) {
    marks.has_last = true;
    marks.result = json::text_at(*last, {"result"});
    marks.code = json::text_at(*last, {"code"});
    marks.next = json::text_at(*last, {"next"});
  }
}

// A state that no label shows.
std::string_view state_in_record(const NodeMarks& marks) {
  if (marks.claim_is_ours()) return marks.vendor->word(marks.claim->phase);
  if (!marks.next.empty()) return marks.vendor->word("required");
  return marks.vendor->word(marks.result);
}

}  // namespace

bool is_in_flight_phase(std::string_view phase) {
  return std::count(kInFlightPhases.begin(), kInFlightPhases.end(), phase) > 0;
}

bool NodeMarks::is_in_flight() const {
  if (claim_is_ours()) return is_in_flight_phase(claim->phase);
  if (record_is_good && has_last) return false;
  return vendor->is_in_flight(state) && is_cordoned;
}

bool NodeMarks::marks_say_the_cordon_is_the_machines() const {
  if (!is_cordoned || is_held) return false;
  if (claim_is_ours()) return claim->cordon_is_ours;
  if (record_is_good && has_last) return false;
  return has_cordon_note || ((vendor->is_in_flight(state) || state == vendor->failed()) && !was_found_cordoned);
}

bool NodeMarks::is_failed() const {
  if (claim_is_ours()) return claim->phase == "failed";
  return result == "failed" && next.empty();
}

namespace {

// Nothing is loaded for it; a node that waits, in a halted rollout too, may have its next driver prepared.
bool asks_only_to_prepare(std::string_view order) {
  const auto said = json::parse(order);
  return said && !json::flag_at(*said, {"mayLoad"}) && !json::text_at(*said, {"prepare"}).empty();
}

}  // namespace

NodeMarks marks_of(const Vendor& vendor, const kube::Object& node) {
  NodeMarks marks{.vendor = &vendor, .name = std::string(kube::name_of(node)), .uid = std::string(kube::uid_of(node))};
  marks.is_cordoned = json::flag_at(node, {"spec", "unschedulable"});
  marks.is_ready = is_ready(node);
  marks.is_skipped = kube::label_of(node, vendor.skip_label) == "true";
  marks.is_held = !kube::annotation_of(node, kHold).empty();
  const auto notes = [&](std::string_view key) { return !key.empty() && !kube::annotation_of(node, key).empty(); };
  marks.was_found_cordoned = notes(vendor.found_cordoned_annotation);
  marks.has_cordon_note = notes(vendor.cordon_annotation);
  marks.has_device = kube::label_of(node, vendor.present_label) == "true";
  marks.is_selected =
      marks.has_device && std::none_of(vendor.left_out.begin(), vendor.left_out.end(), [&](const Vendor::Pair& label) {
        return kube::label_of(node, label.key) == label.value;
      });
  for (const json::Value& taint : json::array_at(node, {"spec", "taints"})) {
    const std::string_view key = json::text_at(taint, {"key"});
    if (key == kTaint) marks.is_tainted = true;
    if (key != kTaint && key.find("kubernetes.io/") == std::string_view::npos) marks.is_closed = true;
  }
  for (const auto& label : kube::labels_of(node)) {
    if (std::string_view(label.key()).starts_with(vendor.gates) && label.value().is_string() &&
        label.value().get_string() == vendor.gate_closed)
      marks.has_paused_gates = true;
  }
  read_record(kube::annotation_of(node, kRecord), marks);
  const std::string_view order = kube::annotation_of(node, vendor.order);
  marks.has_order = !order.empty() && !(asks_only_to_prepare(order) && !marks.next.empty());
  marks.state = vendor.state_label.empty() ? state_in_record(marks) : kube::label_of(node, vendor.state_label);
  const auto report = json::parse(kube::annotation_of(node, vendor.report));
  if (!report) return marks;
  marks.request = json::text_at(*report, {"wants"});
  marks.agent_has_paused = json::flag_at(*report, {"pausedGates"});
  marks.cannot_unload = !json::flag_at(*report, {"canUnload"}, true);
  // It speaks of one boot only.
  if (json::text_at(*report, {"boot"}) != json::text_at(node, {"status", "nodeInfo", "bootID"})) return marks;
  marks.prepared = json::text_at(*report, {"prepared"});
  marks.loaded = json::text_at(*report, {"loaded"});
  return marks;
}

std::string wish_on(const Vendor& vendor, const kube::Object& node) {
  const auto report = json::parse(kube::annotation_of(node, vendor.report));
  return report ? std::string(json::text_at(*report, {"wants"})) : std::string();
}

bool uses_device(const Vendor& vendor, const kube::Object& pod) {
  for (const json::Value& volume : json::array_at(pod, {"spec", "volumes"})) {
    const std::string_view path = json::text_at(volume, {"hostPath", "path"});
    if (!vendor.device_paths.empty() && path.starts_with(vendor.device_paths)) return true;
  }
  for (const json::Value& container : json::array_at(pod, {"spec", "containers"})) {
    for (const auto& resource : json::members_at(container, {"resources", "limits"})) {
      if (std::string_view(resource.key()).starts_with(vendor.device_resources)) return true;
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

std::string_view our_role(const Vendor& vendor, const kube::Object& pod) {
  if (kube::namespace_of(pod) != vendor.ns) return {};
  const std::string_view role = kube::label_of(pod, vendor.role_label);
  const bool is_ours = role == vendor.driver_role || role == vendor.validator_role || role == vendor.preflight_role;
  return is_ours ? role : std::string_view();
}

std::string family_of(const Vendor& vendor, const kube::Object& pod) {
  const std::string_view role = our_role(vendor, pod);
  const std::string_view app = role.empty() ? kube::label_of(pod, "app") : role;
  return fmt::format("{}/{}", kube::namespace_of(pod), app.empty() ? kube::name_of(pod) : app);
}

}  // namespace drover::proof
