#include "sim/server/field_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/cel/go_text.h"
#include "sim/server/custom_kinds.h"
#include "sim/server/field_walks.h"
#include "sim/types/types.h"

namespace drover::sim {
namespace {

constexpr std::string_view kMetadata[] = {"annotations",
                                          "creationTimestamp",
                                          "deletionGracePeriodSeconds",
                                          "deletionTimestamp",
                                          "finalizers",
                                          "generateName",
                                          "generation",
                                          "labels",
                                          "managedFields",
                                          "name",
                                          "namespace",
                                          "ownerReferences",
                                          "resourceVersion",
                                          "selfLink",
                                          "uid"};

// What metadata does not know, taken out; the names, sorted.
std::vector<std::string> prune_metadata(kube::Object& object) {
  std::vector<std::string> gone;
  json::Value* metadata = json::find(object, {"metadata"});
  if (metadata == nullptr || !metadata->is_object()) return gone;
  for (const auto& member : metadata->get_object()) {
    if (std::find(std::begin(kMetadata), std::end(kMetadata), std::string_view(member.key())) == std::end(kMetadata)) {
      gone.emplace_back(member.key());
    }
  }
  for (const std::string& name : gone) metadata->get_object().erase(name);
  std::sort(gone.begin(), gone.end());
  return gone;
}

// What a custom kind's schema does not know goes.
std::vector<std::string> shape_custom(const Context& context, const ResourceRules& rules, kube::Object& object) {
  std::vector<std::string> all;
  for (const std::string& name : prune_metadata(object))
    all.push_back(fmt::format("unknown field \"metadata.{}\"", name));
  for (const std::string& path : shape(*rules.custom->version, object, context.bugs))
    all.push_back(fmt::format("unknown field \"{}\"", path));
  return all;
}

// What a built-in type does not know goes.
void drop_unknown(const types::Type& type, json::Value& value) {
  if (auto* array = value.if_array(); array != nullptr && type.shape == types::JsonShape::List) {
    for (json::Value& item : *array) drop_unknown(*type.element, item);
  }
  auto* object = value.if_object();
  if (object == nullptr || (type.shape != types::JsonShape::Object && type.shape != types::JsonShape::Map)) return;
  std::vector<std::string> unknown;
  for (auto& member : *object) {
    if (type.shape == types::JsonShape::Map) {
      drop_unknown(*type.element, member.value());
    } else if (const types::Field* field = type.field(member.key())) {
      drop_unknown(*field->type, member.value());
    } else {
      unknown.emplace_back(member.key());
    }
  }
  for (const std::string& key : unknown) object->erase(key);
}

bool is_patch(const kube::Request& request, kube::PatchKind kind) {
  return request.verb == kube::Verb::Patch && request.patch == kind;
}

Answer<std::vector<std::string>> read_built_in(const ResourceRules& rules, const kube::Request& request,
                                               const types::Type& type, kube::Object& object) {
  if (is_patch(request, kube::PatchKind::Strategic)) {
    const std::string error = types::conversion_error(type, object);
    if (!error.empty()) return unreadable(rules, request, object, error);
  }
  types::Reading reading = types::read(type, object);
  if (!reading.malformed.empty()) return unreadable(rules, request, object, reading.malformed);
  if (!reading.strict.empty()) drop_unknown(type, object);
  std::vector<std::string> all = std::move(reading.strict);
  all.insert(all.end(), request.duplicates.begin(), request.duplicates.end());
  return all;
}

}  // namespace

std::string go_map(const json::Value& value) {
  if (const auto* object = value.if_object()) {
    std::vector<std::string> keys;
    for (const auto& member : *object) keys.emplace_back(member.key());
    std::sort(keys.begin(), keys.end());
    std::string text = "map[";
    for (const std::string& key : keys) {
      text += fmt::format("{}{}:{}", text.size() > 4 ? " " : "", key, go_map(object->at(key)));
    }
    return text + "]";
  }
  if (const auto* array = value.if_array()) {
    std::string text = "[";
    for (const json::Value& item : *array) text += fmt::format("{}{}", text.size() > 1 ? " " : "", go_map(item));
    return text + "]";
  }
  if (const auto* text = value.if_string()) return std::string(*text);
  if (const auto* number = value.if_double()) return cel::go_float(*number);
  return value.is_null() ? "<nil>" : json::text_of(value);
}

Refusal unreadable(const ResourceRules& rules, const kube::Request& request, const kube::Object& object,
                   std::string_view why) {
  if (request.verb == kube::Verb::Patch) {
    FieldErrors errors;
    const std::string shown =
        is_patch(request, kube::PatchKind::Strategic) ? go_map(request.body) : json::text_of(object);
    errors.invalid("patch", quoted(shown), why);
    return invalid("", "", "", errors);
  }
  const std::string_view version = json::text_at(object, {"apiVersion"});
  const std::size_t slash = version.find('/');
  return bad_request(fmt::format("{} in version {} cannot be handled as a {}: {}", json::text_at(object, {"kind"}),
                                 quoted(slash == std::string_view::npos ? version : version.substr(slash + 1)),
                                 rules.resource.kind, why));
}

Answer<void> read_fields(const Context& context, const ResourceRules& rules, const kube::Request& request,
                         kube::Object& object) {
  const bool is_schema = rules.custom && rules.custom->version != nullptr;
  if (!is_schema && request.field_validation == kube::FieldValidation::Unsaid) return {};
  const bool strict = request.field_validation == kube::FieldValidation::Strict;
  // What is refused is shown as it came.
  const kube::Object sent = strict && request.verb == kube::Verb::Patch ? object : kube::Object();
  std::vector<std::string> all;
  if (is_schema) {
    all = request.duplicates;
    const std::vector<std::string> unknown = shape_custom(context, rules, object);
    all.insert(all.end(), unknown.begin(), unknown.end());
  } else if (const types::Type* type = types::find(rules.resource.group, rules.resource.version, rules.resource.kind)) {
    TRY(all, read_built_in(rules, request, *type, object));
  }
  // Apply has read its body by the schema already, and is not strict about text.
  if (all.empty() || is_patch(request, kube::PatchKind::Apply)) return {};
  if (strict) {
    const std::string why = fmt::format("strict decoding error: {}", fmt::join(all, ", "));
    return unreadable(rules, request, sent.is_null() ? object : sent, why);
  }
  if (request.field_validation == kube::FieldValidation::Warn && context.warnings != nullptr) {
    context.warnings->insert(context.warnings->end(), all.begin(), all.end());
  }
  return {};
}

namespace {

Refusal no_typed_patch(const ResourceRules& rules, const kube::Request& request, std::string_view why) {
  return Refusal(Rejection{
      500,
      "",
      fmt::format("failed to create typed patch object ({}/{}; {}{}, Kind={}): {}", kube::namespace_of(request.body),
                  kube::name_of(request.body), rules.resource.group.empty() ? "/" : "", rules.resource.api_version(),
                  rules.resource.kind, why),
      {}});
}

}  // namespace

Answer<void> fits_type(const ResourceRules& rules, const kube::Request& request) {
  if (request.field_validation == kube::FieldValidation::Unsaid) return {};
  const types::Type* type = rules.custom
                                ? rules.custom->shape.get()
                                : types::find(rules.resource.group, rules.resource.version, rules.resource.kind);
  if (type == nullptr) return {};
  const std::string error = types::apply_error(*type, request.body);
  if (error.empty()) return {};
  return no_typed_patch(rules, request, error);
}

Answer<void> nothing_twice(const ResourceRules& rules, const kube::Request& request, const FieldTypes& types) {
  const std::string twice = given_twice(request.body, types);
  if (twice.empty()) return {};
  return no_typed_patch(rules, request, twice);
}

}  // namespace drover::sim
