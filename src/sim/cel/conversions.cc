// size(), type() and the conversions between scalars.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/time.h"
#include "sim/cel/go_text.h"
#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

std::string type_name(const Value& value) {
  const TypeRef type = runtime_type(value);
  switch (type->kind) {
    case Type::Kind::Null: return "null_type";
    case Type::Kind::Timestamp: return "google.protobuf.Timestamp";
    case Type::Kind::Duration: return "google.protobuf.Duration";
    case Type::Kind::List: return "list";
    case Type::Kind::Map: return "map";
    case Type::Kind::TypeOf: return "type";
    default: return text_of(*type);
  }
}

Value cannot_convert(const Value& value, std::string_view to) {
  return failure(fmt::format("type conversion error from '{}' to '{}'", type_name(value), to));
}

template <class T>
std::optional<T> parse_number(std::string_view text) {
  // Go takes a leading plus, from_chars does not.
  if (text.starts_with("+") && text.size() > 1 && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  T value{};
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

Value to_int(Arguments args, Meter&, const Node&) {
  const Value& value = args[0];
  if (value.get<std::int64_t>() != nullptr) return value;
  if (const auto* u = value.get<std::uint64_t>()) {
    return *u > static_cast<std::uint64_t>(INT64_MAX) ? failure("integer overflow")
                                                      : Value{static_cast<std::int64_t>(*u)};
  }
  if (const auto* d = value.get<double>()) {
    if (!(*d > -9223372036854775808.0 && *d < 9223372036854775808.0)) return failure("integer overflow");
    return Value{static_cast<std::int64_t>(*d)};
  }
  if (const auto* text = value.get<std::string>()) {
    if (const auto number = parse_number<std::int64_t>(*text)) return Value{*number};
  }
  if (const auto* at = value.get<Timestamp>()) {
    const std::int64_t micros = at->micros;
    return Value{micros / 1'000'000 - (micros % 1'000'000 < 0 ? 1 : 0)};
  }
  if (const auto* span = value.get<Duration>()) return Value{span->nanos};
  return cannot_convert(value, "int");
}

Value to_uint(Arguments args, Meter&, const Node&) {
  const Value& value = args[0];
  if (value.get<std::uint64_t>() != nullptr) return value;
  if (const auto* i = value.get<std::int64_t>()) {
    return *i < 0 ? failure("unsigned integer overflow") : Value{static_cast<std::uint64_t>(*i)};
  }
  if (const auto* d = value.get<double>()) {
    if (!(*d >= 0 && *d < 18446744073709551616.0)) return failure("unsigned integer overflow");
    return Value{static_cast<std::uint64_t>(*d)};
  }
  if (const auto* text = value.get<std::string>()) {
    if (const auto number = parse_number<std::uint64_t>(*text); number && !text->starts_with("+"))
      return Value{*number};
  }
  return cannot_convert(value, "uint");
}

Value to_double(Arguments args, Meter&, const Node&) {
  const Value& value = args[0];
  if (value.get<double>() != nullptr) return value;
  if (const auto* i = value.get<std::int64_t>()) return Value{static_cast<double>(*i)};
  if (const auto* u = value.get<std::uint64_t>()) return Value{static_cast<double>(*u)};
  if (const auto* text = value.get<std::string>()) {
    if (const auto number = parse_number<double>(*text)) return Value{*number};
  }
  return cannot_convert(value, "double");
}

Value to_bool(Arguments args, Meter&, const Node&) {
  const Value& value = args[0];
  if (value.get<bool>() != nullptr) return value;
  if (const auto* text = value.get<std::string>()) {
    for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
      if (*text == yes) return Value{true};
    }
    for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
      if (*text == no) return Value{false};
    }
  }
  return cannot_convert(value, "bool");
}

Value to_bytes(Arguments args, Meter&, const Node&) {
  if (args[0].get<Bytes>() != nullptr) return args[0];
  if (const auto* text = args[0].get<std::string>()) return Value{Bytes{*text}};
  return cannot_convert(args[0], "bytes");
}

Value to_string(Arguments args, Meter&, const Node&) {
  Value text = text_value(args[0]);
  return text.failed() ? cannot_convert(args[0], "string") : text;
}

