#include "base/json.h"

#include <fmt/core.h>

#include "base/text.h"

namespace drover::json {

base::Result<Value> parse(std::string_view text, std::size_t max_depth) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::json::parser parser({}, options);
  boost::json::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error && used < text.size()) {
    return base::fault(base::Fault::Kind::Malformed,
                       fmt::format("not JSON: something stands after the end, at byte {}: {}", used,
                                   base::one_line(text.substr(used), 40)));
  }
  if (error) {
    return base::fault(base::Fault::Kind::Malformed,
                       fmt::format("not JSON: {} at byte {} of {}: {}", error.message(), used, text.size(),
                                   base::one_line(text.substr(std::min(used, text.size())), 40)));
  }
  return parser.release();
}

std::string text_of(const Value& value) { return boost::json::serialize(value); }

const Value* find(const Value& value, Path path) {
  const Value* at = &value;
  for (std::string_view key : path) {
    const Members* members = at->if_object();
    if (members == nullptr) return nullptr;
    at = members->if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

Value* find(Value& value, Path path) {
  // The same walk; the value we were given may be changed, so what we find in it may be too.
  return const_cast<Value*>(find(static_cast<const Value&>(value), path));
}

std::string_view text_at(const Value& value, Path path) {
  const Value* at = find(value, path);
  const boost::json::string* text = at == nullptr ? nullptr : at->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

std::int64_t int_at(const Value& value, Path path, std::int64_t fallback) {
  const Value* at = find(value, path);
  if (at == nullptr || !at->is_number()) return fallback;
  boost::json::error_code error;
  const auto number = at->to_number<std::int64_t>(error);
  return error ? fallback : number;
}

bool flag_at(const Value& value, Path path, bool fallback) {
  const Value* at = find(value, path);
  const bool* flag = at == nullptr ? nullptr : at->if_bool();
  return flag == nullptr ? fallback : *flag;
}

const Members& members_at(const Value& value, Path path) {
  static const Members none;
  const Value* at = find(value, path);
  const Members* members = at == nullptr ? nullptr : at->if_object();
  return members == nullptr ? none : *members;
}

const Array& array_at(const Value& value, Path path) {
  static const Array none;
  const Value* at = find(value, path);
  const Array* array = at == nullptr ? nullptr : at->if_array();
  return array == nullptr ? none : *array;
}

Value& ensure(Value& value, Path path) {
  Value* at = &value;
  for (std::string_view key : path) {
    if (!at->is_object()) at->emplace_object();
    at = &at->get_object()[key];
  }
  return *at;
}

bool remove(Value& value, Path path) {
  if (path.size() == 0) return false;
  Value* at = &value;
  for (const std::string_view* key = path.begin(); key + 1 != path.end(); ++key) {
    Members* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(*key);
    if (at == nullptr) return false;
  }
  Members* members = at->if_object();
  return members != nullptr && members->erase(*(path.end() - 1)) > 0;
}

}  // namespace drover::json
