#include "sim/controllers/revisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kRevisionLabel = "controller-revision-hash";

std::int64_t number_of(const Stored& revision) { return count_at(*revision, {"revision"}); }

Answer<Stored> adopt(const Ask& ask, const kube::Object& ds, const Stored& revision) {
  json::Array owners = json::array_at(*revision, {"metadata", "ownerReferences"});
  owners.push_back(controller_reference(kube::kDaemonSets, ds));
  json::Value body = {{"metadata", {{"uid", kube::uid_of(*revision)}, {"ownerReferences", std::move(owners)}}}};
  return ask(kube::patch(kube::kControllerRevisions, std::string(kube::namespace_of(ds)),
                         std::string(kube::name_of(*revision)), kube::PatchKind::Merge, std::move(body)));
}

Answer<std::vector<Stored>> claimed(const Store& store, const Ask& ask, const kube::Object& ds,
                                    const base::Selector& selector) {
  std::vector<Stored> found;
  std::vector<Stored> orphans;
  store.each("controllerrevisions.apps", kube::namespace_of(ds), [&](const Stored& revision) {
    const std::string_view owner = controller_uid(*revision);
    if (owner == kube::uid_of(ds)) {
      found.push_back(revision);
    } else if (owner.empty() && !kube::is_being_deleted(*revision) && selector.matches(kube::labels_of(*revision))) {
      orphans.push_back(revision);
    }
  });
  for (const Stored& orphan : orphans) {
    ASK(Stored adopted, adopt(ask, ds, orphan));
    found.push_back(std::move(adopted));
  }
  std::ranges::sort(found, {}, [](const Stored& one) { return std::pair(number_of(one), kube::name_of(*one)); });
  return found;
}

// The name is taken by another template: count the collision, so that the next hash differs.
Rejection count_collision(const Ask& ask, const kube::Object& ds) {
  const std::int64_t collisions = count_at(ds, {"status", "collisionCount"}) + 1;
  json::Value body = {{"status", {{"collisionCount", collisions}}}};
  auto counted = ask(kube::patch(kube::kDaemonSets, std::string(kube::namespace_of(ds)), std::string(kube::name_of(ds)),
                                 kube::PatchKind::Merge, std::move(body), "status"));
  if (!counted) return std::move(counted).error();
  return Rejection{
      409, "Conflict", "found a hash collision for DaemonSet, bumped collisionCount to resolve it", {}, {}};
}

Answer<Stored> make_revision(const Store& store, const Ask& ask, const kube::Object& ds, std::int64_t number) {
  const json::Value* pod_template = json::find(ds, {"spec", "template"});
  const std::string hash =
      template_hash(pod_template ? *pod_template : json::Value(), count_at(ds, {"status", "collisionCount"}));
  const std::string ns(kube::namespace_of(ds));
  const std::string name = fmt::format("{}-{}", kube::name_of(ds), hash);
  json::Value payload = revision_payload(ds);
  if (Stored same_name = store.find("controllerrevisions.apps", key_in(ns, name))) {
    if (same(json::members_at(*same_name, {"data"}), payload.get_object())) return same_name;
    return std::unexpected(count_collision(ask, ds));
  }
  json::Members labels = json::members_at(ds, {"spec", "template", "metadata", "labels"});
  labels[kRevisionLabel] = hash;
  json::Members metadata{{"name", name}, {"namespace", ns}};
  metadata["labels"] = std::move(labels);
  if (const auto& annotations = json::members_at(ds, {"metadata", "annotations"}); !annotations.empty()) {
    metadata["annotations"] = annotations;
  }
  metadata["ownerReferences"] = json::Array{controller_reference(kube::kDaemonSets, ds)};
  json::Members revision{{"apiVersion", "apps/v1"}, {"kind", "ControllerRevision"}};
  revision["metadata"] = std::move(metadata);
  revision["data"] = std::move(payload);
  revision["revision"] = number;
  return ask(kube::create(kube::kControllerRevisions, ns, std::move(revision)));
}

}  // namespace

json::Value revision_payload(const kube::Object& ds) {
  json::Members pod_template = json::members_at(ds, {"spec", "template"});
  pod_template["$patch"] = "replace";
  json::Members spec;
  spec["template"] = std::move(pod_template);
  json::Members payload;
  payload["spec"] = std::move(spec);
  return payload;
}

Answer<Revisions> current_revision(const Store& store, const Ask& ask, const kube::Object& ds,
                                   const base::Selector& selector) {
  ASK(const std::vector<Stored> all, claimed(store, ask, ds, selector));
  const json::Value payload = revision_payload(ds);
  Revisions revisions;
  std::vector<Stored> duplicates;
  for (const Stored& revision : all) {
    if (!same(json::members_at(*revision, {"data"}), payload.get_object())) {
      revisions.old.push_back(revision);
      continue;
    }
    if (revisions.current) duplicates.push_back(revisions.current);
    revisions.current = revision;
  }
  for (const Stored& duplicate : duplicates) {
    auto gone = ask(kube::remove(kube::kControllerRevisions, std::string(kube::namespace_of(ds)),
                                 std::string(kube::name_of(*duplicate)), std::string(kube::uid_of(*duplicate))));
    if (!gone && !says(gone.error(), "NotFound")) return std::unexpected(std::move(gone).error());
  }
  const std::int64_t number = revisions.old.empty() ? 1 : number_of(revisions.old.back()) + 1;
  if (!revisions.current) {
    ASK(revisions.current, make_revision(store, ask, ds, number));
  } else if (number_of(revisions.current) < number) {
    ASK(revisions.current, ask(kube::patch(kube::kControllerRevisions, std::string(kube::namespace_of(ds)),
                                           std::string(kube::name_of(*revisions.current)), kube::PatchKind::Merge,
                                           json::Value{{"revision", number}})));
  }
  return revisions;
}

}  // namespace drover::sim
