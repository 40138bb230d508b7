#include "observe/definition_facts.h"

#include <algorithm>

#include "base/text.h"

namespace drover::observe {
namespace {

bool keeps_unknown(const json::Value& schema) {
  return json::flag_at(schema, {"x-kubernetes-preserve-unknown-fields"});
}

// Every step of the path is known, or below something that keeps whatever is there.
bool knows(const json::Value& schema, std::string_view path) {
  const json::Value* at = &schema;
  for (const std::string_view step : base::split(path, '.')) {
    if (keeps_unknown(*at)) return true;
    at = json::find(*at, {"properties", step});
    if (at == nullptr) return false;
  }
  return true;
}

class Keeper {
 public:
  Keeper(const std::function<std::string_view(std::string_view)>& other_word, std::set<std::string>& lost)
      : other_word_(other_word), lost_(lost) {}

  std::optional<json::Value> keep(const json::Value& value, const json::Value& schema, const std::string& path) {
    if (!schema.is_object()) return value;  // "additionalProperties: true"
    if (!has_type(value, json::text_at(schema, {"type"}))) return lose(path);
    if (value.is_object()) return keep_object(value.get_object(), schema, path);
    if (value.is_array()) return keep_array(value.get_array(), schema, path);
    if (value.is_string()) return keep_word(value, schema, path);
    return value;
  }

 private:
  std::optional<json::Value> lose(const std::string& path) {
    lost_.insert(path);
    return {};
  }

  static bool has_type(const json::Value& value, std::string_view type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_bool();
    if (type == "integer") return value.is_int64() || value.is_uint64();
    if (type == "number") return value.is_number();
    return true;
  }

  std::optional<json::Value> keep_object(const json::Members& members, const json::Value& schema,
                                         const std::string& path) {
    json::Members kept;
    for (const auto& member : members) {
      const std::string name(member.key());
      const std::string below = path + "." + name;
      const json::Value* its_schema = json::find(schema, {"properties", name});
      if (its_schema == nullptr) its_schema = json::find(schema, {"additionalProperties"});
      if (its_schema == nullptr && keeps_unknown(schema)) {
        kept[name] = member.value();
      } else if (its_schema == nullptr) {
        lose(below);
      } else if (auto value = keep(member.value(), *its_schema, below)) {
        kept[name] = std::move(*value);
      }
    }
    for (const json::Value& required : json::array_at(schema, {"required"})) {
      if (required.is_string() && !kept.contains(required.get_string())) return lose(path);
    }
    return kept;
  }

  std::optional<json::Value> keep_array(const json::Array& items, const json::Value& schema, const std::string& path) {
    const json::Value* its_schema = json::find(schema, {"items"});
    if (its_schema == nullptr) return items;
    json::Array kept;
    for (const json::Value& item : items) {
      if (auto value = keep(item, *its_schema, path + "[]")) kept.push_back(std::move(*value));
    }
    return kept;
  }

  std::optional<json::Value> keep_word(const json::Value& value, const json::Value& schema, const std::string& path) {
    const json::Array& known = json::array_at(schema, {"enum"});
    if (known.empty()) return value;
    std::string_view word = value.get_string();
    while (!word.empty()) {
      if (std::find(known.begin(), known.end(), json::Value(word)) != known.end()) return json::Value(word);
      lost_.insert(path + "=" + std::string(word));
      word = other_word_ ? other_word_(word) : std::string_view();
    }
    return {};
  }

  const std::function<std::string_view(std::string_view)>& other_word_;
  std::set<std::string>& lost_;
};

}  // namespace

kube::Projection definition_projection() { return {"spec.versions"}; }

DefinitionFacts definition_facts(const kube::Object& definition, const vendors::WorkProfile::Kind& kind) {
  DefinitionFacts facts{.version = std::string(kube::version_of(definition))};
  for (const json::Value& version : json::array_at(definition, {"spec", "versions"})) {
    if (json::text_at(version, {"name"}) != kind.version) continue;
    facts.has_status = json::find(version, {"subresources", "status"}) != nullptr;
    const json::Value* schema = json::find(version, {"schema", "openAPIV3Schema"});
    if (schema == nullptr) continue;
    if (const json::Value* status = json::find(*schema, {"properties", "status"})) {
      facts.status_schema = *status;
    } else if (keeps_unknown(*schema)) {
      facts.status_schema = *schema;
    }
    vendors::each_part(kind.own_fields, [&](std::string_view path) {
      if (!knows(*schema, path)) facts.missing_fields.emplace_back(path);
    });
  }
  return facts;
}

std::optional<json::Value> kept_status(const json::Value& status, const json::Value& schema,
                                       const std::function<std::string_view(std::string_view)>& other_word,
                                       std::set<std::string>& lost) {
  return Keeper(other_word, lost).keep(status, schema, "status");
}

}  // namespace drover::observe
