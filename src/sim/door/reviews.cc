#include "sim/door/reviews.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/time.h"
#include "kube/object.h"
#include "sim/door/body.h"
#include "sim/door/options.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

constexpr std::string_view kAuthorization = "authorization.k8s.io";

std::vector<std::string> review_texts_at(const json::Value& value, json::Path path) {
  std::vector<std::string> texts;
  for (const json::Value& one : json::array_at(value, path)) {
    if (one.is_string()) texts.emplace_back(one.get_string());
  }
  return texts;
}

Answer<void> check_access_spec(const json::Value& review, std::string_view ns, bool about_others) {
  FieldErrors errors;
  const json::Value* on_resource = json::find(review, {"spec", "resourceAttributes"});
  const json::Value* on_path = json::find(review, {"spec", "nonResourceAttributes"});
  if (on_resource != nullptr && on_path != nullptr) {
    const json::Value shown = {{"Path", json::text_at(*on_path, {"path"})},
                               {"Verb", json::text_at(*on_path, {"verb"})}};
    errors.invalid("spec.nonResourceAttributes", json::text_of(shown),
                   "cannot be specified in combination with resourceAttributes");
  } else if (on_resource == nullptr && on_path == nullptr) {
    errors.invalid("spec.resourceAttributes", "null",
                   "exactly one of nonResourceAttributes or resourceAttributes must be specified");
  }
  if (about_others && json::text_at(review, {"spec", "user"}).empty() &&
      json::array_at(review, {"spec", "groups"}).empty()) {
    errors.invalid("spec.user", "\"\"", "at least one of user or group must be specified");
  }
  if (!ns.empty()) {
    const std::string_view asked = json::text_at(review, {"spec", "resourceAttributes", "namespace"});
    if (asked != ns) {
      errors.invalid("spec.resourceAttributes.namespace", quoted(asked), "must match metadata.namespace");
    }
    if (on_path != nullptr) errors.forbidden("spec.nonResourceAttributes", "disallowed on this kind of request");
  }
  if (errors.empty()) return {};
  return invalid(kAuthorization, "", "", errors);
}

rbac::Attributes asked_about(const json::Value& review) {
  rbac::Attributes what;
  if (const json::Value* on_path = json::find(review, {"spec", "nonResourceAttributes"})) {
    what.path = json::text_at(*on_path, {"path"});
    what.verb = json::text_at(*on_path, {"verb"});
    if (what.path.empty()) what.path = " ";  // an empty path matches nothing, and is still no resource
    return what;
  }
  const json::Value& on = *json::find(review, {"spec", "resourceAttributes"});
  what.verb = json::text_at(on, {"verb"});
  what.group = json::text_at(on, {"group"});
  what.resource = json::text_at(on, {"resource"});
  what.subresource = json::text_at(on, {"subresource"});
  what.name = json::text_at(on, {"name"});
  what.ns = json::text_at(on, {"namespace"});
  return what;
}

// managedFields of something that is never kept: what its spec says, field by field.
json::Value fields_of(const json::Members& members, bool is_top) {
  json::Members fields;
  if (!is_top) fields["."] = json::Members();
  for (const auto& member : members) {
    const json::Members* below = member.value().if_object();
    if (member.value().is_null()) continue;
    fields["f:" + std::string(member.key())] =
        below != nullptr && !below->empty() ? fields_of(*below, false) : json::Value(json::Members());
  }
  return fields;
}

json::Array managed_fields(const DoorContext& context, const Visit& visit, const json::Value& body,
                           std::string_view api_version) {
  const std::string_view manager = visit.wanted.query.text("fieldManager");
  json::Members entry = {
      {"manager", manager.empty() ? manager_from_agent(visit.request.header("User-Agent")) : std::string(manager)},
      {"operation", "Update"},
      {"apiVersion", api_version},
      {"time", base::rfc3339(context.loop.wall())},
      {"fieldsType", "FieldsV1"},
      {"fieldsV1", json::Members{{"f:spec", fields_of(json::members_at(body, {"spec"}), true)}}}};
  if (!visit.wanted.subresource.empty()) entry["subresource"] = visit.wanted.subresource;
  return {json::Value(std::move(entry))};
}

