// Reading schemas. An unknown keyword is ignored, as an API server ignores it; one with a value of the wrong type
// is refused, as its decoder refuses it.
#include "sim/crd/schema.h"

#include <fmt/format.h>

#include <cmath>

namespace drover::sim::crd {

namespace {

using base::Fault;
using base::Result;

class SchemaReader {
 public:
  Result<SchemaRef> read(const json::Value& value, const std::string& at) {
    const auto* object = value.if_object();
    if (object == nullptr) return wrong(at, "an object");
    auto made = std::make_shared<Schema>();
    object_ = object;
    at_ = at;
    const bool fine =
        read_words(*made) && read_numbers(*made) && read_flags(*made) && read_lists(*made) && read_rules(*made);
    if (!fine) return std::unexpected(*fault_);
    if (const auto* found = find(*object, "default")) made->default_value = *found;
    for (const char* keyword : {"$ref", "id", "additionalItems", "patternProperties", "definitions", "dependencies"}) {
      if (const auto* found = find(*object, keyword); found != nullptr && !is_empty(*found)) {
        made->unsupported.emplace_back(keyword);
      }
    }
    TRY_VOID(read_nested(*made, *object, at));
    sum_up(*made);
    if (!made->pattern.empty()) {
      if (auto compiled = cel::compile_pattern(made->pattern)) made->compiled_pattern = std::move(*compiled);
    }
    return made;
  }

