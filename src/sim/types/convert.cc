// The two other readers of objects: the converter behind strategic merge patches, and the schema behind server-side
// apply. They refuse much the same as the decoder, each in words of its own.
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "sim/types/scalars.h"
#include "sim/types/types.h"

namespace drover::sim::types {
namespace {

// A value's type, as Go names it.
std::string_view go_type(const json::Value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  return value.is_double() ? "float64" : "int64";
}

std::string_view go_kind(const json::Value& value) {
  if (value.is_array()) return "slice";
  return value.is_object() ? "map" : go_type(value);
}

std::string_view kind_of(JsonShape shape) {
  switch (shape) {
    case JsonShape::Integer32: return "int32";
    case JsonShape::Integer64: return "int64";
    case JsonShape::Number: return "float64";
    case JsonShape::Flag: return "bool";
    default: return "string";
  }
}

bool is_plain(JsonShape shape) {
  return shape == JsonShape::Text || shape == JsonShape::Integer32 || shape == JsonShape::Integer64 ||
         shape == JsonShape::Number || shape == JsonShape::Flag;
}

bool is_integer(JsonShape shape) { return shape == JsonShape::Integer32 || shape == JsonShape::Integer64; }

std::string plain_error(const Type& type, const json::Value& value) {
  const bool whole = value.is_int64() || value.is_uint64();
  bool good = false;
  bool kin = false;  // Go could convert it, JSON does not
  if (type.shape == JsonShape::Text) {
    good = value.is_string();
    kin = whole;
  } else if (type.shape == JsonShape::Flag) {
    good = value.is_bool();
  } else if (is_integer(type.shape)) {
    good = whole || (value.is_double() && value.get_double() == std::trunc(value.get_double()));
    kin = value.is_double();
  } else {
    good = value.is_number();
  }
  if (good) return "";
  if (kin) return fmt::format("cannot convert {} to {}", go_type(value), type.spelling);
  return fmt::format("unrecognized type: {}", kind_of(type.shape));
}

// ---- server-side apply

// A value, as Go's %#v and %v print the wrapper around it.
std::string in_go(const json::Value& value, bool sharp) {
  if (value.is_string()) return sharp ? quoted(value.get_string()) : std::string(value.get_string());
  if (value.is_null()) return sharp ? "interface {}(nil)" : "<nil>";
  if (const auto* array = value.if_array()) {
    std::string text;
    for (const json::Value& item : *array)
      text.append(text.empty() ? "" : (sharp ? ", " : " ")).append(in_go(item, sharp));
    return sharp ? "[]interface {}{" + text + "}" : "[" + text + "]";
  }
  if (const auto* object = value.if_object()) {
    std::string text;
    for (const auto& member : *object) {
      text.append(text.empty() ? "" : (sharp ? ", " : " "));
      text.append(sharp ? quoted(member.key()) : std::string(member.key())).append(":");
      text.append(in_go(member.value(), sharp));
    }
    return sharp ? "map[string]interface {}{" + text + "}" : "map[" + text + "]";
  }
  return json::text_of(value);
}

class Fitting {
 public:
  std::string error(const Type& type, const json::Value& object) {
    walk(type, Merge::Unsaid, {}, object, "");
    if (errors_.empty()) return "";
    if (errors_.size() == 1) return errors_[0];
    std::string text = "errors:";
    for (const std::string& one : errors_) text.append("\n  ").append(one);
    return text;
  }

 private:
  void complain(const std::string& path, const std::string& what) {
    errors_.push_back(path.empty() ? what : path + ": " + what);
  }

  void walk(const Type& type, Merge merge, const std::vector<std::string_view>& keys, const json::Value& value,
            const std::string& path) {
    if (value.is_null()) return;
    switch (type.shape) {
      case JsonShape::Object: return walk_object(type, value, path);
      case JsonShape::Map: return walk_map(type, value, path);
      case JsonShape::List: return walk_list(type, merge, keys, value, path);
      case JsonShape::Text:
      case JsonShape::Bytes:
        if (!value.is_string())
          complain(path, fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}", in_go(value, true)));
        return;
      case JsonShape::Flag:
        if (!value.is_bool()) complain(path, fmt::format("expected boolean, got &{{{}}}", in_go(value, false)));
        return;
      case JsonShape::Integer32:
      case JsonShape::Integer64:
      case JsonShape::Number:
        if (!value.is_number()) complain(path, fmt::format("expected numeric (int or float), got {}", go_type(value)));
        return;
      default: return;  // quantities, times and the like take anything here; the decoder comes later
    }
  }

