#include "sim/server/field_types.h"

#include <algorithm>
#include <map>

#include "sim/types/types.h"

namespace drover::sim {
namespace {

constexpr auto kSet = FieldType::List::Set;
constexpr auto kMap = FieldType::List::Map;

// The tables of sim/types know every place of the built-in kinds.
class BuiltIn final : public FieldTypes {
 public:
  explicit BuiltIn(const types::Type* root) : root_(root) {}

  FieldType at(const Place& place) const override {
    const types::Type* above = root_;
    const types::Field* field = nullptr;
    for (const std::string_view key : place) {
      if (field != nullptr) above = inside(*field->type);
      field = nullptr;
      // Below a free key stands what the map holds.
      if (above->shape == types::JsonShape::Map) {
        above = inside(*above->element);
        continue;
      }
      field = above->field(key);
      if (field == nullptr) return {};
    }
    return field == nullptr ? FieldType{} : described(*field);
  }

 private:
  // What the elements of a list are, or the type itself.
  static const types::Type* inside(const types::Type& type) {
    return type.shape == types::JsonShape::List ? type.element : &type;
  }

  static FieldType described(const types::Field& field) {
    FieldType type;
    if (field.merge == types::Merge::Set) type.list = kSet;
    if (field.merge == types::Merge::Map) type.list = kMap;
    for (const std::string_view key : field.keys) type.keys.emplace_back(key);
    std::sort(type.keys.begin(), type.keys.end());
    const types::Type& element = *inside(*field.type);
    const bool is_list = &element != field.type;
    type.free_keys = element.shape == types::JsonShape::Map;
    // The content of an untyped field is not inspected.
    type.atomic_object = element.atomic || element.shape == types::JsonShape::Anything ||
                         (!is_list && field.merge == types::Merge::Atomic);
    type.merges = field.patch_merges;
    type.merge_key = field.patch_key;
    type.replaces = field.patch_replaces;
    return type;
  }

  const types::Type* root_;
};

class Unknown final : public FieldTypes {
 public:
  FieldType at(const Place& place) const override {
    FieldType type;
    type.free_keys = true;
    const std::string_view below = place.size() > 1 ? place[place.size() - 2] : std::string_view();
    if (place.size() == 1 && (place[0] == "metadata" || place[0] == "spec" || place[0] == "status"))
      type.free_keys = false;
    if (place.empty()) type.free_keys = false;
    if (place.size() == 2 && below == "metadata") {
      if (place[1] == "finalizers") type.list = kSet;
      if (place[1] == "ownerReferences") {
        type.list = kMap;
        type.keys = {"uid"};
        type.atomic_object = true;
      }
    }
    return type;
  }
};

}  // namespace

const FieldTypes& built_in_types(std::string_view kind) {
  using ByKind = std::map<std::string_view, BuiltIn>;
  static const ByKind kByKind = [] {
    ByKind by_kind;
    for (const types::Kind& one : types::kinds()) by_kind.emplace(one.kind, BuiltIn(one.type));
    return by_kind;
  }();
  static const types::Type kNothing{.shape = types::JsonShape::Object};
  static const BuiltIn kUnheardOf(&kNothing);
  const auto at = kByKind.find(kind);
  return at == kByKind.end() ? kUnheardOf : at->second;
}

const FieldTypes& unknown_types() {
  static const Unknown kUnknown;
  return kUnknown;
}

std::string_view default_of_key(std::string_view key) { return key == "protocol" ? "TCP" : ""; }

}  // namespace drover::sim