Answer<json::Value> access_review(const DoorContext& context, const Visit& visit, const kube::Resource& resource,
                                  json::Value review) {
  const bool self = resource.plural == "selfsubjectaccessreviews";
  const bool local = resource.plural == "localsubjectaccessreviews";
  TRY_VOID(check_access_spec(review, local ? visit.wanted.ns : std::string(), !self));
  Caller subject = visit.caller;
  if (!self) {
    subject = Caller{};
    subject.user.name = json::text_at(review, {"spec", "user"});
    subject.user.groups = review_texts_at(review, {"spec", "groups"});
  }
  const rbac::Decision decision = decide(context, subject, asked_about(review));
  json::Members status = {{"allowed", decision.allowed}};
  if (!decision.reason.empty()) status["reason"] = decision.reason;
  review.get_object()["status"] = std::move(status);
  return review;
}

Answer<json::Value> rules_review(const DoorContext& context, const Visit& visit, json::Value review) {
  const std::string_view ns = json::text_at(review, {"spec", "namespace"});
  if (ns.empty()) return bad_request("no namespace on request");
  review.get_object()["status"] = context.server.policy().rules_for(visit.caller.user, ns);
  review.get_object()["spec"] = json::Members();
  return review;
}

Answer<json::Value> token_review(const DoorContext& context, json::Value review) {
  const std::string_view token = json::text_at(review, {"spec", "token"});
  if (token.empty()) return bad_request("token is required for TokenReview in authentication");
  const auto audiences = review_texts_at(review, {"spec", "audiences"});
  const auto caller = context.identities.identify_token(token, audiences);
  json::Members status;
  if (caller) {
    status["authenticated"] = true;
    status["user"] = caller->info();
    json::Array shared;
    if (audiences.empty()) shared.emplace_back(kIssuer);
    for (const std::string& one : audiences) shared.emplace_back(one);
    status["audiences"] = std::move(shared);
  } else {
    status["user"] = json::Members();
    status["error"] = "invalid bearer token";
  }
  review.get_object()["status"] = std::move(status);
  return review;
}

// Ties the token to an object, which must exist; its end is the token's end.
Answer<void> bind(const DoorContext& context, const json::Value& ref, ResourceClaims& claims) {
  const std::string_view kind = json::text_at(ref, {"kind"});
  const std::string_view name = json::text_at(ref, {"name"});
  const std::string_view version = json::text_at(ref, {"apiVersion"});
  const kube::Resource* resource = nullptr;
  for (const kube::Resource* one : {&kube::kPods, &kube::kSecrets, &kube::kNodes}) {
    if (one->kind == kind && version == "v1") resource = one;
  }
  if (resource == nullptr) {
    return bad_request(fmt::format(
        "cannot bind token to object of type {}, Kind={}",
        version.find('/') == std::string_view::npos ? "/" + std::string(version) : std::string(version), kind));
  }
  const bool cluster = resource->scope == kube::Scope::Cluster;
  const Stored bound =
      context.server.store().find(resource->plural, cluster ? std::string(name) : claims.ns + "/" + std::string(name));
  if (!bound) return not_found(*resource, name);
  const std::string_view uid = json::text_at(ref, {"uid"});
  if (!uid.empty() && uid != kube::uid_of(*bound)) {
    return conflict(*resource, name,
                    fmt::format("the UID in the bound object reference ({}) does not match the UID in record. The "
                                "object might have been deleted and then recreated",
                                uid));
  }
  claims.bound_kind = kind;
  claims.bound_name = name;
  claims.bound_uid = kube::uid_of(*bound);
  return {};
}

