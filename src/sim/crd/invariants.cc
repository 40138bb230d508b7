// What the schema promises beyond single values: nothing twice in sets and keyed lists, embedded objects that are
// objects.
#include <fmt/format.h>

#include <map>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/crd/formats.h"
#include "sim/crd/validate.h"

namespace drover::sim::crd {

namespace {

// The place of each item that is there a second time; a third time is not worth a word.
std::vector<std::size_t> second_appearances(const std::vector<json::Value>& items) {
  std::map<std::string, int> seen;
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (++seen[cel::go_json(items[i])] == 2) again.push_back(i);
  }
  return again;
}

void check_set(const json::Array& array, std::string_view path, FieldErrors& errors) {
  const std::vector<json::Value> items(array.begin(), array.end());
  for (const std::size_t i : second_appearances(items)) errors.push_back(duplicate(index(path, i), items[i]));
}

void check_keyed(const json::Array& array, const Schema& schema, std::string_view path, FieldErrors& errors) {
  std::vector<json::Value> keys;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!array[i].is_object() && !array[i].is_null()) {
      errors.push_back(invalid(index(path, i), array[i], "must be an object for an array of list-type map"));
      return;
    }
    json::Members key;
    for (const auto& name : schema.list_keys) {
      const auto* found = array[i].is_object() ? array[i].get_object().if_contains(name) : nullptr;
      if (found != nullptr) key[name] = *found;
    }
    keys.emplace_back(std::move(key));
  }
  for (const std::size_t i : second_appearances(keys)) errors.push_back(duplicate(index(path, i), keys[i]));
}

void check_embedded(const json::Members& object, std::string_view path, FieldErrors& errors) {
  for (const char* name : {"apiVersion", "kind"}) {
    const auto* found = object.if_contains(name);
    const std::string at = child(path, name);
    if (found == nullptr) {
      errors.push_back(required(at));
    } else if (!found->is_string()) {
      errors.push_back(invalid(at, *found, "must be a string"));
    } else if (found->get_string().empty()) {
      errors.push_back(invalid(at, *found, "must not be empty"));
    } else if (std::string_view(name) == "kind") {
      const std::string complaint = dns1035_label_complaint(base::lower(std::string_view(found->get_string())));
      if (!complaint.empty()) {
        errors.push_back(invalid(at, *found, "may have mixed case, but should otherwise match: " + complaint));
      }
    } else if (base::split(std::string_view(found->get_string()), '/').size() > 2) {
      errors.push_back(
          invalid(at, *found, "unexpected GroupVersion string: " + std::string(std::string_view(found->get_string()))));
    }
  }
}

// Calls `visit` for the members and items that the schema describes.
template <class Visit>
void each_below(const json::Value& value, const Schema& schema, std::string_view path, Visit visit) {
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      const std::string_view name = member.key();
      const auto property = schema.properties.find(name);
      if (property != schema.properties.end()) {
        visit(member.value(), *property->second, child(path, name));
      } else if (schema.additional) {
        visit(member.value(), *schema.additional, key(path, name));
      }
    }
  } else if (const auto* array = value.if_array(); array != nullptr && schema.items) {
    for (std::size_t i = 0; i < array->size(); ++i) visit((*array)[i], *schema.items, index(path, i));
  }
}

}  // namespace

FieldErrors check_list_types(const json::Value& value, const Schema& schema, std::string_view path) {
  FieldErrors errors;
  if (!schema.has_list_types) return errors;
  if (const auto* array = value.if_array()) {
    if (schema.list_type == "set") check_set(*array, path, errors);
    if (schema.list_type == "map") check_keyed(*array, schema, path, errors);
  }
  each_below(value, schema, path, [&](const json::Value& below, const Schema& part, const std::string& at) {
    for (auto& error : check_list_types(below, part, at)) errors.push_back(std::move(error));
  });
  return errors;
}

FieldErrors check_embedded_resources(const json::Value& value, const Schema& schema, std::string_view path) {
  FieldErrors errors;
  if (!schema.has_embedded) return errors;
  if (schema.embedded_resource && value.is_object()) check_embedded(value.get_object(), path, errors);
  each_below(value, schema, path, [&](const json::Value& below, const Schema& part, const std::string& at) {
    for (auto& error : check_embedded_resources(below, part, at)) errors.push_back(std::move(error));
  });
  return errors;
}

}  // namespace drover::sim::crd
