// What the DaemonSet controller hears, and the order of one look at a DaemonSet. Acting is in daemonset_rollout.cc.
#include "sim/controllers/daemonset.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/placement.h"
#include "sim/controllers/objects.h"
#include "sim/controllers/revisions.h"
#include "sim/same.h"
#include "sim/server/bugs.h"

namespace drover::sim {

namespace {

constexpr std::string_view kHashLabel = "controller-revision-hash";
constexpr std::string_view kGenerationLabel = "pod-template-generation";
constexpr std::string_view kGenerationAnnotation = "deprecated.daemonset.template.generation";

bool node_changed_for_daemons(const kube::Object& before, const kube::Object& after) {
  return !same(kube::labels_of(before), kube::labels_of(after)) ||
         !same(kube::taints_of(before), kube::taints_of(after));
}

void add_toleration(json::Array& tolerations, std::string_view key, std::string_view effect) {
  const bool known = std::ranges::any_of(tolerations, [&](const json::Value& toleration) {
    return json::text_at(toleration, {"key"}) == key && json::text_at(toleration, {"operator"}) == "Exists" &&
           json::text_at(toleration, {"effect"}) == effect && !json::find(toleration, {"tolerationSeconds"});
  });
  if (!known) tolerations.push_back({{"key", key}, {"operator", "Exists"}, {"effect", effect}});
}

// Daemons outlive a node's troubles: nothing that befalls the node by itself drives them away.
json::Value with_daemon_tolerations(const json::Value& pod_spec) {
  json::Members spec = pod_spec.is_object() ? pod_spec.get_object() : json::Members();
  json::Array tolerations = json::array_at(pod_spec, {"tolerations"});
  add_toleration(tolerations, kube::kTaintNotReady, "NoExecute");
  add_toleration(tolerations, kube::kTaintUnreachable, "NoExecute");
  add_toleration(tolerations, kube::kTaintDiskPressure, "NoSchedule");
  add_toleration(tolerations, kube::kTaintMemoryPressure, "NoSchedule");
  add_toleration(tolerations, kube::kTaintPidPressure, "NoSchedule");
  add_toleration(tolerations, kube::kTaintUnschedulable, "NoSchedule");
  if (json::flag_at(pod_spec, {"hostNetwork"}))
    add_toleration(tolerations, kube::kTaintNetworkUnavailable, "NoSchedule");
  spec["tolerations"] = std::move(tolerations);
  return spec;
}

}  // namespace

DaemonSetController::DaemonSetController(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}
DaemonSetController::~DaemonSetController() = default;

std::vector<std::string> DaemonSetController::interests() const {
  return {"daemonsets.apps", "controllerrevisions.apps", "nodes", "pods"};
}

// -- hearing ----------------------------------------------------------------------------------------------------------

void DaemonSetController::heard(const Commit& commit) {
  if (commit.resource == "pods") {
    heard_pod(commit);
  } else if (commit.resource == "nodes") {
    heard_node(commit);
  } else if (commit.resource == "daemonsets.apps") {
    heard_daemonset(commit);
  } else {
    heard_revision(commit);
  }
}

void DaemonSetController::heard_node(const Commit& commit) {
  if (commit.kind == Commit::Kind::Changed && !node_changed_for_daemons(*commit.before, *commit.after)) return;
  const std::string node(kube::name_of(*commit.after));
  for (auto& [key, fleet] : fleets_) {
    if (fleet.unread) continue;
    fleet.unfit.insert(node);
    enqueue(key);
  }
}

void DaemonSetController::heard_daemonset(const Commit& commit) {
  const std::string key = kube::key_of(*commit.after);
  if (commit.kind == Commit::Kind::Removed) {
    fleets_.erase(key);
    forget(key);
    return;
  }
  Fleet& fleet = fleets_[key];
  const std::string_view uid = kube::uid_of(*commit.after);
  if (fleet.uid != uid) {
    fleet = Fleet{};
    fleet.uid = uid;
  }
  enqueue(key);
}

void DaemonSetController::heard_revision(const Commit& commit) {
  std::string key;
  Fleet* fleet = fleet_of(*commit.after, key);
  if (!fleet) return;
  fleet->history_stale = true;
  enqueue(key);
}

DaemonSetController::Fleet* DaemonSetController::fleet_of(const kube::Object& owned, std::string& key) {
  const std::string_view name = controller_name(owned, "DaemonSet");
  if (name.empty()) return nullptr;
  key = key_in(kube::namespace_of(owned), name);
  auto found = fleets_.find(key);
  return found != fleets_.end() && found->second.uid == controller_uid(owned) ? &found->second : nullptr;
}

void DaemonSetController::heard_pod(const Commit& commit) {
  const kube::Object& pod = *commit.after;
  std::string key;
  if (commit.before && controller_uid(*commit.before) != controller_uid(pod)) {
    if (Fleet* former = fleet_of(*commit.before, key); former && !former->unread) {
      drop_pod(*former, std::string(kube::name_of(pod)));
      enqueue(key);
    }
  }
  Fleet* fleet = fleet_of(pod, key);
  if (!fleet) {
    if (commit.kind != Commit::Kind::Removed && controller_uid(pod).empty()) offer_orphan(pod);
    return;
  }
  if (fleet->unread) return;
  if (commit.kind == Commit::Kind::Removed) {
    drop_pod(*fleet, std::string(kube::name_of(pod)));
  } else {
    put_pod(*fleet, pod);
  }
  enqueue(key);
}

void DaemonSetController::offer_orphan(const kube::Object& pod) {
  if (!pod_is_active(pod)) return;
  const std::string prefix = std::string(kube::namespace_of(pod)) + "/";
  for (auto at = fleets_.lower_bound(prefix); at != fleets_.end() && at->first.starts_with(prefix); ++at) {
    Fleet& fleet = at->second;
    if (fleet.unread || fleet.selector.selects_everything() || !fleet.selector.matches(kube::labels_of(pod))) continue;
    fleet.orphans.emplace(kube::name_of(pod));
    enqueue(at->first);
    return;
  }
}

void DaemonSetController::put_pod(Fleet& fleet, const kube::Object& pod) {
  std::string name(kube::name_of(pod));
  const std::string node = kube::target_node(pod);
  auto known = fleet.node_of_pod.find(name);
  if (known != fleet.node_of_pod.end() && known->second != node) drop_pod(fleet, name);
  if (!fleet.selector.matches(kube::labels_of(pod)) && pod_is_active(pod)) fleet.strays.insert(name);
  const bool deleting = kube::is_being_deleted(pod);
  if (node.empty() || (deleting && pod_is_terminal(pod))) {
    drop_pod(fleet, name);
    return;
  }

  Seat& seat = fleet.seats[node];
  auto slot = std::ranges::find(seat.pods, name, &DaemonPod::name);
  if (slot == seat.pods.end()) {
    fleet.node_of_pod[name] = node;
    slot = seat.pods.insert(seat.pods.end(), DaemonPod{});
  } else {
    --fleet.pods_of_hash[slot->hash];
  }
  ++fleet.pods_of_hash[std::string(kube::label_of(pod, kHashLabel))];
  const std::string_view phase = phase_of(pod);
  *slot = DaemonPod{
      .name = std::move(name),
      .uid = std::string(kube::uid_of(pod)),
      .created = std::string(json::text_at(pod, {"metadata", "creationTimestamp"})),
      .hash = std::string(kube::label_of(pod, kHashLabel)),
      .generation = std::string(kube::label_of(pod, kGenerationLabel)),
      .phase = phase == "Failed"      ? "Failed"
               : phase == "Succeeded" ? "Succeeded"
                                      : "",
      .bound = !node_of(pod).empty(),
      .deleting = deleting,
      .ready_since = ready_since(pod),
  };
  // The one that counts: bound before waiting, older before younger.
  std::ranges::sort(seat.pods, [](const DaemonPod& a, const DaemonPod& b) {
    return std::tuple(!a.bound, std::string_view(a.created), std::string_view(a.name)) <
           std::tuple(!b.bound, std::string_view(b.created), std::string_view(b.name));
  });
  touch(fleet, node);
}

void DaemonSetController::touch(Fleet& fleet, const std::string& node) {
  fleet.dirty.insert(node);
  fleet.uncounted.insert(node);
}

void DaemonSetController::drop_pod(Fleet& fleet, const std::string& name) {
  auto known = fleet.node_of_pod.find(name);
  if (known == fleet.node_of_pod.end()) return;
  std::erase_if(fleet.seats[known->second].pods, [&](const DaemonPod& pod) {
    if (pod.name != name) return false;
    --fleet.pods_of_hash[pod.hash];
    return true;
  });
  touch(fleet, known->second);
  fleet.node_of_pod.erase(known);
}

// -- one look ---------------------------------------------------------------------------------------------------------

Done DaemonSetController::sync(const std::string& key) {
  const Stored ds = store().find("daemonsets.apps", key);
  auto found = fleets_.find(key);
  if (!ds || found == fleets_.end() || kube::is_being_deleted(*ds)) return {};
  Fleet& fleet = found->second;

  auto selector = base::Selector::from_json(json::Value(json::members_at(*ds, {"spec", "selector"})));
  if (!selector) return {};
  if (selector->selects_everything()) {
    events().warning(About::object(kube::kDaemonSets, *ds), "daemonset-controller", "SelectingAll",
                     "This daemon set is selecting all pods. A non-empty selector is required.");
    return {};
  }
  fleet.selector = std::move(*selector);

  if (fleet.unread) read_everything(fleet, *ds);
  ASK_VOID(claim_pods(fleet, *ds));
  if (fleet.history_stale || fleet.generation != json::int_at(*ds, {"metadata", "generation"})) {
    ASK_VOID(learn_template(fleet, *ds));
  }
  while (!fleet.look_again.empty() && fleet.look_again.begin()->first <= loop().now()) {
    touch(fleet, fleet.look_again.begin()->second);
    fleet.look_again.erase(fleet.look_again.begin());
  }
  for (const std::string& node : std::exchange(fleet.unfit, {})) judge_fitness(fleet, node);

  Done acted = manage(fleet, *ds);
  if (acted) acted = roll(fleet, *ds);
  if (acted) acted = trim_history(fleet, *ds);
  // Read again: what we did above may have changed the object (a collision count).
  const Stored latest = store().find("daemonsets.apps", key);
  Done told = latest ? write_status(fleet, *latest) : Done{};
  if (!fleet.look_again.empty()) enqueue_after(key, fleet.look_again.begin()->first - loop().now());
  return acted ? told : acted;
}

void DaemonSetController::read_everything(Fleet& fleet, const kube::Object& ds) {
  fleet.unread = false;
  store().each("nodes", "", [&](const Stored& node) { fleet.unfit.emplace(kube::name_of(*node)); });
  store().each("pods", kube::namespace_of(ds), [&](const Stored& pod) {
    if (controller_uid(*pod) == fleet.uid) {
      put_pod(fleet, *pod);
    } else if (controller_uid(*pod).empty() && pod_is_active(*pod) && fleet.selector.matches(kube::labels_of(*pod))) {
      fleet.orphans.emplace(kube::name_of(*pod));
    }
  });
}

Done DaemonSetController::claim_pods(Fleet& fleet, const kube::Object& ds) {
  const std::string ns(kube::namespace_of(ds));
  for (const std::string& name : std::exchange(fleet.orphans, {})) {
    const Stored pod = store().find("pods", key_in(ns, name));
    if (!pod || !controller_uid(*pod).empty() || !fleet.selector.matches(kube::labels_of(*pod))) continue;
    json::Array owners = json::array_at(*pod, {"metadata", "ownerReferences"});
    owners.push_back(controller_reference(kube::kDaemonSets, ds));
    json::Value body = {{"metadata", {{"uid", kube::uid_of(*pod)}, {"ownerReferences", std::move(owners)}}}};
    ASK_VOID(ask_unless_gone(kube::patch(kube::kPods, ns, name, kube::PatchKind::Merge, std::move(body))));
  }
  for (const std::string& name : std::exchange(fleet.strays, {})) {
    const Stored pod = store().find("pods", key_in(ns, name));
    if (!pod || controller_uid(*pod) != fleet.uid || fleet.selector.matches(kube::labels_of(*pod))) continue;
    json::Array owners = json::array_at(*pod, {"metadata", "ownerReferences"});
    json::Array kept;
    for (const json::Value& owner : owners) {
      if (json::text_at(owner, {"uid"}) != fleet.uid) kept.push_back(owner);
    }
    json::Value body = {{"metadata", {{"uid", kube::uid_of(*pod)}, {"ownerReferences", std::move(kept)}}}};
    ASK_VOID(ask_unless_gone(kube::patch(kube::kPods, ns, name, kube::PatchKind::Merge, std::move(body))));
  }
  return {};
}

Done DaemonSetController::learn_template(Fleet& fleet, const kube::Object& ds) {
  fleet.history_stale = false;
  auto revisions =
      current_revision(store(), [this](kube::Request request) { return ask(std::move(request)); }, ds, fleet.selector);
  if (!revisions) {
    fleet.history_stale = true;
    return std::unexpected(std::move(revisions).error());
  }
  fleet.old_revisions = std::move(revisions->old);
  const std::string hash(kube::label_of(*revisions->current, kHashLabel));
  const std::int64_t generation = json::int_at(ds, {"metadata", "generation"});
  fleet.history_stale = false;  // our own writes were heard meanwhile
  if (hash == fleet.hash && generation == fleet.generation) return {};

  // Beyond this point the template, the strategy or the first sight changed: every seat is judged again.
  fleet.hash = hash;
  fleet.generation = generation;
  fleet.template_generation = kube::annotation_of(ds, kGenerationAnnotation);
  fleet.min_ready = seconds_at(ds, {"spec", "minReadySeconds"});
  const json::Value* surge = json::find(ds, {"spec", "updateStrategy", "rollingUpdate", "maxSurge"});
  fleet.surges =
      json::text_at(ds, {"spec", "updateStrategy", "type"}) != "OnDelete" && scaled(surge, 1, true).value_or(0) > 0;
  fleet.fit_spec = with_daemon_tolerations(json::Value(json::members_at(ds, {"spec", "template", "spec"})));
  fleet.pod = pod_from_template(kube::kDaemonSets, ds, json::Value(json::members_at(ds, {"spec", "template"})));
  fleet.pod.as_object()["spec"] = fleet.fit_spec;
  json::ensure(fleet.pod, {"metadata", "labels", kHashLabel}) = fleet.hash;
  if (!fleet.template_generation.empty()) {
    json::ensure(fleet.pod, {"metadata", "labels", kGenerationLabel}) = fleet.template_generation;
  }
  for (const auto& [node, seat] : fleet.seats) fleet.unfit.insert(node);
  return {};
}

void DaemonSetController::judge_fitness(Fleet& fleet, const std::string& node) {
  touch(fleet, node);
  Seat& seat = fleet.seats[node];
  seat.should_run = seat.may_stay = false;
  const Stored object = store().find("nodes", node);
  seat.node_exists = object != nullptr;
  if (!object) return;
  const std::string_view only = json::text_at(fleet.fit_spec, {"nodeName"});
  if ((!only.empty() && only != node) || !kube::selects_node(fleet.fit_spec, *object)) return;
  const json::Array& tolerations = kube::tolerations_of(fleet.fit_spec);
  seat.should_run = server().bugs().has(Bug::DaemonOnTaintedNode) ||
                    !kube::untolerated_taint(kube::taints_of(*object), tolerations, {"NoSchedule", "NoExecute"});
  seat.may_stay = seat.should_run || !kube::untolerated_taint(kube::taints_of(*object), tolerations, {"NoExecute"});
}

}  // namespace drover::sim