Value to_duration(Arguments args, Meter&, const Node&) {
  if (args[0].get<Duration>() != nullptr) return args[0];
  if (const auto* nanos = args[0].get<std::int64_t>()) return Value{Duration{*nanos}};
  if (const auto* text = args[0].get<std::string>()) {
    if (const auto nanos = go_parse_duration(*text)) return Value{Duration{*nanos}};
  }
  return cannot_convert(args[0], "google.protobuf.Duration");
}

Value to_timestamp(Arguments args, Meter&, const Node&) {
  if (args[0].get<Timestamp>() != nullptr) return args[0];
  if (const auto* seconds = args[0].get<std::int64_t>()) {
    if (*seconds < -62'135'596'800 || *seconds > 253'402'300'799) return failure("timestamp overflow");
    return Value{Timestamp{*seconds * 1'000'000}};
  }
  if (const auto* text = args[0].get<std::string>()) {
    if (const auto at = base::parse_rfc3339(*text)) return Value{Timestamp{at->time_since_epoch().count()}};
  }
  return cannot_convert(args[0], "google.protobuf.Timestamp");
}

Value type_of_value(Arguments args, Meter&, const Node&) { return Value{runtime_type(args[0])}; }
Value as_it_is(Arguments args, Meter&, const Node&) { return args[0]; }

Value size_of(Arguments args, Meter&, const Node&) {
  const auto answer = [](std::size_t size) { return Value{static_cast<std::int64_t>(size)}; };
  if (const auto* text = args[0].get<std::string>()) return answer(count_runes(*text));
  if (const auto* bytes = args[0].get<Bytes>()) return answer(bytes->data.size());
  if (const auto* list = args[0].get<List>()) return answer(list->size());
  if (const auto* record = args[0].get<Record>()) return answer(record->members->size());
  if (const auto* dict = args[0].get<Dict>()) return answer(dict->entries->size());
  return no_such_overload();
}

}  // namespace

Value text_value(const Value& value) {
  if (value.get<std::string>() != nullptr) return value;
  if (const auto* flag = value.get<bool>()) return Value{std::string(*flag ? "true" : "false")};
  if (const auto* i = value.get<std::int64_t>()) return Value{fmt::format("{}", *i)};
  if (const auto* u = value.get<std::uint64_t>()) return Value{fmt::format("{}", *u)};
  if (const auto* d = value.get<double>()) return Value{go_float(*d)};
  if (const auto* bytes = value.get<Bytes>()) return Value{bytes->data};
  if (const auto* span = value.get<Duration>()) {
    return Value{go_fixed(static_cast<double>(span->nanos) / 1e9) + "s"};
  }
  if (const auto* at = value.get<Timestamp>()) {
    const base::WallTime wall{std::chrono::microseconds(at->micros)};
    if (at->micros % 1'000'000 == 0) return Value{base::rfc3339(wall)};
    std::string text = base::rfc3339_micro(wall);
    text.pop_back();
    while (text.back() == '0') text.pop_back();
    return Value{text + "Z"};
  }
  return failure("no such overload");
}

void add_conversions(Library& library) {
  library.add("int", {"(int) int", "(uint) int", "(double) int", "(string) int", "(timestamp) int", "(duration) int"},
              to_int);
  library.add("uint", {"(uint) uint", "(int) uint", "(double) uint", "(string) uint"}, to_uint);
  library.add("double", {"(double) double", "(int) double", "(uint) double", "(string) double"}, to_double);
  library.add("bool", {"(bool) bool", "(string) bool"}, to_bool);
  library.add("bytes", {"(bytes) bytes", "(string) bytes"}, to_bytes);
  library.add("string",
              {"(string) string", "(bool) string", "(int) string", "(uint) string", "(double) string", "(bytes) string",
               "(timestamp) string", "(duration) string"},
              to_string);
  library.add("duration", {"(duration) duration", "(int) duration", "(string) duration"}, to_duration);
  library.add("timestamp", {"(timestamp) timestamp", "(int) timestamp", "(string) timestamp"}, to_timestamp);
  library.add("type", {"(A) type(A)"}, type_of_value);
  library.add("dyn", {"(A) dyn"}, as_it_is);
  library.add("size",
              {"(string) int", "(bytes) int", "(list(A)) int", "(map(A, B)) int", "string.() int", "bytes.() int",
               "list(A).() int", "map(A, B).() int"},
              size_of);
}

}  // namespace drover::sim::cel
