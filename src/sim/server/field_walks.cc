#include "sim/server/field_walks.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/same.h"

namespace drover::sim {
namespace {

std::string field_step(std::string_view key) { return "f:" + std::string(key); }

// "k:{"containerPort":80,"protocol":"TCP"}", "v:"x"".
std::string element_step(const json::Value& element, const FieldType& type) {
  if (type.list == FieldType::List::Set) return "v:" + json::text_of(element);
  json::Members keys;
  for (const std::string& key : type.keys) {
    const json::Value* value = json::find(element, {key});
    if (value != nullptr) {
      keys[key] = *value;
    } else if (const std::string_view fallback = default_of_key(key); !fallback.empty()) {
      keys[key] = fallback;
    }
  }
  return "k:" + json::text_of(json::Value(keys));
}

bool is_empty(const json::Value* value) {
  return value == nullptr || value->is_null() || (value->is_object() && value->get_object().empty()) ||
         (value->is_array() && value->get_array().empty());
}

// A list's elements by step, in order of first appearance.
struct Elements {
  std::vector<std::string> order;
  std::map<std::string, const json::Value*, std::less<>> by_step;

  Elements(const json::Value* list, const FieldType& type) {
    if (list == nullptr || !list->is_array()) return;
    for (const json::Value& element : list->get_array()) {
      std::string step = element_step(element, type);
      if (by_step.try_emplace(step, &element).second) order.push_back(std::move(step));
    }
  }
  const json::Value* find(std::string_view step) const {
    const auto at = by_step.find(step);
    return at == by_step.end() ? nullptr : at->second;
  }
};

// Where a walk stands. Elements of a list stand at the list's own place.
class FieldWalk {
 public:
  explicit FieldWalk(const FieldTypes& types) : types_(types) {}

  FieldType type() const { return types_.at(place_); }
  template <class Visit>
  void into(std::string_view key, Visit visit) {
    place_.push_back(key);
    visit();
    place_.pop_back();
  }

  // Places.

  void places(const json::Value& value, FieldSet& set, bool is_element) {
    const FieldType here = type();
    if (value.is_object() && !here.atomic_object) {
      for (const auto& member : value.get_object()) {
        FieldSet& child = set.grow(field_step(member.key()));
        into(member.key(), [&] { places(member.value(), child, false); });
        if (member.value().is_null() || (member.value().is_object() && member.value().get_object().empty()) ||
            here.free_keys) {
          child.mark();
        }
        if (child.empty()) set.erase(field_step(member.key()));
      }
    } else if (value.is_array() && !is_element && here.list != FieldType::List::Atomic) {
      for (const json::Value& element : value.get_array()) {
        FieldSet& child = set.grow(element_step(element, here));
        places(element, child, true);
        child.mark();
      }
    } else {
      set.mark();
    }
  }

  // Differences.

  struct Growing {
    FieldSet& added;
    FieldSet& modified;
    FieldSet& removed;
  };

  void differences(const json::Value* before, const json::Value* after, Growing out, bool is_element) {
    const FieldType here = type();
    // A null is there, but has no shape of its own.
    const bool shaped_by_after = after != nullptr && !after->is_null();
    const json::Value& shape = shaped_by_after || before == nullptr ? *after : *before;
    const auto fits = [&](const json::Value* one) {
      return one == nullptr || one->is_null() || one->kind() == shape.kind();
    };
    const bool both_empty = is_empty(before) && is_empty(after);
    const bool same_shape = fits(before) && fits(after) && !both_empty;
    if (same_shape && shape.is_object() && !here.atomic_object) {
      differences_of_members(before, after, out);
    } else if (same_shape && shape.is_array() && !is_element && here.list != FieldType::List::Atomic) {
      differences_of_elements(before, after, out, here);
    } else if (before != nullptr && after != nullptr) {
      if (!same(*before, *after)) out.modified.mark();
    }
    if (before == nullptr) out.added.mark();
    if (after == nullptr) out.removed.mark();
  }

  // Laying over.