 private:
  static const json::Value* find(const json::Members& object, std::string_view keyword) {
    const auto* found = object.if_contains(keyword);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  static bool is_empty(const json::Value& value) {
    if (const auto* text = value.if_string()) return text->empty();
    if (const auto* object = value.if_object()) return object->empty();
    return false;
  }
  static std::unexpected<Fault> wrong(const std::string& at, std::string_view wanted) {
    return base::fault(Fault::Kind::Malformed, fmt::format("{} must be {}", at, wanted));
  }
  bool refuse(std::string_view keyword, std::string_view wanted) {
    fault_ = wrong(at_ + "." + std::string(keyword), wanted).error();
    return false;
  }

  bool text(std::string_view keyword, std::string& into) {
    const auto* found = find(*object_, keyword);
    if (found == nullptr) return true;
    if (!found->is_string()) return refuse(keyword, "a string");
    into = found->get_string();
    return true;
  }
  bool flag(std::string_view keyword, bool& into) {
    const auto* found = find(*object_, keyword);
    if (found == nullptr) return true;
    if (!found->is_bool()) return refuse(keyword, "a boolean");
    into = found->get_bool();
    return true;
  }
  bool number(std::string_view keyword, std::optional<double>& into) {
    const auto* found = find(*object_, keyword);
    if (found == nullptr) return true;
    if (!found->is_number()) return refuse(keyword, "a number");
    into = found->to_number<double>();
    return true;
  }
  bool count(std::string_view keyword, std::optional<std::int64_t>& into) {
    const auto* found = find(*object_, keyword);
    if (found == nullptr) return true;
    if (const auto* real = found->if_double();
        real != nullptr && std::trunc(*real) == *real && std::fabs(*real) < 9e15) {
      into = static_cast<std::int64_t>(*real);
      return true;
    }
    if (!found->is_int64()) return refuse(keyword, "a whole number");
    into = found->get_int64();
    return true;
  }
  bool texts(std::string_view keyword, std::vector<std::string>& into) {
    const auto* found = find(*object_, keyword);
    if (found == nullptr) return true;
    if (!found->is_array()) return refuse(keyword, "a list of strings");
    for (const auto& item : found->get_array()) {
      if (!item.is_string()) return refuse(keyword, "a list of strings");
      into.emplace_back(item.get_string());
    }
    return true;
  }

  bool read_words(Schema& made) {
    return text("type", made.type) && text("format", made.format) && text("title", made.title) &&
           text("description", made.description) && text("pattern", made.pattern) &&
           text("x-kubernetes-list-type", made.list_type) && text("x-kubernetes-map-type", made.map_type);
  }
  bool read_numbers(Schema& made) {
    return number("minimum", made.minimum) && number("maximum", made.maximum) &&
           number("multipleOf", made.multiple_of) && count("minLength", made.min_length) &&
           count("maxLength", made.max_length) && count("minItems", made.min_items) &&
           count("maxItems", made.max_items) && count("minProperties", made.min_properties) &&
           count("maxProperties", made.max_properties);
  }
  bool read_flags(Schema& made) {
    bool preserve = false;
    if (!flag("x-kubernetes-preserve-unknown-fields", preserve)) return false;
    if (find(*object_, "x-kubernetes-preserve-unknown-fields") != nullptr) made.preserve_unknown = preserve;
    return flag("nullable", made.nullable) && flag("exclusiveMinimum", made.exclusive_minimum) &&
           flag("exclusiveMaximum", made.exclusive_maximum) && flag("uniqueItems", made.unique_items) &&
           flag("x-kubernetes-embedded-resource", made.embedded_resource) &&
           flag("x-kubernetes-int-or-string", made.int_or_string);
  }
  bool read_lists(Schema& made) {
    if (const auto* found = find(*object_, "enum")) {
      if (!found->is_array()) return refuse("enum", "a list");
      made.enumeration.assign(found->get_array().begin(), found->get_array().end());
    }
    return texts("required", made.required) && texts("x-kubernetes-list-map-keys", made.list_keys);
  }

  bool read_rules(Schema& made) {
    const auto* found = find(*object_, "x-kubernetes-validations");
    if (found == nullptr) return true;
    if (!found->is_array()) return refuse("x-kubernetes-validations", "a list");
    const json::Members* outer = object_;
    for (const auto& item : found->get_array()) {
      if (!item.is_object()) return refuse("x-kubernetes-validations", "a list of objects");
      object_ = &item.get_object();
      Rule rule;
      std::string reason;
      bool optional_old_self = false;
      if (!text("rule", rule.rule) || !text("message", rule.message) ||
          !text("messageExpression", rule.message_expression) || !text("reason", reason) ||
          !text("fieldPath", rule.field_path) || !flag("optionalOldSelf", optional_old_self)) {
        return false;
      }
      if (find(*object_, "reason") != nullptr) rule.reason = reason;
      if (find(*object_, "optionalOldSelf") != nullptr) rule.optional_old_self = optional_old_self;
      made.rules.push_back(std::move(rule));
    }
    object_ = outer;
    return true;
  }

  // Below here other schemas are read, so nothing of this one may be left in object_ and at_.
  Result<void> read_nested(Schema& made, const json::Members& object, const std::string& at) {
    if (const auto* found = find(object, "properties")) {
      if (!found->is_object()) return wrong(at + ".properties", "an object");
      for (const auto& member : found->get_object()) {
        TRY(SchemaRef part, read(member.value(), at + ".properties[" + std::string(member.key()) + "]"));
        made.properties.emplace(std::string(member.key()), std::move(part));
      }
    }
    if (const auto* found = find(object, "additionalProperties")) {
      if (found->is_bool()) {
        made.additional_allowed = found->get_bool();
      } else {
        TRY(made.additional, read(*found, at + ".additionalProperties"));
        made.additional_allowed = true;
      }
    }
    if (const auto* found = find(object, "items")) {
      if (found->is_array()) {
        made.items_is_list = true;
      } else {
        TRY(made.items, read(*found, at + ".items"));
      }
    }
    if (const auto* found = find(object, "not")) {
      TRY(made.negated, read(*found, at + ".not"));
    }
    TRY_VOID(read_branches(object, "allOf", at, made.all_of));
    TRY_VOID(read_branches(object, "anyOf", at, made.any_of));
    TRY_VOID(read_branches(object, "oneOf", at, made.one_of));
    return {};
  }

  static void sum_up(Schema& made) {
    made.has_list_types = made.list_type == "set" || made.list_type == "map";
    made.has_embedded = made.embedded_resource;
    const auto add = [&made](const SchemaRef& part) {
      if (part == nullptr) return;
      made.has_list_types = made.has_list_types || part->has_list_types;
      made.has_embedded = made.has_embedded || part->has_embedded;
    };
    for (const auto& [name, part] : made.properties) add(part);
    add(made.additional);
    add(made.items);
  }

  Result<void> read_branches(const json::Members& object, std::string_view keyword, const std::string& at,
                             std::vector<SchemaRef>& into) {
    const auto* found = find(object, keyword);
    if (found == nullptr) return {};
    if (!found->is_array()) return wrong(fmt::format("{}.{}", at, keyword), "a list");
    for (const auto& item : found->get_array()) {
      TRY(SchemaRef part, read(item, fmt::format("{}.{}[{}]", at, keyword, into.size())));
      into.push_back(std::move(part));
    }
    return {};
  }

  const json::Members* object_ = nullptr;
  std::string at_;
  std::optional<Fault> fault_;
};

}  // namespace

const Schema* Schema::member(std::string_view name) const {
  const auto found = properties.find(name);
  return found != properties.end() ? found->second.get() : additional.get();
}

Result<SchemaRef> read_schema(const json::Value& value) { return SchemaReader().read(value, "openAPIV3Schema"); }

}  // namespace drover::sim::crd
