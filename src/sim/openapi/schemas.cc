#include "sim/openapi/schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace drover::sim::openapi {
namespace {

using types::JsonShape;
using types::Merge;
using types::Type;

constexpr std::string_view kMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.";

struct SchemaType {
  std::string_view type;
  std::string_view format = "";
};

SchemaType schema_type_of(JsonShape shape) {
  switch (shape) {
    case JsonShape::Bytes: return {"string", "byte"};
    case JsonShape::Time:
    case JsonShape::MicroTime: return {"string", "date-time"};
    case JsonShape::Integer32: return {"integer", "int32"};
    case JsonShape::Integer64: return {"integer", "int64"};
    case JsonShape::Number: return {"number", "double"};
    case JsonShape::Flag: return {"boolean"};
    case JsonShape::Object:
    case JsonShape::Map: return {"object"};
    case JsonShape::List: return {"array"};
    default: return {"string"};
  }
}

void say(json::Members& schema, const SchemaType& words) {
  schema["type"] = words.type;
  if (!words.format.empty()) schema["format"] = words.format;
}

json::Value one_of(std::string_view first, std::string_view second) {
  return json::Array{json::Members{{"type", first}}, json::Members{{"type", second}}};
}

// Types that read themselves have definitions of their own.
json::Value own_reader(const Type& type) {
  json::Members schema;
  switch (type.shape) {
    case JsonShape::Time:
      schema["description"] = "a time with whole seconds, as in 2026-11-15T12:00:00Z";
      say(schema, schema_type_of(type.shape));
      break;
    case JsonShape::MicroTime:
      schema["description"] = "a time with six digits after the point, as in 2026-11-15T12:00:00.000000Z";
      say(schema, schema_type_of(type.shape));
      break;
    case JsonShape::Quantity:
      schema["description"] = "an amount with a unit, as in 500m, 1.5Gi or 2e3";
      schema["oneOf"] = one_of("string", "number");
      break;
    case JsonShape::IntOrString:
      schema["description"] = "a number, or a text such as a name or 25%";
      schema["format"] = "int-or-string";
      schema["oneOf"] = one_of("integer", "string");
      break;
    default:
      schema["description"] = "anything that JSON can say";
      // Fields and extensions are objects; parts of schemas may be anything.
      if (type.name == "FieldsV1" || type.name == "RawExtension") schema["type"] = "object";
  }
  return schema;
}

json::Value described(std::string_view about, std::string_view definition) {
  return json::Members{{"description", about}, {"allOf", json::Array{reference(definition)}}};
}

}  // namespace

json::Value reference(std::string_view definition) {
  return json::Members{{"$ref", fmt::format("#/components/schemas/{}", definition)}};
}

json::Value kind_mark(std::string_view group, std::string_view version, std::string_view kind) {
  return json::Array{json::Members{{"group", group}, {"kind", kind}, {"version", version}}};
}

json::Value list_schema(std::string_view group, std::string_view version, std::string_view kind,
                        std::string_view list_kind, std::string_view definition) {
  return json::Members{
      {"description", fmt::format("a list of {} objects", kind)},
      {"type", "object"},
      {"required", json::Array{"items"}},
      {"properties",
       json::Members{
           {"apiVersion", json::Members{{"description", "group and version of the list"}, {"type", "string"}}},
           {"items",
            json::Members{{"description", "the objects"}, {"type", "array"}, {"items", reference(definition)}}},
           {"kind", json::Members{{"description", "what kind of list it is"}, {"type", "string"}}},
           {"metadata", described("about the list as a whole", fmt::format("{}ListMeta", kMeta))}}},
      {"x-kubernetes-group-version-kind", kind_mark(group, version, list_kind)}};
}

// How a value of this type is written where it is used: by reference when it has a definition, else written out.
json::Value Schemas::written(const Type& type) {
  if (!type.definition.empty() && type.shape != JsonShape::List && type.shape != JsonShape::Map) {
    add(type);
    return reference(type.definition);
  }
  json::Members schema;
  say(schema, schema_type_of(type.shape));
  if (!type.choices.empty()) {
    json::Array& choices = schema["enum"].emplace_array();
    for (const std::string_view choice : type.choices) choices.emplace_back(choice);
  }
  if (type.element != nullptr)
    schema[type.shape == JsonShape::List ? "items" : "additionalProperties"] = written(*type.element);
  return schema;
}

json::Value Schemas::property(const types::Field& field) {
  json::Value value = written(*field.type);
  json::Members schema{{"description", field.about}};
  if (value.get_object().contains("$ref")) {
    schema["allOf"] = json::Array{std::move(value)};
  } else {
    for (auto& member : value.get_object()) schema[member.key()] = std::move(member.value());
  }
  const bool is_list = field.type->shape == JsonShape::List || field.type->shape == JsonShape::Bytes;
  if (field.merge == Merge::Map) {
    json::Array& keys = schema["x-kubernetes-list-map-keys"].emplace_array();
    for (const std::string_view key : field.keys) keys.emplace_back(key);
    schema["x-kubernetes-list-type"] = "map";
  } else if (field.merge == Merge::Set) {
    schema["x-kubernetes-list-type"] = "set";
  } else if (field.merge != Merge::Unsaid) {
    schema[is_list ? "x-kubernetes-list-type" : "x-kubernetes-map-type"] =
        field.merge == Merge::Atomic ? "atomic" : "granular";
  }
  if (!field.patch_key.empty()) schema["x-kubernetes-patch-merge-key"] = field.patch_key;
  std::string strategy = field.patch_merges ? "merge" : "";
  if (field.patch_replaces) strategy = "replace";
  if (field.patch_retains_keys) strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
  if (!strategy.empty()) schema["x-kubernetes-patch-strategy"] = strategy;
  return schema;
}

void Schemas::add(const Type& type) {
  if (type.definition.empty() || members_.contains(type.definition)) return;
  members_[type.definition];  // types may lead back to themselves
  if (type.shape != JsonShape::Object) {
    members_[type.definition] = own_reader(type);
    return;
  }
  json::Members schema{{"description", type.about}, {"type", "object"}};
  json::Array required;
  json::Members properties;
  for (const types::Field& field : type.fields) {
    if (field.required) required.emplace_back(field.name);
    properties[field.name] = property(field);
  }
  if (!required.empty()) schema["required"] = std::move(required);
  if (!properties.empty()) schema["properties"] = std::move(properties);
  if (!type.version.empty()) schema["x-kubernetes-group-version-kind"] = kind_mark(type.group, type.version, type.name);
  if (type.atomic) schema["x-kubernetes-map-type"] = "atomic";
  members_[type.definition] = std::move(schema);
}

void Schemas::add(const std::string& definition, json::Value schema) { members_[definition] = std::move(schema); }

json::Members Schemas::take() {
  std::vector<std::pair<std::string, json::Value>> sorted;
  for (auto& member : members_) sorted.emplace_back(std::string(member.key()), std::move(member.value()));
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  json::Members schemas;
  for (auto& [name, schema] : sorted) schemas[name] = std::move(schema);
  members_.clear();
  return schemas;
}

}  // namespace drover::sim::openapi
