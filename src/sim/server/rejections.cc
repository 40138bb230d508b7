#include "sim/server/rejections.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kube/status.h"

namespace drover::sim {
namespace {

json::Value details(const kube::Resource& resource, std::string_view name) {
  json::Members members;
  if (!name.empty()) members["name"] = name;
  if (!resource.group.empty()) members["group"] = resource.group;
  members["kind"] = resource.plural;
  return members;
}

Refusal refuse(int code, std::string_view reason, std::string message, json::Value details = {}) {
  return Refusal(Rejection{code, std::string(reason), std::move(message), std::move(details)});
}

}  // namespace

json::Value Rejection::status() const { return kube::make_status(code, reason, message, details); }

std::string quoted(std::string_view text) { return json::text_of(json::Value(text)); }

Refusal not_found(const kube::Resource& resource, std::string_view name) {
  return refuse(404, "NotFound", fmt::format("{} {} not found", resource.qualified(), quoted(name)),
                details(resource, name));
}

Refusal already_exists(const kube::Resource& resource, std::string_view name) {
  return refuse(409, "AlreadyExists", fmt::format("{} {} already exists", resource.qualified(), quoted(name)),
                details(resource, name));
}

Refusal conflict(const kube::Resource& resource, std::string_view name, std::string_view why) {
  return refuse(409, "Conflict",
                fmt::format("Operation cannot be fulfilled on {} {}: {}", resource.qualified(), quoted(name), why),
                details(resource, name));
}

Refusal modified_since(const kube::Resource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Refusal forbidden(const kube::Resource& resource, std::string_view name, std::string_view why) {
  const std::string what =
      name.empty() ? resource.qualified() : fmt::format("{} {}", resource.qualified(), quoted(name));
  return refuse(403, "Forbidden", fmt::format("{} is forbidden: {}", what, why), details(resource, name));
}

Refusal bad_request(std::string message) { return refuse(400, "BadRequest", std::move(message)); }

Refusal method_not_supported(const kube::Resource& resource, std::string_view action) {
  return refuse(405, "MethodNotAllowed",
                fmt::format("{} is not supported on resources of kind {}", action, quoted(resource.qualified())),
                details(resource, {}));
}

Refusal expired(std::string message) { return refuse(410, "Expired", std::move(message)); }

Refusal too_old(std::uint64_t asked, std::uint64_t oldest) {
  return expired(fmt::format("too old resource version: {} ({})", asked, oldest));
}

Refusal internal_error(std::string_view why) {
  return refuse(500, "InternalError", fmt::format("Internal error occurred: {}", why),
                {{"causes", json::Array{json::Members{{"message", why}}}}});
}

Refusal no_such_resource() {
  return refuse(404, "NotFound", "the server could not find the requested resource", json::Members());
}

Refusal unsupported_media_type(std::string message) { return refuse(415, "UnsupportedMediaType", std::move(message)); }

Refusal held_by_budget(std::string_view cause, int retry_after_seconds) {
  json::Members members;
  members["causes"] = json::Array{json::Value{{"reason", "DisruptionBudget"}, {"message", cause}}};
  if (retry_after_seconds > 0) members["retryAfterSeconds"] = retry_after_seconds;
  auto refusal = refuse(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.",
                        std::move(members));
  if (retry_after_seconds > 0) refusal.error().retry_after = std::chrono::seconds(retry_after_seconds);
  return refusal;
}

// Field errors.

void FieldErrors::invalid(std::string field, std::string_view value, std::string_view detail) {
  errors_.push_back({"FieldValueInvalid", std::move(field), fmt::format("Invalid value: {}: {}", value, detail)});
}

void FieldErrors::required(std::string field, std::string_view detail) {
  std::string body = "Required value";
  if (!detail.empty()) body += fmt::format(": {}", detail);
  errors_.push_back({"FieldValueRequired", std::move(field), std::move(body)});
}

void FieldErrors::forbidden(std::string field, std::string_view detail) {
  errors_.push_back({"FieldValueForbidden", std::move(field), fmt::format("Forbidden: {}", detail)});
}

void FieldErrors::duplicate(std::string field, std::string_view value) {
  errors_.push_back({"FieldValueDuplicate", std::move(field), fmt::format("Duplicate value: {}", value)});
}

void FieldErrors::not_supported(std::string field, std::string_view value, const std::vector<std::string>& supported) {
  std::string list;
  for (const std::string& one : supported) list += (list.empty() ? "" : ", ") + quoted(one);
  errors_.push_back({"FieldValueNotSupported", std::move(field),
                     fmt::format("Unsupported value: {}: supported values: {}", value, list)});
}

void FieldErrors::too_long(std::string field, std::size_t most) {
  errors_.push_back(
      {"FieldValueTooLong", std::move(field), fmt::format("Too long: may not be more than {} bytes", most)});
}

void FieldErrors::not_found(std::string field, std::string_view value) {
  errors_.push_back({"FieldValueNotFound", std::move(field), fmt::format("Not found: {}", value)});
}

Refusal invalid(std::string_view group, std::string_view kind, std::string_view name, const FieldErrors& errors) {
  json::Array causes;
  std::vector<std::string> texts;
  for (const FieldError& error : errors.all()) {
    causes.push_back({{"reason", error.reason}, {"message", error.body}, {"field", error.field}});
    std::string text = error.text();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  const std::string all = texts.size() == 1 ? texts[0] : fmt::format("[{}]", fmt::join(texts, ", "));

  json::Members members;
  if (!name.empty()) members["name"] = name;
  if (!group.empty()) members["group"] = group;
  if (!kind.empty()) members["kind"] = kind;
  members["causes"] = std::move(causes);
  const std::string qualified = group.empty() ? std::string(kind) : fmt::format("{}.{}", kind, group);
  return refuse(422, "Invalid", fmt::format("{} {} is invalid: {}", qualified, quoted(name), all), std::move(members));
}

}  // namespace drover::sim
