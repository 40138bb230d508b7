// What the operator must respect when it removes a pod.
#include <fmt/format.h>

#include <algorithm>

#include "checker.h"

namespace drover::proof {

void Checker::check_removal(const kube::Object& pod) {
  const std::string node(json::text_at(pod, {"spec", "nodeName"}));
  const std::string_view role = our_role(vendor_, pod);
  if (!role.empty() && role == vendor_.preflight_role) return;
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return;  // a pod of a node that was deleted runs nowhere
  Tracked& tracked = at->second;
  if (role == vendor_.driver_role) {
    check_storm(tracked);
    return check_driver_removal(pod, tracked);
  }
  if (!role.empty()) {
    const bool is_stale = tracked.marks.claim_is_ours() && tracked.marks.claim->phase == "validate";
    if (!is_stale) blame("I12 protected pods", fmt::format("the validator of {} was removed", node));
    return;
  }
  count_removals(family_of(vendor_, pod), tracked);
  check_workload_removal(pod, tracked, was_evicted(pod));
}

// Pods that come back whatever is done are somebody's to look at, not to be removed for ever.
void Checker::count_removals(const std::string& family, Tracked& node) {
  constexpr int kMost = 10;  // each workload here has one pod on a node
  if (++node.removals[family] == kMost)
    blame("I24 bounded writes", fmt::format("{} lost {} pods of {} in one try", node.marks.name, kMost, family));
}

void Checker::check_storm(Tracked& node) {
  constexpr std::size_t kMostInAMinute = 6;
  std::deque<base::Instant>& lately = node.driver_deletes;
  lately.push_back(world_.loop.now());
  while (world_.loop.now() - lately.front() > std::chrono::minutes(1)) lately.pop_front();
  if (lately.size() > kMostInAMinute)
    blame("I24 bounded writes", fmt::format("{} lost {} driver pods in a minute", node.marks.name, lately.size()));
}

void Checker::check_driver_removal(const kube::Object& pod, const Tracked& node) {
  const NodeMarks& marks = node.marks;
  const std::string about = fmt::format("the driver pod of {}", marks.name);
  const bool is_off = no_terms([](const Terms& terms) { return terms.is_there && terms.is_on; });
  const bool swaps = marks.claim_is_ours() && marks.claim->phase == "restart";
  if (was_evicted(pod)) blame("I12 protected pods", about + " was evicted");
  if (vendor_.agent_asks_first) {
    if (is_off && !swaps) blame("I16 pause", about + " was deleted although upgrades are off");
    // One that is made again later finds what the first was deleted for.
    if (swaps && kube::uid_of(pod) == marks.claim->pod) check_swap(about, node);
    return;
  }
  const bool goes_without_controller =
      marks.next == "alone" && !no_terms([](const Terms& terms) { return terms.rolls; });
  if (goes_without_controller || is_off) return check_driver_removal_alone(about, node);
  // A driver that never ran takes nothing from any pod.
  bool runs = false;
  for (const json::Value& status : json::array_at(pod, {"status", "containerStatuses"})) {
    runs = runs || json::find(status, {"state", "running"}) != nullptr;
  }
  if (!runs && !is_ready(pod) && (!marks.claim_is_ours() || marks.is_failed())) return;
  if (swaps) return check_swap(about, node);
  if (!is_news(node.touched_at)) blame("I6 destructive guard", about + " was deleted without a claim in restart");
}

void Checker::check_swap(const std::string& about, const Tracked& node) {
  const NodeMarks& marks = node.marks;
  if (no_terms([&](const Terms& terms) { return terms.uid == marks.claim->policy; })) {
    blame("I6 destructive guard", about + " was deleted under a claim of another policy");
  }
  // A policy that cordons no node leaves the pods to the agent.
  if (!no_terms([](const Terms& terms) { return terms.is_there && !terms.cordons; })) return;
  if (!marks.is_cordoned && !is_news(node.uncordoned_at)) {
    blame("I6 destructive guard", about + " was deleted while the node was open");
  }
  for (const sim::Stored& other : world_.store().pods_on(marks.name)) {
    if (!uses_device(vendor_, *other) || is_finished(*other) || !our_role(vendor_, *other).empty()) continue;
    blame("I6 destructive guard", fmt::format("{} was deleted under {}", about, kube::key_of(*other)));
  }
}

void Checker::listen_to_machine(const std::string& node, Tracked& tracked) {
  sim::SimHost* machine = kubelets_.host(node);
  if (machine == nullptr || machine == tracked.machine || vendor_.is_exempt("I7 unload")) return;
  tracked.machine = machine;
  machine->on_module = [this, node, before = machine->on_module](const std::string& module, const std::string& version,
                                                                 bool is_loaded) {
    if (before) before(module, version, is_loaded);
    if (module == vendor_.module) heard_module(node, version, is_loaded);
  };
}

// A driver goes only from a node that is taken and empty, with our permission.
void Checker::heard_module(const std::string& node, const std::string& version, bool is_loaded) {
  note("machine", fmt::format("{}  driver {} is {}", node, version, is_loaded ? "loaded" : "unloaded"));
  const auto at = nodes_.find(node);
  const auto down = down_at_.find(node);
  const bool is_by_hand = down != down_at_.end() && down->second == world_.loop.now();
  if (is_loaded || is_by_hand || at == nodes_.end()) return;
  const NodeMarks& marks = at->second.marks;
  const bool swaps = marks.claim_is_ours() && marks.claim->phase == "restart";
  if (!swaps && !is_news(terms_.back().since))
    blame("I7 unload", fmt::format("{} loses its driver in \"{}\"", node, marks.state));
  const bool may_be_in_use = !no_terms([](const Terms& terms) { return terms.is_there && !terms.cordons; });
  if (may_be_in_use || at->second.claim_is_others) return;
  for (const sim::Stored& pod : world_.store().pods_on(node)) {
    const bool runs = json::text_at(*pod, {"status", "phase"}) == "Running" && !kube::is_being_deleted(*pod);
    if (runs && uses_device(vendor_, *pod) && our_role(vendor_, *pod).empty())
      blame("I7 unload", fmt::format("{} loses its driver under {}", node, kube::key_of(*pod)));
  }
}

bool Checker::has_ready_driver(const std::string& node) const {
  const auto pods = world_.store().pods_on(node);
  return std::any_of(pods.begin(), pods.end(), [this](const sim::Stored& pod) {
    return our_role(vendor_, *pod) == vendor_.driver_role && is_ready(*pod) && !kube::is_being_deleted(*pod);
  });
}

bool Checker::driver_is_older_than_the_terms(const std::string& node) const {
  const auto spoken = world_.loop.wall() - (world_.loop.now() - terms_.back().since.at);
  const auto pods = world_.store().pods_on(node);
  // A pod may be younger and yet made by a DaemonSet that no operator was there to change.
  const std::string& version = terms_.back().terms.version;
  return std::any_of(pods.begin(), pods.end(), [&](const sim::Stored& pod) {
    if (our_role(vendor_, *pod) != vendor_.driver_role) return false;
    const auto made = base::parse_rfc3339(json::text_at(*pod, {"metadata", "creationTimestamp"}));
    const json::Array& containers = json::array_at(*pod, {"spec", "containers"});
    const bool carries_another =
        !containers.empty() && json::text_of(containers.front()).find(version) == std::string::npos;
    return (made && *made < spoken) || carries_another;
  });
}

// Upgrades that are off are paused while a node waits for them or is in the middle of one, and I16 holds as it stands.
// When none waits, drivers change one by one without the controller, and init containers that request evictions are
// served (ruling 16, and the rulings of NVIDIA), no others.
void Checker::check_driver_removal_alone(const std::string& about, const Tracked& node) {
  if (no_terms([](const Terms& terms) { return terms.is_there && terms.rolls; })) {
    blame("I16 pause", about + " was deleted although upgrades are off");
  }
  if (node.marks.next != "alone" && !node.marks.claim_is_ours())
    blame("I16 pause", about + " was deleted, and its record does not say why");
  for (const auto& [name, other] : nodes_) {
    const NodeMarks& marks = other.marks;
    // A node that a controller could not upgrade either does not wait for it.
    const bool could_go = !marks.is_skipped && !marks.cannot_unload && !marks.is_closed;
    const bool is_pending = (marks.next == "outdated" || marks.next == "asked") && could_go;
    const bool is_held = marks.is_in_flight() && !(marks.claim_is_ours() && marks.claim->serves);
    if (marks.is_selected && (is_pending || is_held) && !is_news(other.touched_at) && !is_news(terms_.back().since))
      blame("I16 pause", fmt::format("{} was deleted, and {} waits for the upgrade that is paused", about, name));
    if (name == node.marks.name) continue;
    const bool has_none =
        marks.is_selected && marks.is_ready && !has_ready_driver(name) && !is_news(other.driver_lost_at);
    if (marks.is_in_flight() || has_none)
      blame("I2 parallelism", fmt::format("{} was deleted while the driver of {} changes", about, name));
  }
}

void Checker::check_workload_removal(const kube::Object& pod, const Tracked& node, bool evicted) {
  const NodeMarks& marks = node.marks;
  const std::string about = fmt::format("{} on {}", kube::key_of(pod), marks.name);
  const bool is_served =
      marks.claim_is_ours() && marks.claim->serves && (marks.asks_for_room() || is_news(node.wished_at));
  if (!is_served && no_terms([](const Terms& terms) { return terms.is_there && terms.is_on; })) {
    blame("I16 pause", about + " was removed although upgrades are off");
  }
  if (is_mirror(pod)) blame("I12 protected pods", about + " is a mirror pod");
  const bool clears =
      marks.claim_is_ours() && (marks.claim->phase == "evict-device-pods" || marks.claim->phase == "drain");
  if (!clears) {
    if (!is_news(node.touched_at)) blame("I6 destructive guard", about + " was removed outside the clearing of a node");
    return;
  }
  if (!marks.is_cordoned && !is_news(node.uncordoned_at)) {
    blame("I6 destructive guard", about + " was removed while the node was open");
  }
  check_removal_terms(about, pod, node, evicted);
}

// Time in which no operator heard the API server does not count, whatever a clock or a record says; of what the
// operator before did not write down a quarter of the limit may be counted once more.
bool Checker::time_is_over(const Tracked& node, std::int64_t seconds) const {
  const base::Span limit = std::chrono::seconds(seconds);
  const int restarts = starts_ - node.starts_before_phase;
  return seconds > 0 && heard() - node.heard_before_phase + restarts * limit / 4 + std::chrono::seconds(1) >= limit;
}

// A node that fails for want of time has had it.
void Checker::check_timeout(const Tracked& node, const NodeMarks& now) {
  const std::string_view phase = node.marks.claim_is_ours() ? std::string_view(node.marks.claim->phase) : "";
  const bool is_emptying = phase == "evict-device-pods" || phase == "drain";
  const bool is_old_news = node.marks.result == "failed";  // the failure before is kept, and its reason
  if (!is_emptying || is_old_news || node.claim_is_others ||
      (now.code != "DrainTimeout" && now.code != "EvictionTimeout"))
    return;
  const bool is_drained = phase == "drain" && !vendor_.empties_in_one_go;
  if (no_terms([&](const Terms& terms) {
        const RemovalTerms& removal = is_drained ? terms.drain : terms.device_pods;
        return !terms.is_there || time_is_over(node, removal.seconds > 0 ? removal.seconds : removal.gives_up_in);
      })) {
    blame("I11 eviction only", now.name + " failed with " + now.code + " before the documented time was over");
  }
}

void Checker::check_removal_terms(const std::string& about, const kube::Object& pod, const Tracked& node,
                                  bool evicted) {
  const NodeMarks& marks = node.marks;
  const bool in_drain = marks.claim->phase == "drain";
  const bool is_device_pod = uses_device(vendor_, pod);
  const bool has_owner = kube::controller_of(pod) != nullptr;
  const bool is_drained = in_drain && !(vendor_.empties_in_one_go && is_device_pod);
  const auto removal_of = [is_drained](const Terms& terms) { return is_drained ? terms.drain : terms.device_pods; };
  if (no_terms([&](const Terms& terms) {
        const RemovalTerms removal = removal_of(terms);
        return terms.is_there && (has_owner || removal.force) && (!has_local_data(pod) || removal.local_data) &&
               (!is_drained || terms.drains);
      })) {
    blame("I12 protected pods", about + " may not be removed under the policy's flags");
  }
  const bool is_protected =
      !vendor_.drain_skip_label.empty() && kube::label_of(pod, vendor_.drain_skip_label) == "true";
  if (in_drain && !is_device_pod && is_protected) {
    blame("I12 protected pods", about + " carries the label that protects it from the drain");
  }
  if (!in_drain && !is_device_pod) blame("I12 protected pods", about + " does not use the device");
  if (evicted) return;
  if (!is_device_pod) blame("I11 eviction only", about + " was deleted, not evicted, and does not use the device");
  if (no_terms([&](const Terms& terms) { return time_is_over(node, removal_of(terms).seconds); })) {
    blame("I11 eviction only", about + " was deleted before the documented time was over");
  }
}

}  // namespace drover::proof
