// One object of a policy, with the path to name its fields by. Asking for a field that is absent, null or "" gives the
// fallback; a field that is there and cannot be used is blamed with its path, what it says, and what would be right.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "vendors/shared/upgrade_policy.h"

namespace drover::vendors {

class Section {
 public:
  Section(const json::Value* object, std::string at, std::vector<FieldTrouble>& troubles)
      : object_(object), at_(std::move(at)), troubles_(troubles) {
    if (object_ != nullptr && object_->is_null()) object_ = nullptr;
    if (object_ != nullptr && !object_->is_object()) {
      blame("", *object_, "an object is wanted");
      object_ = nullptr;
    }
  }

  const std::string& path() const { return at_; }
  const json::Value* find(std::string_view key) const {
    const json::Value* found = object_ == nullptr ? nullptr : object_->get_object().if_contains(key);
    return found == nullptr || found->is_null() ? nullptr : found;
  }
  Section below(std::string_view key) const { return {find(key), path_of(key), troubles_}; }

  bool flag(std::string_view key, bool fallback) const {
    const json::Value* value = find(key);
    if (value == nullptr) return fallback;
    if (value->is_bool()) return value->get_bool();
    blame(key, *value, "true or false is wanted");
    return fallback;
  }

  // `wanted` says in words what `is_good` asks.
  std::string text(std::string_view key, std::string_view fallback, bool (*is_good)(std::string_view),
                   std::string_view wanted) const {
    const json::Value* value = find(key);
    if (value == nullptr) return std::string(fallback);
    if (value->is_string() && value->get_string().empty()) return std::string(fallback);
    if (value->is_string() && is_good(value->get_string())) return std::string(value->get_string());
    blame(key, *value, wanted);
    return std::string(fallback);
  }

  const json::Array& list(std::string_view key) const {
    static const json::Array kNothing;
    const json::Value* value = find(key);
    if (value == nullptr) return kNothing;
    if (value->is_array()) return value->get_array();
    blame(key, *value, "a list is wanted");
    return kNothing;
  }

  const json::Members& members() const {
    static const json::Members kNothing;
    return object_ == nullptr ? kNothing : object_->get_object();
  }

  void blame(std::string_view key, const json::Value& value, std::string_view wanted) const {
    troubles_.push_back(
        {key.empty() ? at_ : path_of(key), fmt::format("is {}; {}", base::one_line(json::text_of(value), 80), wanted)});
  }

  std::string path_of(std::string_view key) const { return fmt::format("{}.{}", at_, key); }

 private:
  const json::Value* object_;
  std::string at_;
  std::vector<FieldTrouble>& troubles_;
};

}  // namespace drover::vendors
