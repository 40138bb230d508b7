// Schema to type. What a schema does not describe (unknown fields that are merely preserved) stays invisible.
#include "sim/crd/cel_type.h"

#include <utility>

namespace drover::sim::crd {

namespace {

using cel::Type;
using cel::TypeRef;
using Kind = cel::Type::Kind;

TypeRef string_type(const std::string& format) {
  if (format == "byte") return cel::plain(Kind::Bytes);
  if (format == "duration") return cel::plain(Kind::Duration);
  if (format == "date" || format == "date-time") return cel::plain(Kind::Timestamp);
  return cel::plain(Kind::String);
}

TypeRef array_type(const Schema& schema, const std::string& name) {
  if (!schema.items) return nullptr;
  TypeRef item = cel_type(*schema.items, schema.items->embedded_resource, name + ".@idx");
  if (!item) return nullptr;
  auto made = std::make_shared<Type>(Type{.kind = Kind::List, .of = {std::move(item)}});
  if (schema.list_type == "set") made->listing = Type::Listing::Set;
  if (schema.list_type == "map") {
    made->listing = Type::Listing::Keyed;
    made->keys = schema.list_keys;
  }
  return made;
}

TypeRef metadata_type(const std::string& name) {
  Type made{.kind = Kind::Object, .name = name};
  made.fields["name"] = {"name", cel::plain(Kind::String)};
  made.fields["generateName"] = {"generateName", cel::plain(Kind::String)};
  return std::make_shared<Type>(std::move(made));
}

TypeRef object_type(const Schema& schema, bool resource_root, const std::string& name) {
  if (schema.additional) {
    TypeRef value = cel_type(*schema.additional, schema.additional->embedded_resource, name + ".@elem");
    return value ? cel::map_of(cel::plain(Kind::String), std::move(value)) : nullptr;
  }
  Type made{.kind = Kind::Object, .name = name};
  for (const auto& [property, part] : schema.properties) {
    const auto escaped = cel::escape(property);
    if (!escaped) continue;
    if (TypeRef type = cel_type(*part, part->embedded_resource, name + "." + *escaped)) {
      made.fields[*escaped] = {property, std::move(type)};
    }
  }
  if (resource_root) {
    made.fields["kind"] = {"kind", cel::plain(Kind::String)};
    made.fields["apiVersion"] = {"apiVersion", cel::plain(Kind::String)};
    made.fields["metadata"] = {"metadata", metadata_type(name + ".metadata")};
  }
  return std::make_shared<Type>(std::move(made));
}

}  // namespace

cel::TypeRef cel_type(const Schema& schema, bool resource_root, const std::string& name) {
  if (schema.int_or_string) return cel::plain(Kind::Dyn);
  if (schema.type == "array") return array_type(schema, name);
  if (schema.type == "object") return object_type(schema, resource_root, name);
  if (schema.type == "string") return string_type(schema.format);
  if (schema.type == "boolean") return cel::plain(Kind::Bool);
  if (schema.type == "number") return cel::plain(Kind::Double);
  if (schema.type == "integer") return cel::plain(Kind::Int);
  return nullptr;
}

}  // namespace drover::sim::crd
