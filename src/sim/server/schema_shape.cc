// A CRD's schema in the form in which the built-in kinds are described: server-side apply says the same words about
// both.
#include <algorithm>
#include <deque>
#include <utility>

#include "sim/server/custom_kinds.h"
#include "sim/types/types.h"

namespace drover::sim {
namespace {

using types::JsonShape;
using types::Type;

// All types of one schema; the names in them are the schema's own.
struct Shapes {
  crd::SchemaRef schema;
  std::deque<Type> all;

  const Type* plain(JsonShape shape) {
    all.push_back({});
    all.back().shape = shape;
    return &all.back();
  }

  const Type* of(const crd::Schema& from) {
    if (from.preserves_unknown() || from.embedded_resource) return plain(JsonShape::Anything);
    if (from.int_or_string) return plain(JsonShape::IntOrString);
    if (from.type == "string") return plain(JsonShape::Text);
    if (from.type == "boolean") return plain(JsonShape::Flag);
    if (from.type == "integer") return plain(JsonShape::Integer64);
    if (from.type == "number") return plain(JsonShape::Number);
    if (from.type == "array" && from.items) {
      const Type* element = of(*from.items);
      all.push_back({});
      all.back().shape = JsonShape::List;
      all.back().element = element;
      return &all.back();
    }
    if (from.type == "object" && from.additional) {
      const Type* element = of(*from.additional);
      all.push_back({});
      all.back().shape = JsonShape::Map;
      all.back().element = element;
      return &all.back();
    }
    if (from.type != "object" || from.additional_allowed.value_or(false)) return plain(JsonShape::Anything);
    return object(from, false);
  }

  const Type* object(const crd::Schema& from, bool root) {
    std::vector<types::Field> fields;
    for (const auto& [name, part] : from.properties) {
      if (root && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
      types::Field field{.name = name, .type = of(*part)};
      if (part->list_type == "map") {
        field.merge = types::Merge::Map;
        for (const std::string& key : part->list_keys) field.keys.emplace_back(key);
      } else if (part->list_type == "set") {
        field.merge = types::Merge::Set;
      }
      fields.push_back(std::move(field));
    }
    if (root) {
      fields.push_back({.name = "apiVersion", .type = plain(JsonShape::Text)});
      fields.push_back({.name = "kind", .type = plain(JsonShape::Text)});
      const Type* any = types::find("", "v1", "ConfigMap");
      const types::Field* metadata = any != nullptr ? any->field("metadata") : nullptr;
      fields.push_back({.name = "metadata", .type = metadata != nullptr ? metadata->type : plain(JsonShape::Anything)});
    }
    std::sort(fields.begin(), fields.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    all.push_back({});
    all.back().shape = JsonShape::Object;
    all.back().fields = std::move(fields);
    return &all.back();
  }
};

}  // namespace

std::shared_ptr<const Type> shape_of_schema(const crd::SchemaRef& schema) {
  auto shapes = std::make_shared<Shapes>();
  shapes->schema = schema;
  const Type* root = schema->preserves_unknown() ? shapes->plain(JsonShape::Anything) : shapes->object(*schema, true);
  return {shapes, root};
}

}  // namespace drover::sim
