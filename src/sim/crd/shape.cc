// Pruning and defaulting. Recursion follows the object, whose depth the JSON parser has bounded.
#include "sim/crd/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::sim::crd {

namespace {

bool is_meta(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

// Where a walk stands; spelled only when something is found there.
struct Way {
  const Way* above = nullptr;
  std::string_view member = {};
  std::size_t item = 0;

  std::string spelled() const {
    if (above == nullptr) return {};
    if (member.data() == nullptr) return fmt::format("{}[{}]", above->spelled(), item);
    const std::string before = above->spelled();
    return before.empty() ? std::string(member) : fmt::format("{}.{}", before, member);
  }
};

class Pruner {
 public:
  void prune(json::Value& value, const Schema* schema, bool resource, const Way& path) {
    if (schema != nullptr && schema->preserves_unknown()) {
      look_below_preserved(value, *schema, resource, path);
      return;
    }
    if (auto* object = value.if_object()) {
      std::vector<std::string> unknown;
      for (auto& member : *object) {
        const std::string_view name = member.key();
        if (resource && is_meta(name)) continue;
        const Way at{.above = &path, .member = name};
        if (!knows(schema, name)) {
          unknown.emplace_back(name);
          if (!is_meta(name) || !path.spelled().empty()) gone_.push_back(at.spelled());
        } else {
          const Schema* below = schema->member(name);
          prune(member.value(), below, below != nullptr && below->embedded_resource, at);
        }
      }
      for (const auto& name : unknown) object->erase(name);
    } else if (auto* array = value.if_array()) {
      const Schema* items = schema != nullptr ? schema->items.get() : nullptr;
      for (std::size_t i = 0; i < array->size(); ++i) {
        prune((*array)[i], items, items != nullptr && items->embedded_resource, {.above = &path, .item = i});
      }
    }
  }

  std::vector<std::string> gone() {
    std::sort(gone_.begin(), gone_.end());
    return std::move(gone_);
  }

 private:
  static bool knows(const Schema* schema, std::string_view name) {
    return schema != nullptr && (schema->properties.contains(name) || schema->additional_allowed.has_value());
  }

  // What is preserved stays, but what the schema does describe below is pruned.
  void look_below_preserved(json::Value& value, const Schema& schema, bool resource, const Way& path) {
    if (auto* object = value.if_object()) {
      for (auto& member : *object) {
        const std::string_view name = member.key();
        if ((resource && is_meta(name)) || !knows(&schema, name)) continue;
        const Schema* below = schema.member(name);
        prune(member.value(), below, below != nullptr && below->embedded_resource, {.above = &path, .member = name});
      }
    } else if (auto* array = value.if_array(); array != nullptr && schema.items) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        look_below_preserved((*array)[i], *schema.items, schema.items->embedded_resource, {.above = &path, .item = i});
      }
    }
  }

  std::vector<std::string> gone_;
};

bool is_unwanted_null(const json::Value& value, const Schema* schema) {
  return value.is_null() && schema != nullptr && !schema->nullable;
}

void drop_nulls_below(json::Value& value, const Schema* schema) {
  if (auto* object = value.if_object()) {
    std::vector<std::string> dropped;
    for (auto& member : *object) {
      const Schema* below = schema != nullptr ? schema->member(member.key()) : nullptr;
      if (is_unwanted_null(member.value(), below) && !below->default_value) {
        dropped.emplace_back(member.key());
      } else {
        drop_nulls_below(member.value(), below);
      }
    }
    for (const auto& name : dropped) object->erase(name);
  } else if (auto* array = value.if_array()) {
    for (auto& item : *array) drop_nulls_below(item, schema != nullptr ? schema->items.get() : nullptr);
  }
}

}  // namespace

std::vector<std::string> prune(json::Value& object, const Schema& schema, bool resource_root) {
  Pruner pruner;
  pruner.prune(object, &schema, resource_root || schema.embedded_resource, {});
  return pruner.gone();
}

void drop_nulls(json::Value& object, const Schema& schema) { drop_nulls_below(object, &schema); }

void apply_defaults(json::Value& value, const Schema& schema) {
  if (auto* object = value.if_object()) {
    for (const auto& [name, part] : schema.properties) {
      if (!part->default_value || part->default_value->is_null()) continue;
      const auto* found = object->if_contains(name);
      if (found == nullptr || is_unwanted_null(*found, part.get())) (*object)[name] = *part->default_value;
    }
    for (auto& member : *object) {
      const Schema* below = schema.member(member.key());
      if (below == nullptr) continue;
      if (below == schema.additional.get() && is_unwanted_null(member.value(), below) && below->default_value) {
        member.value() = *below->default_value;
      }
      apply_defaults(member.value(), *below);
    }
  } else if (auto* array = value.if_array(); array != nullptr && schema.items) {
    for (auto& item : *array) {
      if (is_unwanted_null(item, schema.items.get()) && schema.items->default_value)
        item = *schema.items->default_value;
      apply_defaults(item, *schema.items);
    }
  }
}

}  // namespace drover::sim::crd