Answer<std::int64_t> lifetime_of(const json::Value& body) {
  constexpr std::int64_t kHour = 3600;
  const std::int64_t seconds = json::int_at(body, {"spec", "expirationSeconds"}, kHour);
  FieldErrors errors;
  if (seconds < 600) {
    errors.invalid("spec.expirationSeconds", std::to_string(seconds),
                   "may not specify a duration less than 10 minutes");
  } else if (seconds > (1LL << 32)) {
    errors.invalid("spec.expirationSeconds", std::to_string(seconds),
                   "may not specify a duration larger than 2^32 seconds");
  }
  if (!errors.empty()) return invalid("authentication.k8s.io", "TokenRequest", "", errors);
  return seconds;
}

}  // namespace

Answer<json::Value> answer_review(const DoorContext& context, const Visit& visit, const kube::Resource& resource) {
  TRY(json::Value review, read_object(visit.request, resource.group, resource.version, resource.kind, false));
  json::Members& members = review.get_object();
  members["kind"] = resource.kind;
  members["apiVersion"] = resource.api_version();
  if (!members.contains("metadata")) members["metadata"] = json::Members();
  if (!members.contains("spec") && resource.plural != "selfsubjectreviews") members["spec"] = json::Members();
  if (resource.plural == "selfsubjectreviews") {
    json::ensure(review, {"metadata", "creationTimestamp"}) = base::rfc3339(context.loop.wall());
    review.get_object()["status"] = json::Members{{"userInfo", visit.caller.info()}};
    return review;
  }
  if (resource.plural != "selfsubjectrulesreviews") {
    json::ensure(review, {"metadata", "managedFields"}) =
        managed_fields(context, visit, review, resource.api_version());
  }
  if (resource.plural == "tokenreviews") return token_review(context, std::move(review));
  if (resource.plural == "selfsubjectrulesreviews") return rules_review(context, visit, std::move(review));
  return access_review(context, visit, resource, std::move(review));
}

Answer<json::Value> answer_token_request(const DoorContext& context, const Visit& visit) {
  const Wanted& wanted = visit.wanted;
  TRY(json::Value body, read_object(visit.request, "authentication.k8s.io", "v1", "TokenRequest", false));
  TRY(const std::int64_t seconds, lifetime_of(body));
  const Stored account = context.server.store().find("serviceaccounts", wanted.ns + "/" + wanted.name);
  if (!account) return not_found(kube::kServiceAccounts, wanted.name);
  ResourceClaims claims{.ns = wanted.ns, .account = wanted.name, .account_uid = std::string(kube::uid_of(*account))};
  claims.audiences = review_texts_at(body, {"spec", "audiences"});
  if (claims.audiences.empty()) claims.audiences.emplace_back(kIssuer);
  const json::Value* ref = json::find(body, {"spec", "boundObjectRef"});
  if (ref != nullptr && ref->is_object()) TRY_VOID(bind(context, *ref, claims));
  claims.issued_at = std::chrono::floor<std::chrono::seconds>(context.loop.wall());
  claims.expires_at = claims.issued_at + std::chrono::seconds(seconds);
  claims.id = context.random.uuid();

  json::ensure(body, {"spec", "expirationSeconds"}) = seconds;
  json::Array managed = managed_fields(context, visit, body, "authentication.k8s.io/v1");
  json::Array audiences;
  for (const std::string& one : claims.audiences) audiences.emplace_back(one);
  return json::Value{{"kind", "TokenRequest"},
                     {"apiVersion", "authentication.k8s.io/v1"},
                     {"metadata",
                      {{"name", wanted.name},
                       {"namespace", wanted.ns},
                       {"uid", claims.account_uid},
                       {"creationTimestamp", base::rfc3339(claims.issued_at)},
                       {"managedFields", std::move(managed)}}},
                     {"spec",
                      {{"audiences", std::move(audiences)},
                       {"expirationSeconds", seconds},
                       {"boundObjectRef", ref == nullptr ? json::Value(nullptr) : *ref}}},
                     {"status",
                      {{"token", context.identities.signer().sign(claims)},
                       {"expirationTimestamp", base::rfc3339(claims.expires_at)}}}};
}

}  // namespace drover::sim::door
