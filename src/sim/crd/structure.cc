// Structural schemas: every value has one type, said in one place.
#include <fmt/format.h>

#include <algorithm>

#include "sim/cel/regex.h"
#include "sim/crd/schema_check.h"

namespace drover::sim::crd {

namespace {

enum class Level { Root, Item, Field };

bool is_bare_type(const Schema& schema, std::string_view type) {
  return schema.type == type && schema.format.empty() && schema.properties.empty() && schema.required.empty() &&
         schema.enumeration.empty() && schema.any_of.empty() && schema.pattern.empty();
}
// anyOf: [{type: integer}, {type: string}], which int-or-string fields may spell out.
bool spells_int_or_string(const std::vector<SchemaRef>& branches) {
  return branches.size() == 2 && is_bare_type(*branches[0], "integer") && is_bare_type(*branches[1], "string");
}

class Structure {
 public:
  FieldErrors run(const Schema& schema, const std::string& path) {
    check(schema, Level::Root, path);
    check_complete(schema, schema, path, path);
    std::sort(errors_.begin(), errors_.end(), [](const auto& a, const auto& b) { return a.text() < b.text(); });
    return std::move(errors_);
  }

 private:
  void add(FieldError error) { errors_.push_back(std::move(error)); }

  void check(const Schema& schema, Level level, const std::string& path) {
    if (schema.type == "array" && !schema.items) add(required(child(path, "items"), "must be specified"));
    if (schema.items) check(*schema.items, Level::Item, child(path, "items"));
    for (const auto& [name, part] : schema.properties) check(*part, Level::Field, key(child(path, "properties"), name));
    if (schema.additional_allowed) {
      const std::string at = child(path, "additionalProperties");
      if (level == Level::Root) add(forbidden(at, "must not be used at the root"));
      if (schema.additional) check(*schema.additional, Level::Field, at);
    }
    check_extensions(schema, path);
    const bool first_all_of = !schema.all_of.empty() && spells_int_or_string(schema.all_of[0]->any_of);
    check_junctors(schema, path, spells_int_or_string(schema.any_of), first_all_of);
    check_own_type(schema, level, path);
    check_metadata(schema, level, path);
  }

  void check_extensions(const Schema& schema, const std::string& path) {
    constexpr std::string_view kWhy = "must be false if x-kubernetes-int-or-string is true";
    if (schema.int_or_string && schema.preserves_unknown()) {
      add(invalid(child(path, "x-kubernetes-preserve-unknown-fields"), true, std::string(kWhy)));
    }
    if (schema.int_or_string && schema.embedded_resource) {
      add(invalid(child(path, "x-kubernetes-embedded-resource"), true, std::string(kWhy)));
    }
  }

  void check_own_type(const Schema& schema, Level level, const std::string& path) {
    const std::string at = child(path, "type");
    if (schema.embedded_resource && schema.type != "object") {
      constexpr std::string_view kWhy = "must be object if x-kubernetes-embedded-resource is true";
      add(schema.type.empty() ? required(at, std::string(kWhy))
                              : invalid(at, json::Value(schema.type), std::string(kWhy)));
    } else if (schema.type.empty() && !schema.int_or_string && !schema.preserves_unknown()) {
      add(required(at, level == Level::Root   ? "must not be empty at the root"
                       : level == Level::Item ? "must not be empty for specified array items"
                                              : "must not be empty for specified object fields"));
    }
    if (schema.embedded_resource && schema.additional_allowed) {
      add(forbidden(child(path, "additionalProperties"), "must not be used if x-kubernetes-embedded-resource is set"));
    }
    if (level == Level::Root && !schema.type.empty() && schema.type != "object") {
      add(invalid(at, json::Value(schema.type), "must be object at the root"));
    }
    if (schema.embedded_resource && !schema.preserves_unknown() && schema.properties.empty()) {
      add(required(child(path, "properties"),
                   "must not be empty if x-kubernetes-embedded-resource is true without "
                   "x-kubernetes-preserve-unknown-fields"));
    }
  }

  // apiVersion, kind and metadata are known already; a schema may only narrow the name.
  void check_metadata(const Schema& schema, Level level, const std::string& path) {
    const bool resource = level == Level::Root || schema.embedded_resource;
    for (const auto& [name, part] : schema.properties) {
      const std::string at = key(child(path, "properties"), name);
      if (resource && (name == "kind" || name == "apiVersion") && part->type != "string") {
        add(invalid(child(at, "type"), json::Value(part->type), "must be string"));
      }
      if (name != "metadata") continue;
      if (resource && part->type != "object")
        add(invalid(child(at, "type"), json::Value(part->type), "must be object"));
      if (level == Level::Root && !narrows_only_the_name(*part)) {
        add(forbidden(
            at, "must not specify anything other than name and generateName, but metadata is implicitly specified"));
      }
    }
  }

