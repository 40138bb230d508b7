// What the operator must respect when it removes a pod.
#include <fmt/format.h>

#include <algorithm>

#include "checker.h"

namespace drover::proof {

void Checker::check_removal(const kube::Object& pod) {
  const std::string node(json::text_at(pod, {"spec", "nodeName"}));
  const std::string_view role = our_role(pod);
  if (role == kPreflightApp) return;
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;  // a pod of a node that was deleted runs nowhere
  const Tracked& tracked = at->second;
  if (role == kDriverApp) return check_driver_removal(pod, tracked);
  if (role == kValidatorApp) {
    const bool is_stale = tracked.marks.claim_is_ours() && tracked.marks.claim->phase == "validate";
    if (!is_stale) blame("I12 protected pods", fmt::format("the validator of {} was removed", node));
    return;
  }
  check_workload_removal(pod, tracked, was_evicted(pod));
}

void Checker::check_driver_removal(const kube::Object& pod, const Tracked& node) {
  const NodeMarks& marks = node.marks;
  const std::string about = fmt::format("the driver pod of {}", marks.name);
  if (was_evicted(pod)) blame("I12 protected pods", about + " was evicted");
  const bool goes_alone = marks.next == "alone" && !no_terms([](const Terms& terms) { return terms.rolls; });
  if (goes_alone || no_terms([](const Terms& terms) { return terms.is_there && terms.is_on; })) {
    return check_driver_removal_alone(about, node);
  }
  // A first driver that never served takes nothing from anybody.
  bool runs = false;
  for (const json::Value& status : json::array_at(pod, {"status", "containerStatuses"})) {
    runs = runs || json::find(status, {"state", "running"}) != nullptr;
  }
  if (!runs && !is_ready(pod) && !marks.claim_is_ours()) return;
  if (!marks.claim_is_ours() || marks.claim->phase != "restart") {
    if (!is_recent(node.touched_at)) blame("I6 destructive guard", about + " was deleted without a claim in restart");
    return;
  }
  if (!marks.is_cordoned && !is_recent(node.uncordoned_at)) {
    blame("I6 destructive guard", about + " was deleted while the node was open");
  }
  if (no_terms([&](const Terms& terms) { return terms.uid == marks.claim->policy; })) {
    blame("I6 destructive guard", about + " was deleted under a claim of another policy");
  }
  for (const sim::Stored& other : world_.store().pods_on(marks.name)) {
    if (!uses_gpu(*other) || is_finished(*other) || !our_role(*other).empty()) continue;
    blame("I6 destructive guard", fmt::format("{} was deleted under {}", about, kube::key_of(*other)));
  }
}

bool Checker::has_ready_driver(const std::string& node) const {
  const auto pods = world_.store().pods_on(node);
  return std::any_of(pods.begin(), pods.end(), [](const sim::Stored& pod) {
    return our_role(*pod) == kDriverApp && is_ready(*pod) && !kube::is_being_deleted(*pod);
  });
}

bool Checker::driver_is_older_than_the_terms(const std::string& node) const {
  const auto spoken = world_.loop.wall() - (world_.loop.now() - terms_.back().since);
  const auto pods = world_.store().pods_on(node);
  // A pod may be younger and yet made by a DaemonSet that nobody was there to change.
  const std::string& version = terms_.back().terms.version;
  return std::any_of(pods.begin(), pods.end(), [&](const sim::Stored& pod) {
    if (our_role(*pod) != kDriverApp) return false;
    const auto made = base::parse_rfc3339(json::text_at(*pod, {"metadata", "creationTimestamp"}));
    const json::Array& containers = json::array_at(*pod, {"spec", "containers"});
    const bool carries_another =
        !containers.empty() && json::text_at(containers.front(), {"image"}).find(version) == std::string_view::npos;
    return (made && *made < spoken) || carries_another;
  });
}

// Upgrades that are off are paused while a node waits for them or is in the middle of one, and I16 holds as it stands.
// When nobody waits there is no controller instead: drivers change one by one, and whoever asks for room is served
// (ruling 16, and the rulings of NVIDIA), nobody else.
void Checker::check_driver_removal_alone(const std::string& about, const Tracked& node) {
  if (no_terms([](const Terms& terms) { return terms.is_there && terms.rolls; })) {
    blame("I16 pause", about + " was deleted although upgrades are off");
  }
  if (node.marks.next != "alone" && !node.marks.claim_is_ours())
    blame("I16 pause", about + " was deleted, and its record does not say why");
  for (const auto& [name, other] : nodes_) {
    const NodeMarks& marks = other.marks;
    // Whom a controller could not upgrade either does not wait for it.
    const bool could_go = !marks.is_skipped && !marks.cannot_unload;
    const bool is_pending = (marks.next == "outdated" || marks.next == "asked") && could_go;
    const bool is_held = marks.is_in_flight() && !(marks.claim_is_ours() && marks.claim->serves);
    if (marks.is_selected && (is_pending || is_held) && !is_recent(other.touched_at) && !is_recent(terms_.back().since))
      blame("I16 pause", fmt::format("{} was deleted, and {} waits for the upgrade that is paused", about, name));
    if (name == node.marks.name) continue;
    const bool has_none = options_.sees_all && marks.is_selected && marks.is_ready && !has_ready_driver(name);
    if (marks.is_in_flight() || has_none)
      blame("I2 parallelism", fmt::format("{} was deleted while the driver of {} changes", about, name));
  }
}

void Checker::check_workload_removal(const kube::Object& pod, const Tracked& node, bool evicted) {
  const NodeMarks& marks = node.marks;
  const std::string about = fmt::format("{} on {}", kube::key_of(pod), marks.name);
  const bool is_served =
      marks.claim_is_ours() && marks.claim->serves && (marks.asks_for_room() || is_recent(node.wished_at));
  if (!is_served && no_terms([](const Terms& terms) { return terms.is_there && terms.is_on; })) {
    blame("I16 pause", about + " was removed although upgrades are off");
  }
  if (is_mirror(pod)) blame("I12 protected pods", about + " is a mirror pod");
  const bool clears =
      marks.claim_is_ours() && (marks.claim->phase == "evict-device-pods" || marks.claim->phase == "drain");
  if (!clears) {
    if (!is_recent(node.touched_at))
      blame("I6 destructive guard", about + " was removed outside the clearing of a node");
    return;
  }
  if (!marks.is_cordoned && !is_recent(node.uncordoned_at)) {
    blame("I6 destructive guard", about + " was removed while the node was open");
  }
  const bool in_drain = marks.claim->phase == "drain";
  const bool has_owner = kube::controller_of(pod) != nullptr;
  if (no_terms([&](const Terms& terms) {
        const RemovalTerms& removal = in_drain ? terms.drain : terms.device_pods;
        return terms.is_there && (has_owner || removal.force) && (!has_local_data(pod) || removal.local_data);
      })) {
    blame("I12 protected pods", about + " may not be removed under the policy's flags");
  }
  if (in_drain && !uses_gpu(pod) && kube::label_of(pod, "nvidia.com/gpu-driver-upgrade-drain.skip") == "true") {
    blame("I12 protected pods", about + " carries the label that protects it from the drain");
  }
  if (!in_drain && !uses_gpu(pod)) blame("I12 protected pods", about + " does not use the device");
  if (evicted) return;
  if (!uses_gpu(pod)) blame("I11 eviction only", about + " was deleted, not evicted, and does not use the device");
  const auto since = base::Span(world_.loop.wall() - marks.claim->since);
  if (no_terms([&](const Terms& terms) {
        const std::int64_t seconds = in_drain ? terms.drain.seconds : terms.device_pods.seconds;
        // The record's instant is cut to whole seconds.
        return seconds > 0 && since + std::chrono::seconds(1) >= std::chrono::seconds(seconds);
      })) {
    blame("I11 eviction only", about + " was deleted before the documented time was over");
  }
}

}  // namespace drover::proof
