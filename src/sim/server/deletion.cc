// Deleting: at once, with grace (pods on a node), or after the finalizers are gone; and what becomes of the dependents.
#include <fmt/format.h>

#include <algorithm>

#include "sim/draft.h"
#include "sim/same.h"
#include "sim/server/context.h"
#include "sim/server/custom_kinds.h"
#include "sim/server/definitions.h"
#include "sim/server/immutable_fields.h"

namespace drover::sim {
namespace {

constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";
constexpr std::string_view kOrphanFinalizer = "orphan";

// Deletes are refused in the name of the kind, not of the resource.
kube::Resource by_kind(const ResourceRules& rules) {
  kube::Resource resource = rules.resource;
  resource.plural = resource.kind;
  return resource;
}

Answer<void> check_preconditions(const ResourceRules& rules, const kube::Request& request, const kube::Object& object) {
  const std::string_view uid = kube::uid_of(object);
  if (!request.uid_precondition.empty() && request.uid_precondition != uid) {
    return conflict(
        by_kind(rules), request.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The object might "
                    "have been deleted and then recreated",
                    request.uid_precondition, uid));
  }
  const std::string_view version = kube::version_of(object);
  if (!request.version_precondition.empty() && request.version_precondition != version) {
    return conflict(
        by_kind(rules), request.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record "
                    "({}). The object might have been modified",
                    request.version_precondition, version));
  }
  return {};
}

// No pod takes longer to end than spans can tell, whatever it says.
constexpr std::int64_t kLongestGrace = 5'000'000'000;

std::int64_t bounded(std::int64_t seconds) { return std::clamp<std::int64_t>(seconds, 0, kLongestGrace); }

std::optional<std::int64_t> grace_asked(const kube::Request& request) {
  if (!request.grace) return {};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*request.grace).count();
  return seconds < 0 ? 1 : bounded(seconds);
}

// How long this pod may take to end: nothing when it never began or is over.
std::int64_t grace_of_pod(const kube::Object& pod, std::optional<std::int64_t> asked) {
  const std::string_view phase = json::text_at(pod, {"status", "phase"});
  if (json::text_at(pod, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded") return 0;
  const std::int64_t seconds = asked ? *asked : json::int_at(pod, {"spec", "terminationGracePeriodSeconds"});
  return seconds < 0 ? 1 : bounded(seconds);
}

void bump_generation(kube::Object& object) {
  const std::int64_t generation = json::int_at(object, {"metadata", "generation"});
  if (generation > 0 && generation < INT64_MAX) metadata_of(object)["generation"] = generation + 1;
}

enum class Grace { None, Pending, Begins };

// Grace for pods: sets the deletion timestamp, or shortens it. Others have none.
Grace begin_grace(const Context& context, const ResourceRules& rules, const kube::Request& request,
                  kube::Object& object) {
  if (rules.shelf != "pods") return Grace::None;
  json::Members& metadata = metadata_of(object);
  const auto asked = grace_asked(request);
  const base::WallTime now = context.loop.wall();
  if (kube::is_being_deleted(object)) {
    const std::int64_t running = bounded(json::int_at(object, {"metadata", "deletionGracePeriodSeconds"}));
    if (running == 0) return Grace::None;
    if (!asked || *asked >= running) return Grace::Pending;
    std::int64_t seconds = *asked;
    const auto set_to = base::parse_rfc3339(json::text_at(object, {"metadata", "deletionTimestamp"}));
    base::WallTime ends_at = set_to ? *set_to - std::chrono::seconds(running) + std::chrono::seconds(seconds) : now;
    if (ends_at < now) {
      ends_at = now;
      if (seconds != 0) seconds = 1;
    }
    metadata["deletionTimestamp"] = base::rfc3339(ends_at);
    metadata["deletionGracePeriodSeconds"] = seconds;
    return Grace::Begins;
  }
  const std::int64_t seconds = grace_of_pod(object, asked);
  metadata["deletionTimestamp"] = base::rfc3339(now + std::chrono::seconds(seconds));
  metadata["deletionGracePeriodSeconds"] = seconds;
  bump_generation(object);
  return Grace::Begins;
}

bool is_text(const json::Value& value, std::string_view text) {
  return value.is_string() && value.get_string() == text;
}

bool has_finalizer(const json::Array& finalizers, std::string_view name) {
  return std::any_of(finalizers.begin(), finalizers.end(), [&](const json::Value& one) { return is_text(one, name); });
}

// The finalizer that stands for the wished propagation, instead of one that stood there before.
void set_propagation(const ResourceRules& rules, const kube::Request& request, kube::Object& object) {
  if (rules.dependents == Dependents::Ignored) return;
  const json::Array& before = json::array_at(object, {"metadata", "finalizers"});
  bool orphan = false;
  bool foreground = false;
  switch (request.propagation) {
    case kube::Propagation::Background: break;
    case kube::Propagation::Foreground: foreground = true; break;
    case kube::Propagation::Orphan: orphan = true; break;
    case kube::Propagation::Default:
      foreground = has_finalizer(before, kForegroundFinalizer);
      orphan = has_finalizer(before, kOrphanFinalizer) || (rules.dependents == Dependents::Orphaned && !foreground);
      break;
  }
  json::Array after;
  for (const json::Value& one : before) {
    if (!is_text(one, kForegroundFinalizer) && !is_text(one, kOrphanFinalizer)) after.push_back(one);
  }
  if (orphan) after.emplace_back(kOrphanFinalizer);
  if (foreground) after.emplace_back(kForegroundFinalizer);
  if (after.empty()) {
    json::remove(object, {"metadata", "finalizers"});
  } else {
    metadata_of(object)["finalizers"] = std::move(after);
  }
}

void mark_as_ending(const Context& context, kube::Object& object) {
  json::Members& metadata = metadata_of(object);
  if (!kube::is_being_deleted(object)) {
    bump_generation(object);
    metadata["deletionTimestamp"] = context.now();
  } else if (const auto at = base::parse_rfc3339(json::text_at(object, {"metadata", "deletionTimestamp"}));
             at && *at > context.loop.wall()) {
    metadata["deletionTimestamp"] = context.now();
  }
  metadata["deletionGracePeriodSeconds"] = 0;
}

Stored commit(Context& context, const ResourceRules& rules, const kube::Request& request, const Stored& old,
              Draft fresh) {
  if (same(*fresh, *old)) return old;
  if (request.dry_run) return std::move(fresh).seal();
  return keep(context, rules, std::move(fresh));
}

// The first delete of a namespace begins its end; its controller empties it and takes spec.finalizers off. A
// definition's objects go before it in the same way.
Answer<Stored> begin_end(Context& context, const ResourceRules& rules, const kube::Request& request,
                         const Stored& old) {
  if (!request.uid_precondition.empty() && request.uid_precondition != kube::uid_of(*old)) {
    return conflict(rules.resource, request.name,
                    fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}",
                                request.uid_precondition, kube::uid_of(*old)));
  }
  if (!request.version_precondition.empty() && request.version_precondition != kube::version_of(*old)) {
    return conflict(
        rules.resource, request.name,
        fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in object meta: {}",
                    request.version_precondition, kube::version_of(*old)));
  }
  if (kube::is_being_deleted(*old)) return old;
  if (rules.shelf != "namespaces") return end_definition(context, rules, request, old);
  Draft fresh(*old, 128);
  metadata_of(*fresh)["deletionTimestamp"] = context.now();
  json::ensure(*fresh, {"status", "phase"}) = "Terminating";
  set_propagation(rules, request, *fresh);
  return commit(context, rules, request, old, std::move(fresh));
}

}  // namespace

