#include "sim/controllers/scheduler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/selector.h"
#include "kube/placement.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kSchedulerSource = "default-scheduler";
// The keys under which the pods that any node might take are tried again, all of them or those that wait for room; no
// pod has a key without a slash.
const std::string kRetryAll = "retry all";
const std::string kRetryForRoom = "retry for room";
constexpr base::Span kRetryAfter = std::chrono::seconds(1);

bool is_mine(const kube::Object& pod) {
  const std::string_view scheduler = json::text_at(pod, {"spec", "schedulerName"});
  return (scheduler.empty() || scheduler == kSchedulerSource) &&
         json::array_at(pod, {"spec", "schedulingGates"}).empty();
}

const json::Array& anti_affinity(const kube::Object& pod) {
  return json::array_at(pod, {"spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
}

// Does a required anti-affinity term of `guard` keep `other` off the guard's node?
bool term_repels(const json::Value& term, const kube::Object& guard, const kube::Object& other) {
  if (json::text_at(term, {"topologyKey"}) != "kubernetes.io/hostname") return false;
  const json::Array& namespaces = json::array_at(term, {"namespaces"});
  const std::string_view other_ns = kube::namespace_of(other);
  const bool everywhere =
      json::find(term, {"namespaceSelector"}) && json::members_at(term, {"namespaceSelector"}).empty();
  const bool in_reach =
      everywhere || (namespaces.empty() ? other_ns == kube::namespace_of(guard)
                                        : std::ranges::find(namespaces, json::Value(other_ns)) != namespaces.end());
  if (!in_reach) return false;
  const json::Value* selector = json::find(term, {"labelSelector"});
  if (!selector || selector->is_null()) return false;
  auto parsed = base::Selector::from_json(*selector);
  return parsed && parsed->matches(kube::labels_of(other));
}

bool repels(const kube::Object& guard, const kube::Object& other) {
  return std::ranges::any_of(anti_affinity(guard),
                             [&](const json::Value& term) { return term_repels(term, guard, other); });
}

// Only these fields: a node's status is twenty times as large and changes every few minutes.
Stored what_pods_mind(const kube::Object& node) {
  static const kube::Projection kMinded{"metadata.labels", "spec.taints", "spec.unschedulable"};
  return Draft(kMinded.applied_to(node)).seal();
}

bool node_changed_for_pods(const kube::Object& before, const kube::Object& after) {
  return !same(kube::labels_of(before), kube::labels_of(after)) ||
         !same(kube::taints_of(before), kube::taints_of(after)) ||
         json::flag_at(before, {"spec", "unschedulable"}) != json::flag_at(after, {"spec", "unschedulable"}) ||
         !same(json::members_at(before, {"status", "allocatable"}), json::members_at(after, {"status", "allocatable"}));
}

}  // namespace

Scheduler::Scheduler(ControlPlane plane) : Controller(plane, "kube-scheduler") {}

// -- hearing ----------------------------------------------------------------------------------------------------------

void Scheduler::heard(const Commit& commit) { commit.resource == "nodes" ? heard_node(commit) : heard_pod(commit); }

void Scheduler::heard_node(const Commit& commit) {
  const std::string name(kube::name_of(*commit.after));
  Room& room = rooms_[name];
  nodes_ -= room.node != nullptr;
  if (commit.kind == Commit::Kind::Removed) {
    room.node = nullptr;
    rank(name, room);
    if (room.pods.empty()) rooms_.erase(name);
    return;
  }
  ++nodes_;
  if (room.node && commit.before && !node_changed_for_pods(*commit.before, *commit.after)) return;
  room.node = what_pods_mind(*commit.after);
  room.allocatable = kube::amounts_in(json::members_at(*commit.after, {"status", "allocatable"}));
  rank(name, room);
  retry_for(name, false);
}

void Scheduler::heard_pod(const Commit& commit) {
  const kube::Object& pod = *commit.after;
  const std::string key = kube::key_of(pod);
  const std::string_view node = node_of(pod);
  if (commit.kind == Commit::Kind::Removed || pod_is_terminal(pod)) {
    lift(key);
    stop_waiting(key);
  } else if (!node.empty()) {
    stop_waiting(key);
    if (!placed_.contains(key)) place(key, pod);
  } else if (is_mine(pod) && !kube::is_being_deleted(pod)) {
    // A change of its status (our own condition) does not cause another attempt; a change of its spec does.
    if (!commit.before || !waiting_.contains(key) ||
        !same(json::members_at(*commit.before, {"spec"}), json::members_at(pod, {"spec"}))) {
      wait(key, pod);
    }
  } else {
    stop_waiting(key);
  }
}

void Scheduler::place(const std::string& key, const kube::Object& pod) {
  Placed placed{std::string(node_of(pod)), kube::requests_of(pod)};
  Room& room = rooms_[placed.node];
  kube::add(room.used, placed.requests);
  room.pods.insert(key);
  if (!anti_affinity(pod).empty()) room.guards.insert(key);
  rank(placed.node, room);
  placed_.insert_or_assign(key, std::move(placed));
}

void Scheduler::lift(const std::string& key) {
  auto found = placed_.find(key);
  if (found == placed_.end()) return;
  const std::string node = found->second.node;
  Room& room = rooms_[node];
  kube::add(room.used, found->second.requests, -1);
  room.pods.erase(key);
  room.guards.erase(key);
  rank(node, room);
  placed_.erase(found);
  if (!room.node && room.pods.empty()) rooms_.erase(node);
  retry_for(node, true);
}

void Scheduler::rank(const std::string& name, Room& room) {
  const std::optional<std::int64_t> load = room.node ? std::optional(load_of(room)) : std::nullopt;
  if (load == room.load) return;
  if (room.load) by_load_.erase({*room.load, name});
  if (load) by_load_.emplace(*load, name);
  room.load = load;
}

void Scheduler::wait(const std::string& key, const kube::Object& pod) {
  stop_waiting(key);
  Waiting waiting{{}, turns_++};
  const json::Value* spec = json::find(pod, {"spec"});
  auto named = spec ? kube::nodes_named_by(*spec) : std::nullopt;
  if (named && named->size() == 1) {
    waiting.pinned = named->front();
    pinned_to_[waiting.pinned].insert(key);
  } else {
    roaming_.emplace(waiting.turn, key);
  }
  waiting_.insert_or_assign(key, std::move(waiting));
  enqueue(key);
}

void Scheduler::stop_waiting(const std::string& key) {
  auto found = waiting_.find(key);
  if (found == waiting_.end()) return;
  if (found->second.pinned.empty()) {
    roaming_.erase(found->second.turn);
  } else if (auto pinned = pinned_to_.find(found->second.pinned); pinned != pinned_to_.end()) {
    pinned->second.erase(key);
    if (pinned->second.empty()) pinned_to_.erase(pinned);
  }
  waiting_.erase(found);
  forget(key);
}

void Scheduler::retry_for(const std::string& node, bool only_more_room) {
  if (auto pinned = pinned_to_.find(node); pinned != pinned_to_.end()) {
    for (const std::string& key : pinned->second) enqueue(key);
  }
  if (!roaming_.empty()) enqueue_after(only_more_room ? kRetryForRoom : kRetryAll, kRetryAfter);
}

// -- choosing ---------------------------------------------------------------------------------------------------------

Done Scheduler::sync(const std::string& key) {
  if (key != kRetryAll && key != kRetryForRoom) return schedule(key);
  // What does not fit now is told and waits for the next change: it does not hold up those behind it.
  for (const auto& [turn, pod] : roaming_) {
    if (key == kRetryAll || waiting_.at(pod).hopes_for_room) enqueue_after(pod, base::Span::zero());
  }
  return {};
}

Done Scheduler::schedule(const std::string& key) {
  const Stored pod = store().find("pods", key);
  if (!pod || !waiting_.contains(key)) return {};
  std::string why_not;
  if (auto node = choose(*pod, why_not)) return bind(*pod, *node);
  return tell_unschedulable(*pod, why_not);
}

std::optional<std::string> Scheduler::choose(const kube::Object& pod, std::string& why_not) {
  const Amounts requests = kube::requests_of(pod);
  std::map<std::string, std::size_t> reasons;
  std::size_t resolvable = 0;
  const auto will_do = [&](const Room& room) {
    ++looks_;
    auto reason = objection(pod, requests, room);
    if (!reason) return true;
    ++reasons[reason->text];
    resolvable += reason->resolvable;
    return false;
  };

  Waiting& waiting = waiting_.at(kube::key_of(pod));
  const std::string& pinned = waiting.pinned;
  if (pinned.empty()) {
    for (const auto& [load, name] : by_load_) {
      if (will_do(rooms_.at(name))) return name;
    }
  } else {
    auto room = rooms_.find(pinned);
    const bool exists = room != rooms_.end() && room->second.node;
    if (exists && will_do(room->second)) return pinned;
    if (nodes_ > exists) reasons["node(s) didn't satisfy plugin(s) [NodeAffinity]"] += nodes_ - exists;
  }
  waiting.hopes_for_room = resolvable > 0;

  if (nodes_ == 0) {
    why_not = "no nodes available to schedule pods";
    return std::nullopt;
  }
  const auto histogram = [](const std::map<std::string, std::size_t>& counts) {
    std::vector<std::string> parts;
    for (const auto& [text, count] : counts) parts.push_back(fmt::format("{} {}", count, text));
    std::ranges::sort(parts);
    return fmt::format("{}", fmt::join(parts, ", "));
  };
  std::map<std::string, std::size_t> preemption;
  if (resolvable > 0) preemption["No preemption victims found for incoming pod"] = resolvable;
  if (nodes_ > resolvable) preemption["Preemption is not helpful for scheduling"] = nodes_ - resolvable;
  why_not = fmt::format(
      "0/{0} nodes are available: {1}. no new claims to deallocate, preemption: 0/{0} nodes are available: {2}.",
      nodes_, histogram(reasons), histogram(preemption));
  return std::nullopt;
}

std::optional<Scheduler::Reason> Scheduler::objection(const kube::Object& pod, const Amounts& requests,
                                                      const Room& room) {
  const kube::Object& node = *room.node;
  static const json::Value kNothing;
  const json::Value* its_spec = json::find(pod, {"spec"});
  const json::Value& spec = its_spec != nullptr ? *its_spec : kNothing;
  const json::Array& tolerations = kube::tolerations_of(spec);
  if (json::flag_at(node, {"spec", "unschedulable"})) {
    const json::Array cordon{json::Value{{"key", kube::kTaintUnschedulable}, {"effect", "NoSchedule"}}};
    if (kube::untolerated_taint(cordon, tolerations, {"NoSchedule"})) return Reason{"node(s) were unschedulable"};
  }
  if (kube::untolerated_taint(kube::taints_of(node), tolerations, {"NoSchedule", "NoExecute"})) {
    return Reason{"node(s) had untolerated taint(s)"};
  }
  if (!kube::selects_node(spec, node)) return Reason{"node(s) didn't match Pod's node affinity/selector"};
  if (auto limit = room.allocatable.find("pods");
      limit != room.allocatable.end() && static_cast<std::int64_t>(room.pods.size() + 1) * 1000 > limit->second) {
    return Reason{"Too many pods", true};
  }
  for (const auto& [resource, amount] : requests) {
    if (amount == 0) continue;
    const auto has = room.allocatable.find(resource);
    const auto uses = room.used.find(resource);
    const std::int64_t all = has == room.allocatable.end() ? 0 : has->second;
    const std::int64_t taken = uses == room.used.end() ? 0 : uses->second;
    if (amount > kube::sum_of(all, -taken)) return Reason{fmt::format("Insufficient {}", resource), amount <= all};
  }
  if (fenced_off(pod, room)) return Reason{"node(s) didn't match pod anti-affinity rules", true};
  return std::nullopt;
}

bool Scheduler::fenced_off(const kube::Object& pod, const Room& room) const {
  const auto stands_against = [&](const std::string& key, bool pod_is_guard) {
    const Stored other = store().find("pods", key);
    return other && (pod_is_guard ? repels(pod, *other) : repels(*other, pod));
  };
  if (!anti_affinity(pod).empty() &&
      std::ranges::any_of(room.pods, [&](const std::string& key) { return stands_against(key, true); })) {
    return true;
  }
  return std::ranges::any_of(room.guards, [&](const std::string& key) { return stands_against(key, false); });
}

// Parts per thousand of cpu, memory and pod slots, added up.
std::int64_t Scheduler::load_of(const Room& room) {
  const auto share = [&](const std::string& resource, std::int64_t used) -> std::int64_t {
    auto all = room.allocatable.find(resource);
    return all == room.allocatable.end() || all->second <= 0 ? 0 : used / std::max<std::int64_t>(1, all->second / 1000);
  };
  const auto used = [&](const std::string& resource) {
    auto found = room.used.find(resource);
    return found == room.used.end() ? 0 : found->second;
  };
  return kube::sum_of(kube::sum_of(share("cpu", used("cpu")), share("memory", used("memory"))),
                      share("pods", static_cast<std::int64_t>(room.pods.size()) * 1000));
}

// -- telling ----------------------------------------------------------------------------------------------------------

Done Scheduler::bind(const kube::Object& pod, const std::string& node) {
  const std::string ns(kube::namespace_of(pod));
  const std::string name(kube::name_of(pod));
  kube::Object binding = {{"apiVersion", "v1"},
                          {"kind", "Binding"},
                          {"metadata", {{"name", name}, {"namespace", ns}, {"uid", kube::uid_of(pod)}}},
                          {"target", {{"kind", "Node"}, {"name", node}}}};
  kube::Request request = kube::create(kube::kPods, ns, std::move(binding));
  request.name = name;
  request.subresource = "binding";
  ASK_VOID(ask_unless_gone(std::move(request)));
  events().normal(About::object(kube::kPods, pod), kSchedulerSource, "Scheduled",
                  fmt::format("Successfully assigned {}/{} to {}", ns, name, node));
  return {};
}

Done Scheduler::tell_unschedulable(const kube::Object& pod, const std::string& why) {
  events().warning(About::object(kube::kPods, pod), kSchedulerSource, "FailedScheduling", why);
  kube::Object changed = copy_to_change(pod);
  if (!set_condition(changed, {"PodScheduled", "False", "Unschedulable", why}, now_text())) return {};
  for (json::Value& condition : json::find(changed, {"status", "conditions"})->as_array()) {
    if (json::text_at(condition, {"type"}) != "PodScheduled") continue;
    condition.as_object()["observedGeneration"] = json::int_at(pod, {"metadata", "generation"}, 1);
  }
  json::Value body = {{"status", {{"conditions", json::array_at(changed, {"status", "conditions"})}}}};
  return ask_unless_gone(kube::patch(kube::kPods, std::string(kube::namespace_of(pod)), std::string(kube::name_of(pod)),
                                     kube::PatchKind::Merge, std::move(body), "status"));
}

}  // namespace drover::sim
