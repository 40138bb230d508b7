#include "sim/server/strategic_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/order.h"
#include "sim/same.h"
#include "sim/server/names.h"
#include "sim/server/rejections.h"

namespace drover::sim {
namespace {

constexpr std::string_view kDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList/";
constexpr std::string_view kOrder = "$setElementOrder/";

Refusal no_merge_key(const json::Value& element, std::string_view key) {
  return Refusal(Rejection{
      500, "", fmt::format("map: {} does not contain declared merge key: {}", json::text_of(element), key), {}});
}

// A value that comes in new brings neither directives nor nulls along. False when nothing is left of it.
bool clean(json::Value& value) {
  if (value.is_object()) {
    json::Members& members = value.get_object();
    if (members.contains(kDirective)) {
      const bool deleted = json::text_at(value, {kDirective}) == "delete";
      members.erase(kDirective);
      if (deleted) return false;
    }
    members.erase(kRetainKeys);
    for (auto at = members.begin(); at != members.end();) {
      const bool directive = at->key().starts_with(kDeleteFrom) || at->key().starts_with(kOrder);
      if (directive || at->value().is_null() || !clean(at->value())) {
        at = members.erase(at);
      } else {
        ++at;
      }
    }
  } else if (value.is_array()) {
    json::Array& array = value.get_array();
    for (auto at = array.begin(); at != array.end();) at = clean(*at) ? at + 1 : array.erase(at);
  }
  return true;
}

// The place of an element in a list, by its key or (no key) by its value.
std::optional<std::size_t> index_of(const json::Array& list, const json::Value& element, std::string_view key) {
  const json::Value* wanted = key.empty() ? &element : json::find(element, {key});
  if (wanted == nullptr) return {};
  for (std::size_t i = 0; i < list.size(); ++i) {
    const json::Value* theirs = key.empty() ? &list[i] : json::find(list[i], {key});
    if (theirs != nullptr && same(*theirs, *wanted)) return i;
  }
  return {};
}

// The elements that `order` names, in its order, merged with the rest in the order of `before`; where the two say
// nothing about each other, the named ones come first.
json::Array arranged(json::Array merged, const json::Array& order, const json::Array& before, std::string_view key) {
  // Usually everything is named, in the order in which it stands.
  std::size_t in_place = 0;
  while (in_place < merged.size() && index_of(order, merged[in_place], key) == in_place) ++in_place;
  if (in_place == merged.size()) return merged;
  std::vector<const json::Value*> named;
  std::vector<const json::Value*> rest;
  for (const json::Value& element : merged) (index_of(order, element, key) ? named : rest).push_back(&element);
  const auto by = [&](const json::Array& list) {
    return [&list, key](const json::Value* a, const json::Value* b) {
      return index_of(list, *a, key).value_or(0) < index_of(list, *b, key).value_or(0);
    };
  };
  base::sort_keeping_order(named, by(order));
  base::sort_keeping_order(rest, by(before));

  json::Array out;
  auto left = rest.begin();
  auto right = named.begin();
  while (left != rest.end() || right != named.end()) {
    bool take_left = right == named.end();
    if (left != rest.end() && right != named.end()) {
      const auto l = index_of(before, **left, key);
      const auto r = index_of(before, **right, key);
      take_left = l && r && *l < *r;
    }
    out.push_back(take_left ? **left++ : **right++);
  }
  return out;
}

class Patcher {
 public:
  explicit Patcher(const FieldTypes& types) : types_(types) {}

  Answer<void> merge(json::Members& target, const json::Members& patch) {
    if (const json::Value* directive = patch.if_contains(kDirective)) return obey(target, patch, *directive);
    TRY_VOID(retain(target, patch));
    for (const auto& wish : patch) {
      const std::string_view key = wish.key();
      if (key == kRetainKeys || key.starts_with(kOrder)) continue;
      if (key.starts_with(kDeleteFrom)) {
        TRY_VOID(delete_from(target, key.substr(kDeleteFrom.size()), wish.value()));
        continue;
      }
      place_.push_back(key);
      auto merged = merge_member(target, key, wish.value(), patch);
      place_.pop_back();
      if (!merged) return merged;
    }
    return order_untouched_lists(target, patch);
  }

 private:
  Answer<void> obey(json::Members& target, const json::Members& patch, const json::Value& directive) {
    if (directive == "replace") {
      json::Value fresh = patch;
      fresh.get_object().erase(kDirective);
      target = fresh.get_object();
      return {};
    }
    if (directive == "delete") {
      target.clear();
      return {};
    }
    return bad_request(fmt::format("unknown patch type: {}", json::text_of(directive)));
  }

  static Answer<void> retain(json::Members& target, const json::Members& patch) {
    const json::Value* keys = patch.if_contains(kRetainKeys);
    if (keys == nullptr) return {};
    if (!keys->is_array()) return bad_request("invalid patch format of retainKeys");
    const json::Array& list = keys->get_array();
    const auto is_named = [&](std::string_view key) {
      return std::any_of(list.begin(), list.end(),
                         [&](const json::Value& one) { return one.is_string() && one.get_string() == key; });
    };
    for (const auto& wish : patch) {
      if (wish.key().starts_with("$") || wish.value().is_null()) continue;
      if (!is_named(wish.key())) return bad_request("invalid patch format of retainKeys");
    }
    for (auto at = target.begin(); at != target.end();) at = is_named(at->key()) ? at + 1 : target.erase(at);
    return {};
  }