  void walk_object(const Type& type, const json::Value& value, const std::string& path) {
    if (!value.is_object()) return complain(path, fmt::format("expected map, got &{{{}}}", in_go(value, false)));
    for (const auto& member : value.get_object()) {
      const std::string below = fmt::format("{}.{}", path, std::string_view(member.key()));
      const Field* field = type.field(member.key());
      if (field == nullptr) return complain(below, "field not declared in schema");
      walk(*field->type, field->merge, field->keys, member.value(), below);
    }
  }

  void walk_map(const Type& type, const json::Value& value, const std::string& path) {
    if (!value.is_object()) return complain(path, fmt::format("expected map, got &{{{}}}", in_go(value, false)));
    for (const auto& member : value.get_object())
      walk(*type.element, Merge::Unsaid, {}, member.value(),
           fmt::format("{}.{}", path, std::string_view(member.key())));
  }

  // [containerPort=80,protocol="TCP"]: what tells an element apart, also where it is left to the default.
  static std::string keys_of(const std::vector<std::string_view>& keys, const json::Value& item) {
    std::string text;
    for (const std::string_view key : keys) {
      const json::Value* found = json::find(item, {key});
      const std::string value = found != nullptr ? json::text_of(*found) : quoted(key == "protocol" ? "TCP" : "");
      text.append(text.empty() ? "" : ",").append(key).append("=").append(value);
    }
    return "[" + text + "]";
  }

  void walk_list(const Type& type, Merge merge, const std::vector<std::string_view>& keys, const json::Value& value,
                 const std::string& path) {
    if (!value.is_array()) return complain(path, fmt::format("expected list, got &{{{}}}", in_go(value, false)));
    std::set<std::string> seen;
    std::size_t index = 0;
    for (const json::Value& item : value.get_array()) {
      std::string element = fmt::format("[{}]", index);
      if (merge == Merge::Map && !item.is_object())
        return complain(path, fmt::format("element {}: associative list with keys may not have {}", index,
                                          item.is_null() ? "a null element" : "non-map elements"));
      if (merge == Merge::Map) element = keys_of(keys, item);
      if (merge == Merge::Set) element = fmt::format("[={}]", json::text_of(item));
      ++index;
      if (!seen.insert(element).second) complain(path, fmt::format("duplicate entries for key {}", element));
      walk(*type.element, Merge::Unsaid, {}, item, path + element);
    }
  }

  std::vector<std::string> errors_;
};

}  // namespace

std::string conversion_error(const Type& type, const json::Value& value) {
  if (value.is_null() || type.shape == JsonShape::Anything) return "";
  if (is_plain(type.shape)) return plain_error(type, value);
  if (type.shape == JsonShape::Object) {
    if (!value.is_object()) return fmt::format("cannot restore struct from: {}", go_kind(value));
    for (const Field& field : type.fields) {
      const auto* member = value.get_object().if_contains(field.name);
      if (member == nullptr) continue;
      if (std::string wrong = conversion_error(*field.type, *member); !wrong.empty()) return wrong;
    }
    return "";
  }
  if (type.shape == JsonShape::Map) {
    if (!value.is_object()) return fmt::format("cannot restore map from {}", go_kind(value));
    for (const auto& member : value.get_object()) {
      if (std::string wrong = conversion_error(*type.element, member.value()); !wrong.empty()) return wrong;
    }
    return "";
  }
  if (type.shape == JsonShape::List) {
    if (!value.is_array()) return fmt::format("cannot restore slice from {}", go_kind(value));
    for (const json::Value& item : value.get_array()) {
      if (std::string wrong = conversion_error(*type.element, item); !wrong.empty()) return wrong;
    }
    return "";
  }
  return read(type, value).malformed;
}

std::string apply_error(const Type& type, const json::Value& object) { return Fitting().error(type, object); }

}  // namespace drover::sim::types
