// The checks of a schema around its structure: keywords that CRDs may not use, list types, defaults, rules.
#include "sim/crd/schema_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/crd/cel_type.h"
#include "sim/crd/rules.h"
#include "sim/crd/shape.h"
#include "sim/crd/validate.h"

namespace drover::sim::crd {

namespace {

void append_errors(FieldErrors& to, FieldErrors from) {
  for (auto& error : from) to.push_back(std::move(error));
}

// A rule as kube prints it when it is the bad value: its own field order and names.
std::string rule_text(const Rule& rule) {
  const auto quoted = [](const std::string& text) { return cel::go_json(json::Value(text)); };
  return fmt::format(
      R"({{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}})",
      quoted(rule.rule), quoted(rule.message), quoted(rule.message_expression),
      rule.reason ? quoted(*rule.reason) : "null", quoted(rule.field_path),
      rule.optional_old_self ? (*rule.optional_old_self ? "true" : "false") : "null");
}

bool has_line_break(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }

json::Value list_value(const std::vector<std::string>& texts) {
  json::Array made;
  for (const auto& text : texts) made.emplace_back(text);
  return made;
}

// What the places above say about a place.
struct Context {
  bool root = false;
  bool inside_metadata = false;
  std::string defaults_forbidden;  // why, when they are
  std::string uncorrelatable;      // the path above which old items cannot be found
};

class Keywords {
 public:
  // `with_rules` is false when the structure is broken: then rules cannot be typed.
  explicit Keywords(bool with_rules) : with_rules_(with_rules) {}

  FieldErrors run(const Schema& schema, const std::string& path) {
    check(schema, path, {.root = true, .inside_metadata = false, .defaults_forbidden = {}, .uncorrelatable = {}});
    append_errors(errors_, std::move(rule_errors_));
    return std::move(errors_);
  }

 private:
  void add(FieldError error) { errors_.push_back(std::move(error)); }

