// Printing field errors.
#include "sim/crd/field_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/cel/go_text.h"

namespace drover::sim::crd {

namespace {

struct ErrorText {
  std::string_view text;
  std::string_view reason;
  bool shows_value;
};

ErrorText words(FieldError::Type type) {
  switch (type) {
    case FieldError::Type::Required: return {"Required value", "FieldValueRequired", false};
    case FieldError::Type::Invalid: return {"Invalid value", "FieldValueInvalid", true};
    case FieldError::Type::TypeInvalid: return {"Invalid value", "FieldValueTypeInvalid", true};
    case FieldError::Type::NotSupported: return {"Unsupported value", "FieldValueNotSupported", true};
    case FieldError::Type::Duplicate: return {"Duplicate value", "FieldValueDuplicate", true};
    case FieldError::Type::Forbidden: return {"Forbidden", "FieldValueForbidden", false};
    case FieldError::Type::TooLong: return {"Too long", "FieldValueTooLong", false};
    case FieldError::Type::TooMany: return {"Too many", "FieldValueTooMany", true};
    case FieldError::Type::Internal: return {"Internal error", "InternalError", false};
  }
  return {"Invalid value", "FieldValueInvalid", true};
}

}  // namespace

std::string FieldError::body() const {
  const ErrorText said = words(type);
  std::string text(said.text);
  if (said.shows_value && bad_value) text += ": " + *bad_value;
  if (!detail.empty()) text += ": " + detail;
  return text;
}

std::string_view FieldError::reason() const { return words(type).reason; }

FieldError required(std::string path, std::string detail) {
  return {FieldError::Type::Required, std::move(path), std::nullopt, std::move(detail)};
}
FieldError invalid(std::string path, const json::Value& value, std::string detail) {
  return {FieldError::Type::Invalid, std::move(path), shown(value), std::move(detail)};
}
FieldError forbidden(std::string path, std::string detail) {
  return {FieldError::Type::Forbidden, std::move(path), std::nullopt, std::move(detail)};
}
FieldError duplicate(std::string path, const json::Value& value) {
  return {FieldError::Type::Duplicate, std::move(path), shown(value), {}};
}
FieldError not_supported(std::string path, const json::Value& value, std::span<const std::string> supported) {
  std::string detail;
  for (const auto& one : supported) detail += (detail.empty() ? "supported values: " : ", ") + cel::go_quote(one);
  return {FieldError::Type::NotSupported, std::move(path), shown(value), std::move(detail)};
}
FieldError too_many(std::string path, std::int64_t actual, std::int64_t most) {
  return {FieldError::Type::TooMany, std::move(path), fmt::format("{}", actual),
          fmt::format("must have at most {} {}", most, most == 1 ? "item" : "items")};
}

std::string shown(const json::Value& value) {
  if (const auto* text = value.if_string()) return cel::go_quote(std::string_view(*text));
  if (const auto* number = value.if_double()) return cel::go_float(*number);
  if (const auto* number = value.if_uint64()) return cel::go_float(static_cast<double>(*number));
  return cel::go_json(value);
}

std::string child(std::string_view path, std::string_view name) {
  std::string at;
  at.reserve(path.size() + 1 + name.size());
  at += path;
  if (!path.empty()) at += '.';
  return at += name;
}
std::string key(std::string_view path, std::string_view name) { return fmt::format("{}[{}]", path, name); }
std::string index(std::string_view path, std::size_t at) { return fmt::format("{}[{}]", path, at); }

std::string invalid_message(std::string_view group, std::string_view kind, std::string_view name,
                            const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const auto& error : errors) {
    std::string text = error.text();
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  std::string all;
  for (const auto& text : texts) all += (all.empty() ? "" : ", ") + text;
  if (texts.size() > 1) all = "[" + all + "]";
  return fmt::format("{}{}{} {} is invalid{}{}", kind, group.empty() ? "" : ".", group, cel::go_quote(name),
                     all.empty() ? "" : ": ", all);
}

json::Value invalid_details(std::string_view group, std::string_view kind, std::string_view name,
                            const FieldErrors& errors) {
  json::Array causes;
  for (const auto& error : errors) {
    causes.push_back(json::Members{{"reason", error.reason()}, {"message", error.body()}, {"field", error.path}});
  }
  json::Members details;
  if (!name.empty()) details["name"] = name;
  if (!group.empty()) details["group"] = group;
  if (!kind.empty()) details["kind"] = kind;
  if (!causes.empty()) details["causes"] = std::move(causes);
  return details;
}

}  // namespace drover::sim::crd
