// What the Deployment controller hears and gathers, and the ReplicaSet of the present template. Steps are in
// deployment_rollout.cc.
#include "sim/controllers/deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

constexpr std::string_view kTemplateLabel = "pod-template-hash";
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kRevisionHistory = "deployment.kubernetes.io/revision-history";
constexpr std::string_view kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view kMost = "deployment.kubernetes.io/max-replicas";

// A ReplicaSet's template without the label that tells it from its siblings.
json::Value bare_template(const kube::Object& owner) {
  json::Value bare(json::members_at(owner, {"spec", "template"}));
  json::remove(bare, {"metadata", "labels", kTemplateLabel});
  json::remove(bare, {"metadata", "creationTimestamp"});
  return bare;
}

std::int64_t revision_of(const kube::Object& set) {
  // One more must still be a number.
  return std::clamp<std::int64_t>(base::parse_int(kube::annotation_of(set, kRevision)).value_or(0), 0, INT64_MAX - 1);
}

// The Deployment's annotations that its ReplicaSets carry too.
json::Members inherited_annotations(const kube::Object& deployment) {
  json::Members inherited;
  for (const auto& entry : json::members_at(deployment, {"metadata", "annotations"})) {
    const std::string_view key = entry.key();
    if (key == "kubectl.kubernetes.io/last-applied-configuration" || key == kRevision || key == kRevisionHistory ||
        key == kDesired || key == kMost || key == "deprecated.deployment.rollback.to") {
      continue;
    }
    inherited[entry.key()] = entry.value();
  }
  return inherited;
}

auto by_age(const Stored& set) {
  return std::pair(json::text_at(*set, {"metadata", "creationTimestamp"}), kube::name_of(*set));
}

// The ReplicaSet of the Deployment's present template, but for its numbers.
json::Value replica_set_for(const kube::Object& deployment, const std::string& name, const std::string& hash) {
  json::Value set = {{"apiVersion", "apps/v1"}, {"kind", "ReplicaSet"}, {"metadata", {{"name", name}}}};
  json::ensure(set, {"metadata", "namespace"}) = kube::namespace_of(deployment);
  json::Members labels = json::members_at(deployment, {"spec", "template", "metadata", "labels"});
  labels[kTemplateLabel] = hash;
  json::ensure(set, {"metadata", "labels"}) = labels;
  json::ensure(set, {"metadata", "annotations"}) = inherited_annotations(deployment);
  json::ensure(set, {"metadata", "ownerReferences"}) =
      json::Array{controller_reference(kube::kDeployments, deployment)};
  if (const std::int64_t min_ready = count_at(deployment, {"spec", "minReadySeconds"}); min_ready > 0) {
    json::ensure(set, {"spec", "minReadySeconds"}) = min_ready;
  }
  json::ensure(set, {"spec", "selector"}) = json::members_at(deployment, {"spec", "selector"});
  json::ensure(set, {"spec", "selector", "matchLabels", kTemplateLabel}) = hash;
  json::ensure(set, {"spec", "template"}) = json::members_at(deployment, {"spec", "template"});
  json::ensure(set, {"spec", "template", "metadata", "labels"}) = std::move(labels);
  return set;
}

}  // namespace

