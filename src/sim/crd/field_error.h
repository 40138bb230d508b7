// What is wrong with a field, in the words and with the reasons of an API server, and the 422 body they add up to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace drover::sim::crd {

struct FieldError {
  enum class Type { Required, Invalid, TypeInvalid, NotSupported, Duplicate, Forbidden, TooLong, TooMany, Internal };

  Type type = Type::Invalid;
  std::string path;                           // "spec.replicas"
  std::optional<std::string> bad_value = {};  // as printed; nothing when it is not shown
  std::string detail = {};

  // "Invalid value: -1: should be a non-negative integer"
  std::string body() const;
  // "spec.replicas: Invalid value: …"
  std::string text() const { return path + ": " + body(); }
  // "FieldValueInvalid"
  std::string_view reason() const;
};
using FieldErrors = std::vector<FieldError>;

FieldError required(std::string path, std::string detail = {});
FieldError invalid(std::string path, const json::Value& value, std::string detail);
FieldError forbidden(std::string path, std::string detail);
FieldError duplicate(std::string path, const json::Value& value);
FieldError not_supported(std::string path, const json::Value& value, std::span<const std::string> supported);
FieldError too_many(std::string path, std::int64_t actual, std::int64_t most);

// A value as messages show it: numbers and booleans plain, strings quoted, everything else as JSON.
std::string shown(const json::Value& value);

// Paths: "a" + "b" is "a.b", an index or key is "a[0]", "a[key]"; the path of nothing at all is "<nil>".
std::string child(std::string_view path, std::string_view name);
std::string key(std::string_view path, std::string_view name);
std::string index(std::string_view path, std::size_t at);

// `Widget.example.com "w" is invalid: [first, second]`
std::string invalid_message(std::string_view group, std::string_view kind, std::string_view name,
                            const FieldErrors& errors);
// metav1.StatusDetails with one cause for each error.
json::Value invalid_details(std::string_view group, std::string_view kind, std::string_view name,
                            const FieldErrors& errors);

}  // namespace drover::sim::crd