  json::Value laid_over(const json::Value& live, const json::Value& wish, bool is_element) {
    const FieldType here = type();
    if (live.is_object() && wish.is_object() && !here.atomic_object) {
      json::Members out;
      out.reserve(live.get_object().size() + wish.get_object().size());
      for (const auto& member : live.get_object()) {
        const json::Value* wanted = wish.get_object().if_contains(member.key());
        if (wanted == nullptr) {
          out.emplace(member.key(), member.value());
        } else {
          into(member.key(), [&] { out.emplace(member.key(), laid_over(member.value(), *wanted, false)); });
        }
      }
      for (const auto& member : wish.get_object()) {
        if (!out.contains(member.key())) out.emplace(member.key(), member.value());
      }
      return out;
    }
    if (live.is_array() && wish.is_array() && !is_element && here.list != FieldType::List::Atomic) {
      return lists_laid_over(live, wish, here);
    }
    return wish;
  }

  // Taking away.

  json::Value without(const json::Value& value, const FieldSet& gone, bool is_element) {
    const FieldType here = type();
    if (gone.below().empty()) return value;
    if (value.is_object()) {
      if (here.atomic_object) return json::Value();
      json::Members out;
      for (const auto& member : value.get_object()) {
        const FieldSet& below = gone.at(field_step(member.key()));
        if (below.is_member()) continue;
        if (below.empty()) {
          out[member.key()] = member.value();
        } else {
          json::Value rest;
          into(member.key(), [&] { rest = without(member.value(), below, false); });
          if (!rest.is_null()) out[member.key()] = std::move(rest);
        }
      }
      return out.empty() ? json::Value() : json::Value(std::move(out));
    }
    if (value.is_array() && !is_element && here.list != FieldType::List::Atomic) {
      json::Array out;
      for (const json::Value& element : value.get_array()) {
        const FieldSet& below = gone.at(element_step(element, here));
        if (below.is_member()) continue;
        json::Value rest = below.empty() ? element : without(element, below, true);
        if (!rest.is_null()) out.push_back(std::move(rest));
      }
      return out.empty() ? json::Value() : json::Value(std::move(out));
    }
    return value;
  }

  // What a list gives twice, in words; "" when nothing.
  std::string given_twice(const json::Value& value, FieldSet::Path& path, bool is_element) {
    const FieldType here = type();
    if (value.is_object() && !here.atomic_object) {
      for (const auto& member : value.get_object()) {
        path.push_back(field_step(member.key()));
        std::string found;
        into(member.key(), [&] { found = given_twice(member.value(), path, false); });
        path.pop_back();
        if (!found.empty()) return found;
      }
    } else if (value.is_array() && !is_element && here.list != FieldType::List::Atomic) {
      std::set<std::string> seen;
      for (const json::Value& element : value.get_array()) {
        const std::string step = element_step(element, here);
        if (!seen.insert(step).second) return text_of(path) + ": duplicate entries for key " + text_of({step});
        path.push_back(step);
        std::string found = given_twice(element, path, true);
        path.pop_back();
        if (!found.empty()) return found;
      }
    }
    return {};
  }

  FieldSet with_named_fields(const FieldSet& set) {
    const FieldType here = type();
    FieldSet out;
    if (set.is_member()) out.mark();
    for (const auto& [step, child] : set.below()) {
      FieldSet& mine = out.grow(step);
      if (step.starts_with("f:")) {
        into(std::string_view(step).substr(2), [&] { mine = with_named_fields(child); });
        if (!here.free_keys) mine.mark();
      } else {
        mine = with_named_fields(child);
      }
    }
    return out;
  }

 private:
  template <class Visit>
  void child_of(Growing out, const std::string& step, Visit visit) {
    visit(Growing{out.added.grow(step), out.modified.grow(step), out.removed.grow(step)});
    for (FieldSet* set : {&out.added, &out.modified, &out.removed}) {
      if (set->at(step).empty()) set->erase(step);
    }
  }