  static Answer<void> delete_from(json::Members& target, std::string_view field, const json::Value& gone) {
    json::Value* list = target.if_contains(field);
    if (list == nullptr || !list->is_array()) return {};
    if (!gone.is_array()) return bad_request("invalid patch format of primitive list");
    json::Array& array = list->get_array();
    for (auto at = array.begin(); at != array.end();)
      at = index_of(gone.get_array(), *at, "") ? array.erase(at) : at + 1;
    return {};
  }

  Answer<void> merge_member(json::Members& target, std::string_view key, const json::Value& wish,
                            const json::Members& patch) {
    if (wish.is_null()) {
      target.erase(key);
      return {};
    }
    json::Value* there = target.if_contains(key);
    const bool same_kind =
        there != nullptr && ((there->is_object() && wish.is_object()) || (there->is_array() && wish.is_array()));
    const FieldType type = types_.at(place_);
    if (same_kind && wish.is_object() && !type.replaces) return merge(there->get_object(), wish.get_object());
    if (same_kind && wish.is_array() && type.merges) {
      const std::string order_key = std::string(kOrder) + std::string(key);
      const json::Value* order = patch.if_contains(order_key);
      return merge_list(there->get_array(), wish.get_array(), type.merge_key, order);
    }
    json::Value fresh = wish;
    if (clean(fresh)) {
      target[key] = std::move(fresh);
    } else {
      target.erase(key);
    }
    return {};
  }

  Answer<void> merge_list(json::Array& target, const json::Array& patch, const std::string& key,
                          const json::Value* order) {
    const bool plain = std::none_of(patch.begin(), patch.end(), [](const json::Value& one) { return one.is_object(); });
    const std::string_view by = plain ? std::string_view() : std::string_view(key);
    json::Array before;  // only where the patch takes something out of it
    bool is_shorter = false;
    bool is_plainly_wished = true;
    bool replace = false;
    for (const json::Value& wish : patch) {
      const std::string_view directive = json::text_at(wish, {kDirective});
      if (directive.empty()) continue;
      is_plainly_wished = false;
      if (directive == "replace") {
        replace = true;
      } else if (directive == "delete") {
        if (json::find(wish, {by}) == nullptr) return no_merge_key(wish, by);
        if (!std::exchange(is_shorter, true)) before = target;
        while (const auto at = index_of(before, wish, by))
          before.erase(before.begin() + static_cast<std::ptrdiff_t>(*at));
      } else {
        return bad_request(fmt::format("unknown patch type: \"{}\"", directive));
      }
    }
    if (is_plainly_wished) return merge_wishes(target, target, patch, plain, by, order);
    json::Array wishes;
    for (const json::Value& wish : patch) {
      if (json::text_at(wish, {kDirective}).empty()) wishes.push_back(wish);
    }
    if (replace) {
      json::Value fresh = wishes;
      clean(fresh);
      target = fresh.get_array();
      return {};
    }
    return merge_wishes(target, is_shorter ? before : target, wishes, plain, by, order);
  }

  Answer<void> merge_wishes(json::Array& target, const json::Array& before, const json::Array& wishes, bool plain,
                            std::string_view by, const json::Value* order) {
    json::Array merged(before, target.storage());
    for (const json::Value& wish : wishes) {
      if (!plain && json::find(wish, {by}) == nullptr) return no_merge_key(wish, by);
      const auto at = index_of(merged, wish, by);
      if (!at) {
        json::Value fresh = wish;
        clean(fresh);
        merged.push_back(std::move(fresh));
      } else if (!plain) {
        TRY_VOID(merge(merged[*at].get_object(), wish.get_object()));
      }
    }
    const json::Array& given = order != nullptr && order->is_array() ? order->get_array() : wishes;
    target = arranged(std::move(merged), given, before, by);
    return {};
  }

  // $setElementOrder for a list that the patch does not change otherwise.
  Answer<void> order_untouched_lists(json::Members& target, const json::Members& patch) {
    for (const auto& wish : patch) {
      if (!wish.key().starts_with(kOrder) || !wish.value().is_array()) continue;
      const std::string_view field = std::string_view(wish.key()).substr(kOrder.size());
      json::Value* list = target.if_contains(field);
      if (list == nullptr || !list->is_array() || patch.contains(field)) continue;
      place_.push_back(field);
      const FieldType type = types_.at(place_);
      place_.pop_back();
      const json::Array before = list->get_array();
      list->get_array() = arranged(before, wish.value().get_array(), before, type.merge_key);
    }
    return {};
  }

  const FieldTypes& types_;
  Place place_;
};

}  // namespace

Answer<void> strategic_patch(json::Value& target, const json::Value& patch, const FieldTypes& types) {
  if (!patch.is_object()) {
    return bad_request(
        fmt::format("json: cannot unmarshal {} into Go value of type map[string]interface {{}}", json_word(patch)));
  }
  return Patcher(types).merge(target.get_object(), patch.get_object());
}

}  // namespace drover::sim