  static bool narrows_only_the_name(const Schema& metadata) {
    const bool names = std::all_of(metadata.properties.begin(), metadata.properties.end(), [](const auto& property) {
      return property.first == "name" || property.first == "generateName";
    });
    return names && metadata.required.empty() && !metadata.additional_allowed && metadata.description.empty() &&
           metadata.title.empty() && !metadata.nullable && !metadata.preserve_unknown && metadata.rules.empty() &&
           metadata.all_of.empty() && metadata.any_of.empty() && metadata.one_of.empty() && !metadata.negated &&
           !metadata.min_properties && !metadata.max_properties && !metadata.embedded_resource;
  }

  void check_junctors(const Schema& schema, const std::string& path, bool skip_any_of, bool skip_first_all_of) {
    for (std::size_t i = 0; i < schema.any_of.size() && !skip_any_of; ++i) {
      check_nested(*schema.any_of[i], index(child(path, "anyOf"), i), false);
    }
    for (std::size_t i = 0; i < schema.all_of.size(); ++i) {
      check_nested(*schema.all_of[i], index(child(path, "allOf"), i), skip_first_all_of && i == 0);
    }
    for (std::size_t i = 0; i < schema.one_of.size(); ++i) {
      check_nested(*schema.one_of[i], index(child(path, "oneOf"), i), false);
    }
    if (schema.negated) check_nested(*schema.negated, child(path, "not"), false);
    if (!schema.pattern.empty()) {
      if (const auto compiled = cel::compile_pattern(schema.pattern); !compiled) {
        add(invalid(child(path, "pattern"), json::Value(schema.pattern),
                    "must be a valid regular expression, but isn't: " + compiled.error().message));
      }
    }
  }

  // Under a junctor only value validations may stand.
  void check_nested(const Schema& schema, const std::string& path, bool skip_any_of) {
    check_junctors(schema, path, skip_any_of, false);
    if (schema.items) check_nested(*schema.items, child(path, "items"), false);
    for (const auto& [name, part] : schema.properties) check_nested(*part, key(child(path, "properties"), name), false);
    const auto refuse = [&](bool present, std::string_view keyword, std::string_view what) {
      if (present) add(forbidden(child(path, keyword), fmt::format("must be {} to be structural", what)));
    };
    refuse(!schema.type.empty(), "type", "empty");
    refuse(schema.additional_allowed.has_value(), "additionalProperties", "undefined");
    refuse(schema.default_value.has_value(), "default", "undefined");
    refuse(!schema.title.empty(), "title", "empty");
    refuse(!schema.description.empty(), "description", "empty");
    refuse(schema.nullable, "nullable", "false");
    refuse(schema.preserves_unknown(), "x-kubernetes-preserve-unknown-fields", "false");
    refuse(schema.embedded_resource, "x-kubernetes-embedded-resource", "false");
    refuse(schema.int_or_string, "x-kubernetes-int-or-string", "false");
    refuse(!schema.list_keys.empty(), "x-kubernetes-list-map-keys", "empty");
    refuse(!schema.list_type.empty(), "x-kubernetes-list-type", "undefined");
    refuse(!schema.map_type.empty(), "x-kubernetes-map-type", "undefined");
    refuse(!schema.rules.empty(), "x-kubernetes-validations", "empty");
    if (schema.properties.contains("metadata")) {
      add(forbidden(key(child(path, "properties"), "metadata"), "must not be specified in a nested context"));
    }
  }

  // What a junctor of the root speaks about must be specified outside of it.
  void check_complete(const Schema& validation, const Schema& schema, const std::string& path, const std::string& at) {
    const auto below = [&](const SchemaRef& branch, const std::string& where) {
      check_complete_below(*branch, schema, path, where);
    };
    if (validation.negated) below(validation.negated, child(at, "not"));
    for (std::size_t i = 0; i < validation.all_of.size(); ++i)
      below(validation.all_of[i], index(child(at, "allOf"), i));
    for (std::size_t i = 0; i < validation.any_of.size(); ++i)
      below(validation.any_of[i], index(child(at, "anyOf"), i));
    for (std::size_t i = 0; i < validation.one_of.size(); ++i)
      below(validation.one_of[i], index(child(at, "oneOf"), i));
  }

  void check_complete_below(const Schema& validation, const Schema& schema, const std::string& path,
                            const std::string& at) {
    check_complete(validation, schema, path, at);
    if (validation.items) {
      const std::string where = child(at, "items");
      if (schema.items) {
        check_complete_below(*validation.items, *schema.items, child(path, "items"), where);
      } else {
        add(required(child(path, "items"), "because it is defined in " + where));
      }
    }
    for (const auto& [name, part] : validation.properties) {
      const std::string where = key(child(at, "properties"), name);
      const std::string wanted = key(child(path, "properties"), name);
      const auto found = schema.properties.find(name);
      if (found == schema.properties.end()) {
        add(required(wanted, "because it is defined in " + where));
      } else {
        check_complete_below(*part, *found->second, wanted, where);
      }
    }
  }

  FieldErrors errors_;
};

}  // namespace

FieldErrors check_structure(const Schema& schema, const std::string& path) { return Structure().run(schema, path); }

}  // namespace drover::sim::crd