Answer<Stored> delete_object(Context& context, const ResourceRules& rules, const kube::Request& request) {
  TRY(const Stored old, look_up(context, rules, request));
  if (rules.shelf == "namespaces") {
    const bool may_go = kube::is_being_deleted(*old) && json::array_at(*old, {"spec", "finalizers"}).empty();
    if (!may_go) return begin_end(context, rules, request, old);
  } else if (rules.shelf == "customresourcedefinitions.apiextensions.k8s.io" && !kube::is_being_deleted(*old)) {
    return begin_end(context, rules, request, old);
  }
  TRY_VOID(check_preconditions(rules, request, *old));

  const std::string key = key_of(rules, request);
  const bool plain = rules.shelf != "pods" && request.propagation != kube::Propagation::Foreground &&
                     request.propagation != kube::Propagation::Orphan && rules.dependents != Dependents::Orphaned &&
                     json::array_at(*old, {"metadata", "finalizers"}).empty();
  Stored last = old;
  if (!plain) {
    Draft fresh(*old, 256);
    const Grace grace = begin_grace(context, rules, request, *fresh);
    if (grace == Grace::Pending) return old;
    set_propagation(rules, request, *fresh);
    const bool held =
        !json::array_at(*fresh, {"metadata", "finalizers"}).empty() && !context.bugs.has(Bug::FinalizersIgnored);
    if (held && grace == Grace::None) mark_as_ending(context, *fresh);
    const bool waits =
        held || (grace == Grace::Begins && json::int_at(*fresh, {"metadata", "deletionGracePeriodSeconds"}) > 0);
    if (waits || grace == Grace::Begins) last = commit(context, rules, request, old, std::move(fresh));
    if (waits) return last;
  }
  if (!request.dry_run) last = as_seen(rules, context.store.erase(rules.shelf, key));
  return rules.answers_deleted ? last : success(&rules, last.get());
}

Answer<Stored> finalize_namespace(Context& context, const ResourceRules& rules, const kube::Request& request) {
  TRY(const Stored old, look_up(context, rules, request));
  if (const std::string_view version = kube::version_of(request.body);
      !version.empty() && version != kube::version_of(*old)) {
    return modified_since(rules.resource, request.name);
  }
  Draft fresh(*old);
  const json::Array finalizers = json::array_at(request.body, {"spec", "finalizers"});
  if (finalizers.empty()) {
    json::remove(*fresh, {"spec", "finalizers"});
  } else {
    json::ensure(*fresh, {"spec", "finalizers"}) = finalizers;
  }
  const bool over = finalizers.empty() && kube::is_being_deleted(*fresh) &&
                    json::array_at(*fresh, {"metadata", "finalizers"}).empty();
  if (!over || request.dry_run) return commit(context, rules, request, old, std::move(fresh));
  context.store.erase(rules.shelf, key_of(rules, request));
  return std::move(fresh).seal();
}

}  // namespace drover::sim