  void differences_of_members(const json::Value* before, const json::Value* after, Growing out) {
    const auto visit = [&](std::string_view key, const json::Value* was, const json::Value* is) {
      child_of(out, field_step(key), [&](Growing child) { into(key, [&] { differences(was, is, child, false); }); });
    };
    static const json::Members kNone;
    const json::Members& old_members = before != nullptr && before->is_object() ? before->get_object() : kNone;
    const json::Members& new_members = after != nullptr && after->is_object() ? after->get_object() : kNone;
    for (const auto& member : old_members) {
      const json::Value* is = new_members.if_contains(member.key());
      // Most of an object stays as it was, and comparing is cheaper than walking.
      if (is == nullptr || !same(member.value(), *is)) visit(member.key(), &member.value(), is);
    }
    for (const auto& member : new_members) {
      if (!old_members.contains(member.key())) visit(member.key(), nullptr, &member.value());
    }
  }

  void differences_of_elements(const json::Value* before, const json::Value* after, Growing out,
                               const FieldType& here) {
    const Elements old_elements(before, here);
    const Elements new_elements(after, here);
    const auto visit = [&](const std::string& step) {
      child_of(out, step,
               [&](Growing child) { differences(old_elements.find(step), new_elements.find(step), child, true); });
    };
    for (const std::string& step : old_elements.order) {
      const json::Value* is = new_elements.find(step);
      if (is == nullptr || !same(*old_elements.find(step), *is)) visit(step);
    }
    for (const std::string& step : new_elements.order) {
      if (old_elements.find(step) == nullptr) visit(step);
    }
  }

  // Both orders are kept as far as they agree: what only one side has stays where it stood between its neighbours.
  json::Value lists_laid_over(const json::Value& live, const json::Value& wish, const FieldType& here) {
    const Elements theirs(&live, here);
    const Elements mine(&wish, here);
    const auto merged = [&](const std::string& step) {
      const json::Value* l = theirs.find(step);
      const json::Value* r = mine.find(step);
      if (l == nullptr) return *r;
      return r == nullptr ? *l : laid_over(*l, *r, true);
    };
    json::Array out;
    std::set<std::string, std::less<>> done;
    std::size_t l = 0;
    std::size_t r = 0;
    while (l < theirs.order.size() || r < mine.order.size()) {
      if (l < theirs.order.size() && r < mine.order.size() && theirs.order[l] == mine.order[r]) {
        out.push_back(merged(theirs.order[l]));
        done.insert(theirs.order[l]);
        ++l;
        ++r;
      } else if (l < theirs.order.size() && mine.find(theirs.order[l]) == nullptr) {
        out.push_back(merged(theirs.order[l++]));
      } else if (l < theirs.order.size() && done.contains(theirs.order[l])) {
        ++l;
      } else if (r < mine.order.size()) {
        out.push_back(merged(mine.order[r]));
        done.insert(mine.order[r++]);
      } else {
        ++l;
      }
    }
    return out;
  }

  const FieldTypes& types_;
  Place place_;
};

}  // namespace

FieldSet places_in(const json::Value& value, const FieldTypes& types) {
  FieldSet set;
  FieldWalk(types).places(value, set, false);
  return set;
}

Comparison compare(const json::Value& before, const json::Value& after, const FieldTypes& types) {
  Comparison out;
  FieldWalk(types).differences(&before, &after, {out.added, out.modified, out.removed}, false);
  return out;
}

json::Value laid_over(const json::Value& live, const json::Value& wish, const FieldTypes& types) {
  return FieldWalk(types).laid_over(live, wish, false);
}

json::Value without_places(const json::Value& value, const FieldSet& gone, const FieldTypes& types) {
  return FieldWalk(types).without(value, gone, false);
}

std::string given_twice(const json::Value& value, const FieldTypes& types) {
  FieldSet::Path path;
  return FieldWalk(types).given_twice(value, path, false);
}

FieldSet with_named_fields(const FieldSet& set, const FieldTypes& types) {
  return FieldWalk(types).with_named_fields(set);
}

}  // namespace drover::sim