DeploymentController::DeploymentController(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

std::vector<Stored> DeploymentController::Rollout::all() const {
  std::vector<Stored> sets = old;
  if (fresh) sets.push_back(fresh);
  return sets;
}

void DeploymentController::heard(const Commit& commit) {
  const kube::Object& object = *commit.after;
  if (commit.resource == "deployments.apps") {
    const std::string key = kube::key_of(object);
    if (commit.kind == Commit::Kind::Created) may_adopt_.insert(key);
    if (commit.kind == Commit::Kind::Removed) may_adopt_.erase(key);
    commit.kind == Commit::Kind::Removed ? forget(key) : enqueue(key);
    return;
  }
  if (commit.resource == "replicasets.apps") {
    for (const Stored& state : {commit.before, commit.after}) {
      if (!state) continue;
      if (const std::string_view name = controller_name(*state, "Deployment"); !name.empty()) {
        enqueue(key_in(kube::namespace_of(*state), name));
      }
    }
    if (commit.kind != Commit::Kind::Removed && controller_uid(object).empty()) {
      store().each("deployments.apps", kube::namespace_of(object), [&](const Stored& deployment) {
        auto selector = base::Selector::from_json(json::Value(json::members_at(*deployment, {"spec", "selector"})));
        if (!selector || selector->selects_everything() || !selector->matches(kube::labels_of(object))) return;
        may_adopt_.insert(kube::key_of(*deployment));
        enqueue(kube::key_of(*deployment));
      });
    }
    return;
  }
  // A pod matters only when it is gone for good: a Recreate rollout waits for that.
  const bool over = commit.kind == Commit::Kind::Removed ||
                    (commit.before && !pod_is_terminal(*commit.before) && pod_is_terminal(object));
  const std::string_view set_name = over ? controller_name(object, "ReplicaSet") : std::string_view{};
  if (set_name.empty()) return;
  if (const Stored set = store().find("replicasets.apps", key_in(kube::namespace_of(object), set_name))) {
    if (const std::string_view name = controller_name(*set, "Deployment"); !name.empty()) {
      enqueue(key_in(kube::namespace_of(object), name));
    }
  }
}

Done DeploymentController::sync(const std::string& key) {
  const Stored seen = store().find("deployments.apps", key);
  if (!seen) return {};
  auto gathered = gather(seen);
  if (!gathered) return std::unexpected(std::move(gathered).error());
  Rollout& rollout = *gathered;
  if (kube::is_being_deleted(*seen)) return write_status(rollout, false);

  note_pause(rollout);
  const bool paused = json::flag_at(*seen, {"spec", "paused"});
  ASK_VOID(find_or_make_fresh(rollout, false));
  if (paused || was_scaled(rollout)) {
    ASK_VOID(scale_all(rollout));
    if (paused) ASK_VOID(trim_history(rollout));
    return write_status(rollout, false);
  }
  if (rollout.recreates) {
    ASK_VOID(recreate(rollout));
  } else {
    ASK_VOID(find_or_make_fresh(rollout, true));
    ASK(const bool grown, grow_fresh(rollout));
    if (!grown) ASK_VOID(shrink_old(rollout));
  }
  ASK_VOID(trim_history(rollout));
  return write_status(rollout, true);
}

std::expected<std::vector<Stored>, Rejection> DeploymentController::claim(const kube::Object& deployment,
                                                                          const base::Selector& selector) {
  const std::string ns(kube::namespace_of(deployment));
  const std::string_view uid = kube::uid_of(deployment);
  std::vector<Stored> sets;
  for (const auto& [resource, set] : store().owned_by(uid)) {
    if (resource == "replicasets.apps" && controller_uid(*set) == uid) sets.push_back(set);
  }
  if (may_adopt_.erase(kube::key_of(deployment)) > 0 && !kube::is_being_deleted(deployment)) {
    std::vector<Stored> orphans;
    store().each("replicasets.apps", ns, [&](const Stored& set) {
      if (controller_uid(*set).empty() && !kube::is_being_deleted(*set) && selector.matches(kube::labels_of(*set))) {
        orphans.push_back(set);
      }
    });
    for (const Stored& set : orphans) {
      json::Array owners = json::array_at(*set, {"metadata", "ownerReferences"});
      owners.push_back(controller_reference(kube::kDeployments, deployment));
      json::Value body = {{"metadata", {{"uid", kube::uid_of(*set)}, {"ownerReferences", std::move(owners)}}}};
      ASK(Stored adopted, ask(kube::patch(kube::kReplicaSets, ns, std::string(kube::name_of(*set)),
                                          kube::PatchKind::Merge, std::move(body))));
      sets.push_back(std::move(adopted));
    }
  }
  std::ranges::sort(sets, {}, by_age);
  return sets;
}

std::expected<DeploymentController::Rollout, Rejection> DeploymentController::gather(const Stored& deployment) {
  Rollout rollout;
  rollout.seen = deployment;
  rollout.deployment = copy_to_change(*deployment);
  rollout.replicas = count_at(*deployment, {"spec", "replicas"}, 1);
  rollout.recreates = json::text_at(*deployment, {"spec", "strategy", "type"}) == "Recreate";
  if (!rollout.recreates) {
    const auto limit = [&](std::string_view name, bool up) {
      return scaled(json::find(*deployment, {"spec", "strategy", "rollingUpdate", name}), rollout.replicas, up)
          .value_or(0);
    };
    rollout.max_surge = limit("maxSurge", true);
    rollout.max_unavailable = limit("maxUnavailable", false);
    if (rollout.max_surge == 0 && rollout.max_unavailable == 0) rollout.max_unavailable = 1;
    rollout.max_unavailable = std::min(rollout.max_unavailable, rollout.replicas);
  }
  auto selector = base::Selector::from_json(json::Value(json::members_at(*deployment, {"spec", "selector"})));
  if (!selector || selector->selects_everything()) return rollout;
  ASK(std::vector<Stored> sets, claim(*deployment, *selector));
  const json::Value wanted = bare_template(*deployment);
  for (Stored& set : sets) {
    // Of several equal ones the oldest counts.
    if (!rollout.fresh && same(bare_template(*set), wanted)) {
      rollout.fresh = std::move(set);
    } else {
      rollout.old.push_back(std::move(set));
    }
  }
  return rollout;
}

Done DeploymentController::find_or_make_fresh(Rollout& rollout, bool may_create) {
  std::int64_t newest = 0;
  for (const Stored& set : rollout.old) newest = std::max(newest, revision_of(*set));
  if (rollout.fresh) return update_fresh(rollout, newest + 1);
  return may_create ? make_fresh(rollout, newest + 1) : Done{};
}

Done DeploymentController::set_revision(Rollout& rollout, std::int64_t revision) {
  const std::string text = fmt::format("{}", revision);
  if (kube::annotation_of(rollout.deployment, kRevision) == text) return {};
  json::Value body = {{"metadata", {{"annotations", {{kRevision, text}}}}}};
  ASK(const Stored changed,
      ask(kube::patch(kube::kDeployments, std::string(kube::namespace_of(*rollout.seen)),
                      std::string(kube::name_of(*rollout.seen)), kube::PatchKind::Merge, std::move(body), "status")));
  json::Value status(json::members_at(rollout.deployment, {"status"}));
  rollout.deployment = copy_to_change(*changed);
  rollout.deployment.as_object()["status"] = std::move(status);
  return {};
}

Done DeploymentController::update_fresh(Rollout& rollout, std::int64_t revision) {
  const kube::Object& set = *rollout.fresh;
  json::Members annotations;
  for (const auto& entry : inherited_annotations(rollout.deployment)) {
    if (kube::annotation_of(set, entry.key()) != json::text_at(entry.value(), {}))
      annotations[entry.key()] = entry.value();
  }
  const std::int64_t before = revision_of(set);
  if (before < revision) {
    annotations[kRevision] = fmt::format("{}", revision);
    // A roll-back: the numbers it had before are remembered.
    const std::string_view history = kube::annotation_of(set, kRevisionHistory);
    if (before > 0)
      annotations[kRevisionHistory] =
          history.empty() ? fmt::format("{}", before) : fmt::format("{},{}", history, before);
  }
  const std::int64_t min_ready = count_at(rollout.deployment, {"spec", "minReadySeconds"});
  const bool patient = count_at(set, {"spec", "minReadySeconds"}) == min_ready;
  if (!annotations.empty() || !patient) {
    json::Value patch;
    if (!annotations.empty()) json::ensure(patch, {"metadata", "annotations"}) = std::move(annotations);
    if (!patient) json::ensure(patch, {"spec", "minReadySeconds"}) = min_ready;
    ASK(rollout.fresh, ask(kube::patch(kube::kReplicaSets, std::string(kube::namespace_of(set)),
                                       std::string(kube::name_of(set)), kube::PatchKind::Merge, std::move(patch))));
  }
  ASK_VOID(set_revision(rollout, revision_of(*rollout.fresh)));
  if (!find_condition(rollout.deployment, "Progressing") &&
      json::find(*rollout.seen, {"spec", "progressDeadlineSeconds"})) {
    set_condition(rollout.deployment,
                  {"Progressing", "True", "FoundNewReplicaSet",
                   fmt::format("Found new replica set \"{}\"", kube::name_of(*rollout.fresh))},
                  now_text(), "lastUpdateTime");
  }
  return {};
}

Done DeploymentController::make_fresh(Rollout& rollout, std::int64_t revision) {
  const kube::Object& deployment = *rollout.seen;
  const std::string ns(kube::namespace_of(deployment));
  const json::Value bare(json::members_at(deployment, {"spec", "template"}));
  const std::string hash = template_hash(bare, count_at(deployment, {"status", "collisionCount"}));
  const std::string name = fmt::format("{}-{}", kube::name_of(deployment), hash);
  if (store().find("replicasets.apps", key_in(ns, name))) {
    json::ensure(rollout.deployment, {"status", "collisionCount"}) =
        count_at(deployment, {"status", "collisionCount"}) + 1;
    ASK_VOID(write_status(rollout, false));
    return std::unexpected(
        Rejection{409, "AlreadyExists", fmt::format("replicasets.apps \"{}\" already exists", name), {}, {}});
  }

  std::int64_t total = 0;
  for (const Stored& set : rollout.old) total += count_at(*set, {"spec", "replicas"});
  const std::int64_t room = rollout.replicas + rollout.max_surge - total;
  const std::int64_t replicas =
      rollout.recreates ? rollout.replicas : std::clamp<std::int64_t>(room, 0, rollout.replicas);
  json::Value set = replica_set_for(deployment, name, hash);
  json::Members& annotations = json::ensure(set, {"metadata", "annotations"}).as_object();
  annotations[kRevision] = fmt::format("{}", revision);
  annotations[kDesired] = fmt::format("{}", rollout.replicas);
  annotations[kMost] = fmt::format("{}", rollout.replicas + rollout.max_surge);
  json::ensure(set, {"spec", "replicas"}) = replicas;

  auto created = ask(kube::create(kube::kReplicaSets, ns, std::move(set)));
  const About about = About::object(kube::kDeployments, deployment);
  if (!created) {
    const std::string why = fmt::format("Failed to create new replica set \"{}\": {}", name, created.error().message);
    events().warning(about, "deployment-controller", "ReplicaSetCreateError", why);
    set_condition(rollout.deployment, {"Progressing", "False", "ReplicaSetCreateError", why}, now_text(),
                  "lastUpdateTime");
    ASK_VOID(write_status(rollout, false));
    return std::unexpected(std::move(created).error());
  }
  rollout.fresh = *created;
  if (replicas > 0) {
    events().normal(about, "deployment-controller", "ScalingReplicaSet",
                    fmt::format("Scaled up replica set {} from 0 to {}", name, replicas));
  }
  ASK_VOID(set_revision(rollout, revision));
  if (json::find(deployment, {"spec", "progressDeadlineSeconds"})) {
    set_condition(rollout.deployment,
                  {"Progressing", "True", "NewReplicaSetCreated", fmt::format("Created new replica set \"{}\"", name)},
                  now_text(), "lastUpdateTime");
  }
  return {};
}

}  // namespace drover::sim