  void check(const Schema& schema, const std::string& path, const Context& context) {
    const std::size_t before = errors_.size();
    check_plain(schema, path, context);
    if (schema.unique_items) {
      add(forbidden(child(path, "uniqueItems"),
                    "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
    }
    check_members(schema, path, context);
    check_junctors(schema, path, context);
    if (schema.items) {
      Context below = context;
      below.root = false;
      if (schema.list_type != "map" && below.uncorrelatable.empty()) below.uncorrelatable = path;
      check(*schema.items, child(path, "items"), below);
    }
    if (schema.preserve_unknown == false) {
      add(invalid(child(path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"));
    }
    check_map_type(schema, path);
    check_list_type(schema, path);
    check_list_keys(schema, path);
    check_rule_words(schema, path);
    if (with_rules_ && errors_.size() == before) check_rules(schema, path, context);
  }

  void check_plain(const Schema& schema, const std::string& path, const Context& context) {
    static const std::vector<std::string> kTypes = {"array", "boolean", "integer", "number", "object", "string"};
    if (!schema.type.empty() && std::find(kTypes.begin(), kTypes.end(), schema.type) == kTypes.end()) {
      add(not_supported(child(path, "type"), json::Value(schema.type), kTypes));
    }
    if (schema.default_value && !context.defaults_forbidden.empty()) {
      add(forbidden(child(path, "default"), "must not be set " + context.defaults_forbidden));
    }
    for (const auto& keyword : schema.unsupported) add(forbidden(child(path, keyword), keyword + " is not supported"));
    if (schema.items_is_list) add(forbidden(child(path, "items"), "items must be a schema object and not an array"));
    if (schema.type == "null") {
      add(forbidden(child(path, "type"), "type cannot be set to null, use nullable as an alternative"));
    }
    if (context.inside_metadata && schema.embedded_resource) {
      add(forbidden(child(path, "x-kubernetes-embedded-resource"), "must not be used inside of resource meta"));
    }
  }

  void check_members(const Schema& schema, const std::string& path, const Context& context) {
    if (schema.additional_allowed) {
      const std::string at = child(path, "additionalProperties");
      if (!schema.properties.empty() && (schema.additional || schema.additional_allowed == false)) {
        add(forbidden(at, "additionalProperties and properties are mutual exclusive"));
      }
      Context below = context;
      below.root = false;
      if (context.inside_metadata) below.defaults_forbidden = "inside additionalProperties applying to object metadata";
      if (schema.additional) check(*schema.additional, at, below);
    }
    for (const auto& [name, part] : schema.properties) {
      Context below = context;
      below.root = false;
      const bool meta = name == "metadata" || name == "kind" || name == "apiVersion";
      if (meta && (context.root || schema.embedded_resource)) {
        below.inside_metadata = true;
        if (context.root) below.defaults_forbidden = "in top-level " + name;
      }
      check(*part, key(child(path, "properties"), name), below);
    }
  }

  // Rules may not stand below junctors, so they are not typed there.
  void check_junctors(const Schema& schema, const std::string& path, Context context) {
    context.root = false;
    const bool outside = std::exchange(with_rules_, false);
    if (schema.negated) check(*schema.negated, child(path, "not"), context);
    const auto each = [&](const std::vector<SchemaRef>& branches, std::string_view keyword) {
      for (std::size_t i = 0; i < branches.size(); ++i) check(*branches[i], index(child(path, keyword), i), context);
    };
    each(schema.all_of, "allOf");
    each(schema.one_of, "oneOf");
    each(schema.any_of, "anyOf");
    with_rules_ = outside;
  }

  void check_map_type(const Schema& schema, const std::string& path) {
    if (schema.map_type.empty()) return;
    if (schema.type != "object") {
      constexpr std::string_view kWhy = "must be object if x-kubernetes-map-type is specified";
      const std::string at = child(path, "type");
      add(schema.type.empty() ? required(at, std::string(kWhy))
                              : invalid(at, json::Value(schema.type), std::string(kWhy)));
    }
    static const std::vector<std::string> kTypes = {"atomic", "granular"};
    if (schema.map_type != "atomic" && schema.map_type != "granular") {
      add(not_supported(child(path, "x-kubernetes-map-type"), json::Value(schema.map_type), kTypes));
    }
  }

  void check_list_type(const Schema& schema, const std::string& path) {
    const std::string& type = schema.list_type;
    if (!type.empty() && schema.type != "array") {
      constexpr std::string_view kWhy = "must be array if x-kubernetes-list-type is specified";
      const std::string at = child(path, "type");
      add(schema.type.empty() ? required(at, std::string(kWhy))
                              : invalid(at, json::Value(schema.type), std::string(kWhy)));
    } else if (type == "set" && schema.items) {
      constexpr std::string_view kWhy = "must be atomic as item of a list with x-kubernetes-list-type=set";
      const Schema& items = *schema.items;
      const json::Value shown_type = items.list_type.empty() ? json::Value() : json::Value(items.list_type);
      if (items.type == "array" && !items.list_type.empty() && items.list_type != "atomic") {
        add(invalid(child(path, "items.x-kubernetes-list-type"), shown_type, std::string(kWhy)));
      }
      if (items.type == "object" && items.map_type != "atomic") {
        add(invalid(child(path, "items.x-kubernetes-map-type"), shown_type, std::string(kWhy)));
      }
    }
    static const std::vector<std::string> kTypes = {"atomic", "set", "map"};
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
      add(not_supported(child(path, "x-kubernetes-list-type"), json::Value(type), kTypes));
    }
    if (!schema.list_keys.empty() && type != "map") {
      constexpr std::string_view kWhy = "must be map if x-kubernetes-list-map-keys is non-empty";
      const std::string at = child(path, "x-kubernetes-list-type");
      add(type.empty() ? required(at, std::string(kWhy)) : invalid(at, json::Value(type), std::string(kWhy)));
    }
  }

  void check_list_keys(const Schema& schema, const std::string& path) {
    if (schema.list_type != "map" && schema.list_type != "set") return;
    const std::string at = child(path, "x-kubernetes-list-map-keys");
    const std::string items = child(path, "items");
    if (schema.list_type == "map") {
      if (schema.list_keys.empty()) add(required(at, "must not be empty if x-kubernetes-list-type is map"));
      if (!schema.items) add(required(items, "must have a schema if x-kubernetes-list-type is map"));
      if (schema.items && schema.items->type != "object") {
        add(invalid(child(items, "type"), json::Value(schema.items->type),
                    "must be object if parent array's x-kubernetes-list-type is map"));
      }
      if (schema.items && schema.items->type == "object") check_keys_of(schema, at, items);
    }
    if (!schema.items) return;
    if (schema.items->nullable) {
      add(forbidden(child(items, "nullable"), "cannot be nullable when x-kubernetes-list-type is " + schema.list_type));
    }
    if (schema.list_type != "map") return;
    for (const auto& name : schema.list_keys) {
      const auto found = schema.items->properties.find(name);
      if (found == schema.items->properties.end()) continue;
      const auto& needed = schema.items->required;
      const std::string key_at = key(child(items, "properties"), name);
      if (std::find(needed.begin(), needed.end(), name) == needed.end() && !found->second->default_value) {
        add(required(
            child(key_at, "default"),
            "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"));
      }
      if (found->second->nullable) {
        add(forbidden(child(key_at, "nullable"),
                      "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
      }
    }
  }

  void check_keys_of(const Schema& schema, const std::string& at, const std::string& items) {
    std::set<std::string> seen;
    for (const auto& name : schema.list_keys) {
      const auto found = schema.items->properties.find(name);
      if (found == schema.items->properties.end()) {
        add(invalid(at, list_value(schema.list_keys), "entries must all be names of item properties"));
      } else if (found->second->type == "array" || found->second->type == "object") {
        add(invalid(child(key(child(items, "properties"), name), "type"), json::Value(schema.items->type),
                    "must be a scalar type if parent array's x-kubernetes-list-type is map"));
      }
      if (!seen.insert(name).second)
        add(invalid(at, list_value(schema.list_keys), "must not contain duplicate entries"));
    }
  }

  void check_rule_words(const Schema& schema, const std::string& path) {
    static const std::vector<std::string> kReasons = {"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid",
                                                      "FieldValueRequired"};
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      const Rule& rule = schema.rules[i];
      const std::string at = index(child(path, "x-kubernetes-validations"), i);
      const std::string_view text = base::trim(rule.rule);
      const std::string_view message = base::trim(rule.message);
      if (text.empty()) {
        add(required(child(at, "rule"), "rule is not specified"));
      } else if (!rule.message.empty() && message.empty()) {
        add(invalid(child(at, "message"), json::Value(rule.message), "must be non-empty if specified"));
      } else if (has_line_break(message)) {
        add(invalid(child(at, "message"), json::Value(rule.message), "must not contain line breaks"));
      } else if (has_line_break(text) && message.empty()) {
        add(required(child(at, "message"), "message must be specified if rule contains line breaks"));
      }
      if (!rule.message_expression.empty() && base::trim(rule.message_expression).empty()) {
        add(required(child(at, "messageExpression"), "messageExpression must be non-empty if specified"));
      }
      if (rule.reason && std::find(kReasons.begin(), kReasons.end(), *rule.reason) == kReasons.end()) {
        add(not_supported(child(at, "reason"), json::Value(*rule.reason), kReasons));
      }
      if (!rule.field_path.empty() && base::trim(rule.field_path).empty()) {
        add(invalid(child(at, "fieldPath"), json::Value(rule.field_path), "must be non-empty if specified"));
      }
      if (!rule.field_path.empty() && !relative_path(rule.field_path, schema)) {
        add(invalid(child(at, "fieldPath"), json::Value(rule.field_path), "must be a valid path"));
      }
    }
  }

  void check_rules(const Schema& schema, const std::string& path, const Context& context) {
    if (schema.rules.empty()) return;
    const cel::TypeRef self = cel_type(schema, context.root || schema.embedded_resource);
    if (!self) {
      rule_errors_.push_back({FieldError::Type::Internal, child(path, "x-kubernetes-validations"), std::nullopt,
                              "internal error: failed to retrieve type information for x-kubernetes-validations"});
      return;
    }
    for (std::size_t i = 0; i < schema.rules.size(); ++i) {
      const Rule& rule = schema.rules[i];
      const std::string at = index(child(path, "x-kubernetes-validations"), i);
      const auto refuse = [&](std::string_view field, std::string why) {
        rule_errors_.push_back({FieldError::Type::Invalid, child(at, field), rule_text(rule), std::move(why)});
      };
      const RuleFault fault = examine_rule(rule, self);
      if (!fault.rule.empty()) refuse("rule", fault.rule);
      if (!fault.message_expression.empty()) refuse("messageExpression", fault.message_expression);
      if (fault.uses_old_self && !context.uncorrelatable.empty()) {
        rule_errors_.push_back(invalid(
            child(at, "rule"), json::Value(rule.rule),
            "oldSelf cannot be used on the uncorrelatable portion of the schema within " + context.uncorrelatable));
      } else if (!fault.uses_old_self && rule.optional_old_self) {
        rule_errors_.push_back(invalid(child(at, "optionalOldSelf"), *rule.optional_old_self,
                                       "may not be set if oldSelf is not used in rule"));
      }
    }
  }

  bool with_rules_;
  FieldErrors errors_;
  FieldErrors rule_errors_;
};

// Defaults must themselves be pruned and valid.
void check_defaults(const SchemaRef& schema, const std::string& path, bool root, bool inside_metadata,
                    FieldErrors& errors) {
  if (schema->default_value && !inside_metadata) {
    const std::string at = child(path, "default");
    json::Value pruned = *schema->default_value;
    prune(pruned, *schema, root);
    if (pruned != *schema->default_value)
      errors.push_back(invalid(at, *schema->default_value, "must not have unknown fields"));
    FieldErrors found = validate(*schema->default_value, *schema, at);
    if (found.empty()) found = check_list_types(*schema->default_value, *schema, at);
    if (found.empty()) {
      const CelRules rules(schema, root || schema->embedded_resource);
      found = rules.check(*schema->default_value, &*schema->default_value, {}, at).errors;
      if (found.empty()) found = rules.check(*schema->default_value, nullptr, {}, at).errors;
    }
    append_errors(errors, std::move(found));
  }
  if (schema->items) check_defaults(schema->items, child(path, "items"), false, inside_metadata, errors);
  for (const auto& [name, part] : schema->properties) {
    const bool meta = name == "metadata" || name == "kind" || name == "apiVersion";
    check_defaults(part, key(child(path, "properties"), name), false,
                   inside_metadata || (meta && (root || schema->embedded_resource)), errors);
  }
}

}  // namespace

FieldErrors check_schema(const SchemaRef& schema, const std::string& path, bool has_status) {
  FieldErrors errors;
  if (has_status && !schema->type.empty() && schema->type != "object") {
    errors.push_back(invalid(
        child(path, "type"), json::Value(schema->type),
        R"(only "object" is allowed as the type at the root of the schema if the status subresource is enabled)"));
  }
  if (schema->nullable) errors.push_back(forbidden(child(path, "nullable"), "nullable cannot be true at the root"));
  FieldErrors structure = check_structure(*schema, path);
  if (structure.empty()) check_defaults(schema, path, true, false, structure);
  const bool sound = structure.empty();
  append_errors(errors, std::move(structure));
  append_errors(errors, Keywords(sound).run(*schema, path));
  return errors;
}

}  // namespace drover::sim::crd
