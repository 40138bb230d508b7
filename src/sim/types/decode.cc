// Reading an object as kube-apiserver's JSON decoder does: it goes on after most mistakes and tells the first of them;
// a type that reads itself (a time, a quantity) ends everything at once.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "sim/types/scalars.h"
#include "sim/types/types.h"

namespace drover::sim::types {
namespace {

constexpr std::size_t kMostStrict = 100;

std::string_view sort_of(const json::Value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_array()) return "array";
  if (value.is_object()) return "object";
  return "number";
}

std::string number_text(const json::Value& value) {
  if (!value.is_double()) return json::text_of(value);
  std::string text = fmt::format("{}", value.get_double());
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

bool fits(const json::Value& value, JsonShape shape) {
  if (shape == JsonShape::Number) return value.is_number();
  if (!value.is_int64()) return false;
  const std::int64_t number = value.get_int64();
  return shape == JsonShape::Integer64 ||
         (number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max());
}

class Decoder {
 public:
  Reading decode(const Type& type, const json::Value& object) {
    walk(type, object);
    reading_.malformed = fatal_.empty() ? std::move(saved_) : std::move(fatal_);
    return std::move(reading_);
  }

 private:
  void save(std::string complaint) {
    if (saved_.empty()) saved_ = std::move(complaint);
  }
  // `what` cannot become a `spelling`, at the field where we are.
  std::string misfit(std::string_view what, std::string_view spelling) const {
    if (struct_.empty()) return fmt::format("json: cannot unmarshal {} into Go value of type {}", what, spelling);
    std::string fields;
    for (const std::string_view field : fields_) fields.append(".").append(field);
    return fmt::format("json: cannot unmarshal {} into Go struct field {}{} of type {}", what, struct_, fields,
                       spelling);
  }
  void unknown(std::string_view key) {
    if (reading_.strict.size() >= kMostStrict) return;
    std::string place = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
    reading_.strict.push_back("unknown field " + quoted(place));
  }

  void walk(const Type& type, const json::Value& value) {
    if (!fatal_.empty() || value.is_null()) return;
    switch (type.shape) {
      case JsonShape::Object: return walk_object(type, value);
      case JsonShape::List: return walk_list(type, value);
      case JsonShape::Map: return walk_map(type, value);
      case JsonShape::Text:
        if (!value.is_string()) save(misfit(sort_of(value), type.spelling));
        return;
      case JsonShape::Flag:
        if (!value.is_bool()) save(misfit(sort_of(value), type.spelling));
        return;
      case JsonShape::Integer32:
      case JsonShape::Integer64:
      case JsonShape::Number:
        if (!value.is_number()) return save(misfit(sort_of(value), type.spelling));
        if (!fits(value, type.shape)) save(misfit("number " + number_text(value), type.spelling));
        return;
      default: return walk_own_reader(type, value);
    }
  }

  void walk_own_reader(const Type& type, const json::Value& value) {
    switch (type.shape) {
      case JsonShape::Bytes:
        if (value.is_array()) return;  // a list of numbers is bytes too
        if (!value.is_string()) return save(misfit(sort_of(value), type.spelling));
        if (std::string wrong = base64_error(value.get_string()); !wrong.empty()) save(std::move(wrong));
        return;
      case JsonShape::Quantity:
        fatal_ = value.is_string() || value.is_number()
                     ? quantity_error(value.is_string() ? std::string(value.get_string()) : number_text(value))
                     : quantity_error("?");
        return;
      case JsonShape::Time:
      case JsonShape::MicroTime:
      case JsonShape::Duration:
        if (!value.is_string()) {
          fatal_ = misfit(sort_of(value), "string");
        } else if (type.shape != JsonShape::Duration) {
          fatal_ = time_error(value.get_string(), type.shape == JsonShape::MicroTime);
        }
        return;
      case JsonShape::IntOrString:
        if (value.is_string()) return;
        if (!value.is_number()) {
          fatal_ = misfit(sort_of(value), "int32");
        } else if (!fits(value, JsonShape::Integer32)) {
          fatal_ = misfit("number " + number_text(value), "int32");
        }
        return;
      default:
        if (type.name == "JSONSchemaPropsOrBool" && !value.is_bool() && !value.is_object())
          fatal_ = "boolean or JSON schema expected";
        return;
    }
  }

  void walk_object(const Type& type, const json::Value& value) {
    if (!value.is_object()) return save(misfit(sort_of(value), type.spelling));
    const std::string_view outer = std::exchange(struct_, type.name);
    for (const auto& member : value.get_object()) {
      const Field* field = type.field(member.key());
      if (field == nullptr) {
        unknown(member.key());
        continue;
      }
      const std::size_t depth = fields_.size();
      const std::size_t length = path_.size();
      if (!field->through.empty() && field->through != "TypeMeta") fields_.push_back(field->through);
      fields_.push_back(field->name);
      path_.append(path_.empty() ? "" : ".").append(field->name);
      walk(*field->type, member.value());
      if (!fatal_.empty()) return;
      fields_.resize(depth);
      path_.resize(length);
    }
    struct_ = outer;
  }

  void walk_list(const Type& type, const json::Value& value) {
    if (!value.is_array()) return save(misfit(sort_of(value), type.spelling));
    const std::size_t length = path_.size();
    std::size_t index = 0;
    for (const json::Value& item : value.get_array()) {
      path_.append(fmt::format("[{}]", index++));
      walk(*type.element, item);
      path_.resize(length);
    }
  }

  void walk_map(const Type& type, const json::Value& value) {
    if (!value.is_object()) return save(misfit(sort_of(value), type.spelling));
    const std::size_t length = path_.size();
    for (const auto& member : value.get_object()) {
      path_.append(path_.empty() ? "" : ".").append(std::string_view(member.key()));
      walk(*type.element, member.value());
      path_.resize(length);
    }
  }

  Reading reading_;
  std::string saved_;
  std::string fatal_;
  std::string_view struct_;               // the struct around the field
  std::vector<std::string_view> fields_;  // without list indexes and map keys
  std::string path_;                      // with them
};

}  // namespace

Reading read(const Type& type, const json::Value& object) { return Decoder().decode(type, object); }

Reading read(std::string_view group, std::string_view version, std::string_view kind, const json::Value& object) {
  const Type* type = find(group, version, kind);
  return type == nullptr ? Reading{} : read(*type, object);
}

std::string strict_error(const std::vector<std::string>& strict) {
  std::string text = "strict decoding error: ";
  for (std::size_t i = 0; i < strict.size(); ++i) text.append(i == 0 ? "" : ", ").append(strict[i]);
  return text;
}

}  // namespace drover::sim::types
