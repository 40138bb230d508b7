#include "sim/server/json_patch.h"

#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "sim/same.h"

namespace drover::sim {
namespace {

using Steps = std::vector<std::string>;

// "/metadata/labels/a~1b" -> metadata, labels, a/b. Nothing when it does not begin with a slash.
std::optional<Steps> steps_of(std::string_view pointer) {
  Steps steps;
  if (pointer.empty()) return steps;
  if (pointer.front() != '/') return {};
  for (const std::string_view part : base::split(pointer.substr(1), '/')) {
    std::string step;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool escaped = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
      step += escaped ? (part[++i] == '0' ? '~' : '/') : part[i];
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

// The place in an array; one past the end and "-" only where something is added.
std::optional<std::size_t> index_in(const json::Array& array, std::string_view step, bool to_add) {
  if (to_add && step == "-") return array.size();
  auto number = base::parse_int(step);
  if (!number) return {};
  // The API server's library counts from the end for negative numbers.
  if (*number < 0) *number += static_cast<std::int64_t>(array.size()) + (to_add ? 1 : 0);
  const auto most = static_cast<std::int64_t>(array.size()) - (to_add ? 0 : 1);
  if (*number < 0 || *number > most) return {};
  return static_cast<std::size_t>(*number);
}

json::Value* child(json::Value& parent, std::string_view step) {
  if (parent.is_object()) return parent.get_object().if_contains(step);
  if (!parent.is_array()) return nullptr;
  const auto at = index_in(parent.get_array(), step, false);
  return at ? &parent.get_array()[*at] : nullptr;
}

json::Value* walk(json::Value& root, const Steps& steps, std::size_t count) {
  json::Value* at = &root;
  for (std::size_t i = 0; at != nullptr && i < count; ++i) at = child(*at, steps[i]);
  return at;
}

bool add(json::Value& root, const Steps& steps, json::Value value) {
  if (steps.empty()) {
    root = std::move(value);
    return true;
  }
  json::Value* parent = walk(root, steps, steps.size() - 1);
  if (parent == nullptr) return false;
  if (parent->is_object()) {
    parent->get_object()[steps.back()] = std::move(value);
    return true;
  }
  if (!parent->is_array()) return false;
  json::Array& array = parent->get_array();
  const auto at = index_in(array, steps.back(), true);
  if (!at) return false;
  array.insert(array.begin() + static_cast<std::ptrdiff_t>(*at), std::move(value));
  return true;
}

bool remove(json::Value& root, const Steps& steps) {
  if (steps.empty()) return false;
  json::Value* parent = walk(root, steps, steps.size() - 1);
  if (parent == nullptr) return false;
  if (parent->is_object()) return parent->get_object().erase(steps.back()) > 0;
  if (!parent->is_array()) return false;
  json::Array& array = parent->get_array();
  const auto at = index_in(array, steps.back(), false);
  if (!at) return false;
  array.erase(array.begin() + static_cast<std::ptrdiff_t>(*at));
  return true;
}

bool begins_with(const Steps& whole, const Steps& beginning) {
  return whole.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), whole.begin());
}

JsonPatched fits(bool it_does) { return it_does ? JsonPatched::Done : JsonPatched::DoesNotFit; }

JsonPatched apply_one(json::Value& target, const json::Value& operation) {
  const std::string_view op = json::text_at(operation, {"op"});
  const json::Value* path_text = json::find(operation, {"path"});
  if (path_text == nullptr || !path_text->is_string()) return JsonPatched::DoesNotFit;
  const auto path = steps_of(path_text->get_string());
  if (!path) return JsonPatched::DoesNotFit;
  const json::Value* value = json::find(operation, {"value"});

  if (op == "remove") return fits(remove(target, *path));
  if (op == "add") return fits(value != nullptr && add(target, *path, *value));
  if (op == "replace") {
    json::Value* place = walk(target, *path, path->size());
    if (place == nullptr || value == nullptr) return JsonPatched::DoesNotFit;
    *place = *value;
    return JsonPatched::Done;
  }
  if (op == "test") {
    // A missing place equals null; a missing value is null.
    static const json::Value kNull;
    const json::Value* place = walk(target, *path, path->size());
    return fits(same(place == nullptr ? kNull : *place, value == nullptr ? kNull : *value));
  }
  if (op == "move" || op == "copy") {
    const auto from = steps_of(json::text_at(operation, {"from"}));
    json::Value* source = from ? walk(target, *from, from->size()) : nullptr;
    if (source == nullptr) return JsonPatched::DoesNotFit;
    json::Value carried = *source;
    if (op == "move") {
      if (begins_with(*path, *from)) return fits(*path == *from);
      if (!remove(target, *from)) return JsonPatched::DoesNotFit;
    }
    return fits(add(target, *path, std::move(carried)));
  }
  return JsonPatched::DoesNotFit;
}

}  // namespace

JsonPatched json_patch(json::Value& target, const json::Value& patch) {
  if (!patch.is_array()) return JsonPatched::Malformed;
  for (const json::Value& operation : patch.get_array()) {
    if (!operation.is_object()) return JsonPatched::Malformed;
  }
  for (const json::Value& operation : patch.get_array()) {
    const JsonPatched outcome = apply_one(target, operation);
    if (outcome != JsonPatched::Done) return outcome;
  }
  return JsonPatched::Done;
}

}  // namespace drover::sim
