// Creating and updating: what the server itself decides about an object, whatever its kind.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/draft.h"
#include "sim/same.h"
#include "sim/server/access.h"
#include "sim/server/context.h"
#include "sim/server/custom_kinds.h"
#include "sim/server/field_validation.h"
#include "sim/server/immutable_fields.h"
#include "sim/server/managed_fields.h"
#include "sim/server/names.h"

namespace drover::sim {
namespace {

constexpr std::size_t kLongestGeneratedBase = 58;
constexpr int kNameTries = 8;

// Typed kinds cannot hold null: what the wire calls null is absent.
void drop_nulls(json::Value& value) {
  if (value.is_object()) {
    json::Members& members = value.get_object();
    for (auto at = members.begin(); at != members.end();) {
      if (at->value().is_null()) {
        at = members.erase(at);
      } else {
        drop_nulls(at->value());
        ++at;
      }
    }
  } else if (value.is_array()) {
    for (json::Value& element : value.get_array()) drop_nulls(element);
  }
}

// What kube's decoder says about an object that is not what the address promises; "" when it is.
std::string misfit(const ResourceRules& rules, const kube::Request& request, const kube::Object& object) {
  const std::string_view kind = json::text_at(object, {"kind"});
  const std::string_view version = json::text_at(object, {"apiVersion"});
  if (version != request.resource.api_version()) {
    return fmt::format("no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"", quoted(kind),
                       quoted(version));
  }
  if (kind != rules.resource.kind) {
    const std::string_view package = rules.resource.group.empty() ? "core" : std::string_view(rules.resource.group);
    return fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", rules.resource.version, kind, package,
                       rules.resource.kind);
  }
  return misfit_in_metadata(object);
}

Answer<void> check_kind(const Context& context, const ResourceRules& rules, const kube::Request& request,
                        kube::Object& object) {
  if (!object.is_object()) return bad_request("the body of the request is not a JSON object");
  json::Members& members = object.get_object();
  const std::string api_version = request.resource.api_version();
  if (json::text_at(object, {"kind"}).empty()) members["kind"] = rules.resource.kind;
  if (json::text_at(object, {"apiVersion"}).empty()) members["apiVersion"] = api_version;
  std::string why = misfit(rules, request, object);
  if (!why.empty()) return unreadable(rules, request, object, why);
  return read_fields(context, rules, request, object);
}

Answer<void> check_namespace_of_body(const ResourceRules& rules, const kube::Request& request,
                                     json::Members& metadata) {
  const json::Value* given = metadata.if_contains("namespace");
  const std::string_view ns = given != nullptr && given->is_string() ? std::string_view(given->get_string()) : "";
  const std::string_view expected = rules.resource.scope == kube::Scope::Namespaced ? std::string_view(request.ns) : "";
  if (!ns.empty() && ns != expected) {
    return bad_request("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (expected.empty()) {
    metadata.erase("namespace");
  } else if (ns.empty()) {
    metadata["namespace"] = expected;
  }
  return {};
}

Answer<void> check_namespace_exists(const Context& context, const ResourceRules& rules, const kube::Request& request,
                                    std::string_view name) {
  if (rules.resource.scope != kube::Scope::Namespaced) return {};
  const Stored ns = context.store.find("namespaces", request.ns);
  if (!ns) return not_found(kube::kNamespaces, request.ns);
  if (!kube::is_being_deleted(*ns)) return {};
  auto refusal =
      forbidden(rules.resource, name,
                fmt::format("unable to create new content in namespace {} because it is being terminated", request.ns));
  refusal.error().details.get_object()["causes"] =
      json::Array{json::Value{{"reason", "NamespaceTerminating"},
                              {"message", fmt::format("namespace {} is being terminated", request.ns)},
                              {"field", "metadata.namespace"}}};
  return refusal;
}

Answer<void> choose_name(Context& context, const ResourceRules& rules, const kube::Request& request,
                         kube::Object& object) {
  json::Members& metadata = metadata_of(object);
  if (!kube::name_of(object).empty()) return {};
  const std::string base(json::text_at(object, {"metadata", "generateName"}));
  if (base.empty()) return {};
  std::string name;
  for (int tries = 0; tries < kNameTries; ++tries) {
    name = base.substr(0, kLongestGeneratedBase) + context.random.name_suffix();
    const std::string key = request.ns.empty() ? name : request.ns + "/" + name;
    if (!context.store.find(rules.shelf, key)) {
      metadata["name"] = name;
      return {};
    }
  }
  auto refusal = already_exists(rules.resource, name);
  refusal.error().message += ", the server was not able to generate a unique name for the object";
  return refusal;
}

void fill_in(const ResourceRules& rules, kube::Object& object) {
  if (rules.fill_in != nullptr) rules.fill_in(object);
  if (rules.custom && rules.custom->fill_in) rules.custom->fill_in(object);
}

void check(const Context& context, const ResourceRules& rules, const kube::Request& request, const kube::Object& fresh,
           const kube::Object* old, FieldErrors& errors) {
  if (rules.check != nullptr) rules.check(fresh, old, errors);
  if (!rules.custom) return;
  if (rules.custom->check) rules.custom->check(fresh, old, errors);
  const bool skips_transitions = context.bugs.has(Bug::TransitionRulesSkipped);
  check_custom(*rules.custom, request.subresource, fresh, skips_transitions ? nullptr : old, errors, context.warnings);
}

Refusal no_more_of(const ResourceRules& rules) {
  auto refusal = method_not_supported(rules.resource, "create");
  refusal.error().message = "create not allowed while custom resource definition is terminating";
  return refusal;
}

// May this write have changed metadata? Most patches cannot.
bool names_metadata(const kube::Request& request) {
  const bool is_merge = request.verb == kube::Verb::Patch &&
                        (request.patch == kube::PatchKind::Merge || request.patch == kube::PatchKind::Strategic);
  return !is_merge || json::find(request.body, {"metadata"}) != nullptr;
}

// Lists and maps of metadata that hold nothing are not there.
void drop_empty(json::Members& metadata) {
  for (const std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const json::Value* value = metadata.if_contains(key);
    if (value == nullptr) continue;
    const bool empty = value->is_null() || (value->is_object() && value->get_object().empty()) ||
                       (value->is_array() && value->get_array().empty());
    if (empty) metadata.erase(key);
  }
}

// What only the server may say about a new object.
void stamp_new(Context& context, const ResourceRules& rules, json::Members& metadata) {
  for (const std::string_view key : {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"})
    metadata.erase(key);
  metadata["uid"] = context.random.uuid();
  metadata["creationTimestamp"] = context.now();
  if (rules.has_generation) metadata["generation"] = 1;
}

}  // namespace

std::string key_of(const ResourceRules& rules, const kube::Request& request) {
  if (rules.resource.scope == kube::Scope::Cluster) return request.name;
  std::string key;
  key.reserve(request.ns.size() + 1 + request.name.size());
  return key.append(request.ns).append(1, '/').append(request.name);
}

Answer<Stored> look_up(const Context& context, const ResourceRules& rules, const kube::Request& request) {
  Stored found = context.store.find(rules.shelf, key_of(rules, request));
  if (!found) return not_found(rules.resource, request.name);
  return as_seen(rules, std::move(found));
}

Answer<Stored> create_object(Context& context, const ResourceRules& rules, const kube::Request& request, Draft draft) {
  kube::Object& object = *draft;
  if (rules.custom && rules.custom->is_ending) return no_more_of(rules);
  TRY_VOID(check_kind(context, rules, request, object));
  if (!rules.is_custom) drop_nulls(object);
  json::Members& metadata = metadata_of(object);
  TRY_VOID(check_namespace_of_body(rules, request, metadata));
  TRY_VOID(choose_name(context, rules, request, object));
  TRY_VOID(check_namespace_exists(context, rules, request, kube::name_of(object)));
  if (context.user != nullptr) TRY_VOID(check_escalation(context, rules, object, nullptr));
  if (!kube::version_of(object).empty()) {
    return Refusal(Rejection{500, "", "resourceVersion should not be set on objects to be created", {}});
  }

  stamp_new(context, rules, metadata);
  drop_empty(metadata);
  if (rules.has_status && rules.shelf != "nodes") object.get_object().erase("status");
  fill_in(rules, object);
  track_create(context, rules, request, object);  // before admission: fields that the server adds have no manager
  if (rules.on_create != nullptr) rules.on_create(object);
  if (context.policy != nullptr && rules.shelf == "pods") TRY_VOID(admit_pod(context, rules, object));

  FieldErrors errors;
  if (rules.is_custom) check_metadata(rules, object, nullptr, errors);
  check(context, rules, request, object, nullptr, errors);
  if (!rules.is_custom) check_metadata(rules, object, nullptr, errors);
  if (!errors.empty()) return invalid(rules.resource.group, rules.resource.kind, kube::name_of(object), errors);
  if (context.store.find(rules.shelf, kube::key_of(object)))
    return already_exists(rules.resource, kube::name_of(object));

  if (request.dry_run) return std::move(draft).seal();
  return keep(context, rules, std::move(draft));
}

Answer<Stored> update_object(Context& context, const ResourceRules& rules, const kube::Request& request,
                             const Stored& old, Draft draft) {
  kube::Object& fresh = *draft;
  TRY_VOID(check_kind(context, rules, request, fresh));
  json::Members& metadata = metadata_of(fresh);
  if (kube::name_of(fresh).empty()) {
    return bad_request(fmt::format("the name of the object ({} based on URL) was undeterminable: name must be provided",
                                   request.name));
  }
  if (const std::string_view name = kube::name_of(fresh); name != request.name) {
    return bad_request(
        fmt::format("the name of the object ({}) does not match the name on the URL ({})", name, request.name));
  }
  TRY_VOID(check_namespace_of_body(rules, request, metadata));
  if (!context.bugs.has(Bug::VersionNotChecked)) TRY_VOID(check_guards(rules, request, *old, fresh));

  FieldErrors errors;
  if (!leaves_identity_alone(request)) keep_identity(fresh, *old, errors);
  if (names_metadata(request)) drop_empty(metadata);
  if (!rules.is_custom && request.verb == kube::Verb::Replace) drop_nulls(fresh);
  fill_in(rules, fresh);
  if (context.user != nullptr) TRY_VOID(check_escalation(context, rules, fresh, old.get()));
  if (request.subresource == "status") {
    keep_all_but_status(rules, fresh, *old);
  } else if (rules.has_status && !leaves_status_alone(request) && !context.bugs.has(Bug::StatusThroughObject)) {
    restore_top(fresh.get_object(), old->get_object(), "status");
  }
  if (rules.on_update != nullptr) rules.on_update(fresh, *old);
  if (rules.has_generation && wish_changed(rules, fresh, *old) && !context.bugs.has(Bug::GenerationNotCounted)) {
    metadata["generation"] = std::min<std::int64_t>(json::int_at(*old, {"metadata", "generation"}), INT64_MAX - 1) + 1;
  }

  // What is wrong with metadata is said twice: by the server and by the kind. (Once in the message.)
  check_metadata(rules, fresh, old.get(), errors);
  if (!errors.empty()) check_metadata(rules, fresh, old.get(), errors);
  check(context, rules, request, fresh, old.get(), errors);
  if (!errors.empty()) return invalid(rules.resource.group, rules.resource.kind, request.name, errors);

  track_update(context, rules, request, *old, fresh);
  if (same(fresh, *old)) return old;
  if (request.dry_run) return std::move(draft).seal();
  if (ends_here(fresh, *old)) {
    context.store.erase(rules.shelf, key_of(rules, request));
    return std::move(draft).seal();
  }
  return keep(context, rules, std::move(draft));
}

Stored success(const ResourceRules* rules, const kube::Object* object) {
  kube::Object status = {
      {"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::Members()}, {"status", "Success"}};
  if (rules == nullptr) status.get_object()["code"] = 201;
  if (rules != nullptr && object != nullptr) {
    json::Members details;
    details["name"] = kube::name_of(*object);
    if (!rules->resource.group.empty()) details["group"] = rules->resource.group;
    details["kind"] = rules->resource.plural;
    details["uid"] = kube::uid_of(*object);
    status.get_object()["details"] = std::move(details);
  }
  return std::make_shared<const kube::Object>(std::move(status));
}

}  // namespace drover::sim
