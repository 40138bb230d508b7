#include "sim/controllers/garbage_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"
#include "sim/server/bugs.h"

namespace drover::sim {

namespace {

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

const json::Array& owners_of(const kube::Object& object) {
  return json::array_at(object, {"metadata", "ownerReferences"});
}

bool has_finalizer(const kube::Object& object, std::string_view finalizer) {
  const json::Array& finalizers = json::array_at(object, {"metadata", "finalizers"});
  return std::ranges::any_of(finalizers, [&](const json::Value& value) {
    return value.is_string() && std::string_view(value.get_string()) == finalizer;
  });
}

bool waits_for_dependents(const kube::Object& object) {
  return kube::is_being_deleted(object) && has_finalizer(object, kForeground);
}

}  // namespace

GarbageCollector::GarbageCollector(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

const kube::Resource* GarbageCollector::resource_of(std::string_view api_version, std::string_view kind) const {
  const auto slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
  for (const kube::Resource& resource : server().resources()) {
    if (resource.kind == kind && resource.group == group) return &resource;
  }
  return nullptr;
}

const kube::Resource* GarbageCollector::resource_named(const std::string& qualified) const {
  for (const kube::Resource& resource : server().resources()) {
    if (resource.qualified() == qualified) return &resource;
  }
  return nullptr;
}

GarbageCollector::Owner GarbageCollector::judge(const json::Value& reference, const kube::Object& dependent,
                                                Stored* owner) const {
  const kube::Resource* resource =
      resource_of(json::text_at(reference, {"apiVersion"}), json::text_at(reference, {"kind"}));
  if (!resource) return Owner::Solid;
  const std::string_view ns =
      resource->scope == kube::Scope::Cluster ? std::string_view{} : kube::namespace_of(dependent);
  if (resource->scope == kube::Scope::Namespaced && ns.empty()) return Owner::Solid;
  const Stored found = store().find(resource->qualified(), key_in(ns, json::text_at(reference, {"name"})));
  if (!found || kube::uid_of(*found) != json::text_at(reference, {"uid"})) return Owner::Gone;
  if (owner) *owner = found;
  return waits_for_dependents(*found) ? Owner::WaitsForDependents : Owner::Solid;
}

void GarbageCollector::enqueue_object(const std::string& resource, const kube::Object& object) {
  enqueue(fmt::format("{}|{}|{}", resource, kube::key_of(object), kube::uid_of(object)));
}

void GarbageCollector::enqueue_waiting_owners(const kube::Object& dependent) {
  for (const json::Value& reference : owners_of(dependent)) {
    Stored owner;
    if (judge(reference, dependent, &owner) != Owner::WaitsForDependents) continue;
    const kube::Resource* resource =
        resource_of(json::text_at(reference, {"apiVersion"}), json::text_at(reference, {"kind"}));
    enqueue_object(resource->qualified(), *owner);
  }
}

void GarbageCollector::heard(const Commit& commit) {
  if (commit.resource == "events" || commit.resource == "leases.coordination.k8s.io") return;
  const kube::Object& object = *commit.after;
  if (commit.kind == Commit::Kind::Removed) {
    for (const auto& [resource, dependent] : store().owned_by(kube::uid_of(object)))
      enqueue_object(resource, *dependent);
    enqueue_waiting_owners(object);
    return;
  }
  if (commit.kind == Commit::Kind::Created || !same(owners_of(*commit.before), owners_of(object))) {
    const bool some_owner_is_not_solid = std::ranges::any_of(
        owners_of(object), [&](const json::Value& reference) { return judge(reference, object) != Owner::Solid; });
    if (some_owner_is_not_solid) enqueue_object(commit.resource, object);
    // A reference that was taken away may have been the last that blocked its owner.
    if (commit.before) enqueue_waiting_owners(*commit.before);
  }
  if (kube::is_being_deleted(object) && (has_finalizer(object, kForeground) || has_finalizer(object, kOrphan))) {
    enqueue_object(commit.resource, object);
  }
}

Done GarbageCollector::sync(const std::string& key) {
  const auto parts = base::split(key, '|');
  if (parts.size() != 3) return {};
  const std::string name(parts[0]);
  const Stored object = store().find(name, parts[1]);
  const kube::Resource* resource = resource_named(name);
  if (!object || !resource || kube::uid_of(*object) != parts[2]) return {};
  if (kube::is_being_deleted(*object)) {
    if (has_finalizer(*object, kOrphan)) return orphan_dependents(*resource, *object);
    if (has_finalizer(*object, kForeground)) return delete_dependents(*resource, *object);
    return {};
  }
  return delete_if_unowned(*resource, *object);
}

Done GarbageCollector::orphan_dependents(const kube::Resource& resource, const kube::Object& owner) {
  const std::string uid(kube::uid_of(owner));
  for (const auto& [name, dependent] : store().owned_by(uid)) {
    if (const kube::Resource* kind = resource_named(name)) ASK_VOID(drop_references(*kind, *dependent, {uid}));
  }
  return drop_finalizer(resource, owner, kOrphan);
}

Done GarbageCollector::delete_dependents(const kube::Resource& resource, const kube::Object& owner) {
  bool blocked = false;
  for (const auto& [name, dependent] : store().owned_by(kube::uid_of(owner))) {
    enqueue_object(name, *dependent);
    for (const json::Value& reference : owners_of(*dependent)) {
      blocked |=
          json::text_at(reference, {"uid"}) == kube::uid_of(owner) && json::flag_at(reference, {"blockOwnerDeletion"});
    }
  }
  return blocked ? Done{} : drop_finalizer(resource, owner, kForeground);
}

Done GarbageCollector::delete_if_unowned(const kube::Resource& resource, const kube::Object& object) {
  if (server().bugs().has(Bug::DependentsStay)) return {};
  const json::Array& owners = owners_of(object);
  if (owners.empty()) return {};
  std::vector<std::string> useless;
  bool some_wait = false;
  for (const json::Value& reference : owners) {
    const Owner owner = judge(reference, object);
    if (owner != Owner::Solid) useless.emplace_back(json::text_at(reference, {"uid"}));
    some_wait |= owner == Owner::WaitsForDependents;
  }
  if (useless.empty()) return {};
  if (useless.size() < owners.size()) return drop_references(resource, object, useless);

  kube::Request request = kube::remove(resource, std::string(kube::namespace_of(object)),
                                       std::string(kube::name_of(object)), std::string(kube::uid_of(object)));
  // An owner that waits for this object waits for its dependents as well.
  const bool has_dependents = !store().owned_by(kube::uid_of(object)).empty();
  request.propagation = has_finalizer(object, kOrphan) ? kube::Propagation::Orphan
                        : has_finalizer(object, kForeground) || (some_wait && has_dependents)
                            ? kube::Propagation::Foreground
                            : kube::Propagation::Background;
  Done done = ask_unless_gone(std::move(request));
  // Another object took the name meanwhile: the one we meant is gone.
  if (!done && says(done.error(), "Conflict")) return {};
  return done;
}

Done GarbageCollector::drop_references(const kube::Resource& resource, const kube::Object& object,
                                       const std::vector<std::string>& uids) {
  json::Array kept;
  for (const json::Value& reference : owners_of(object)) {
    if (std::ranges::find(uids, json::text_at(reference, {"uid"})) == uids.end()) kept.push_back(reference);
  }
  json::Value references = kept.empty() ? json::Value(nullptr) : json::Value(std::move(kept));
  json::Value body = {{"metadata", {{"uid", kube::uid_of(object)}, {"ownerReferences", std::move(references)}}}};
  return ask_unless_gone(kube::patch(resource, std::string(kube::namespace_of(object)),
                                     std::string(kube::name_of(object)), kube::PatchKind::Merge, std::move(body)));
}

Done GarbageCollector::drop_finalizer(const kube::Resource& resource, const kube::Object& object,
                                      std::string_view finalizer) {
  json::Array kept;
  for (const json::Value& value : json::array_at(object, {"metadata", "finalizers"})) {
    if (value != json::Value(finalizer)) kept.push_back(value);
  }
  json::Value finalizers = kept.empty() ? json::Value(nullptr) : json::Value(std::move(kept));
  json::Value body = {
      {"metadata", {{"resourceVersion", kube::version_of(object)}, {"finalizers", std::move(finalizers)}}}};
  return ask_unless_gone(kube::patch(resource, std::string(kube::namespace_of(object)),
                                     std::string(kube::name_of(object)), kube::PatchKind::Merge, std::move(body)));
}

}  // namespace drover::sim
