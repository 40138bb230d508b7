// "%s has %d".format([…]): what messageExpressions are written with.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/cel/library.h"

namespace drover::sim::cel {

namespace {

std::string double_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return go_float(value);
}

// %s takes everything; lists and maps show their parts.
std::string shown(const Value& value, int depth) {
  if (depth > 32) return "…";
  if (value.get<Null>() != nullptr) return "null";
  if (const auto* d = value.get<double>()) return double_text(*d);
  if (const auto* list = value.get<List>()) {
    std::string out = "[";
    for (std::size_t i = 0; i < list->size() && out.size() < kMostMade; ++i) {
      if (i > 0) out += ", ";
      out += shown(list->at(i), depth + 1);
    }
    return out + "]";
  }
  if (const auto* dict = value.get<Dict>()) {
    std::string out = "{";
    for (const auto& [key, entry] : *dict->entries) {
      if (out.size() > 1) out += ", ";
      out += shown(key, depth + 1) + ": " + shown(entry, depth + 1);
    }
    return out + "}";
  }
  if (const auto* record = value.get<Record>()) {
    std::map<std::string, std::string> sorted;
    for (const auto& member : *record->members) {
      const std::string name(member.key());
      if (const auto entry = record->find(escape(name).value_or(name))) sorted.emplace(name, shown(*entry, depth + 1));
    }
    std::string out = "{";
    for (const auto& [key, entry] : sorted) {
      if (out.size() > 1) out += ", ";
      out += key + ": " + entry;
    }
    return out + "}";
  }
  if (const auto* type = value.get<TypeRef>()) return text_of(**type);
  const Value text = text_value(value);
  return text.failed() ? std::string() : *text.get<std::string>();
}

// 255 in a base of 2, 8 or 16, with the sign before it.
std::string in_base(const Value& value, char verb, bool& fits) {
  const auto* i = value.get<std::int64_t>();
  const auto* u = value.get<std::uint64_t>();
  const auto* flag = value.get<bool>();
  fits = i != nullptr || u != nullptr || (flag != nullptr && verb == 'b');
  if (!fits) return {};
  const bool negative = i != nullptr && *i < 0;
  std::uint64_t size = u != nullptr ? *u : flag != nullptr ? static_cast<std::uint64_t>(*flag) : 0;
  if (i != nullptr) size = negative ? -static_cast<std::uint64_t>(*i) : static_cast<std::uint64_t>(*i);
  std::string digits = verb == 'b'   ? fmt::format("{:b}", size)
                       : verb == 'o' ? fmt::format("{:o}", size)
                       : verb == 'X' ? fmt::format("{:X}", size)
                                     : fmt::format("{:x}", size);
  return (negative ? "-" : "") + digits;
}

Value formatted(const Value& value, char verb, int precision) {
  switch (verb) {
    case 's': return Value{shown(value, 0)};
    case 'd': {
      if (value.get<std::int64_t>() == nullptr && value.get<std::uint64_t>() == nullptr) {
        return failure("error during formatting: decimal clause can only be used on integers");
      }
      return text_value(value);
    }
    case 'f':
    case 'e': {
      const auto* d = value.get<double>();
      const auto* i = value.get<std::int64_t>();
      if (d == nullptr && i == nullptr) {
        return failure("error during formatting: fixed-point clause can only be used on doubles");
      }
      const double number = d != nullptr ? *d : static_cast<double>(*i);
      if (!std::isfinite(number)) return Value{double_text(number)};
      return Value{verb == 'f' ? fmt::format("{:.{}f}", number, precision) : fmt::format("{:.{}e}", number, precision)};
    }
    case 'x':
    case 'X':
      if (const auto* text = value.get<std::string>()) {
        std::string out;
        for (const char c : *text) {
          const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
          out += verb == 'x' ? fmt::format("{:02x}", byte) : fmt::format("{:02X}", byte);
        }
        return Value{out};
      }
      [[fallthrough]];
    case 'o':
    case 'b': {
      bool fits = false;
      std::string digits = in_base(value, verb, fits);
      return fits ? Value{std::move(digits)}
                  : failure("error during formatting: only integers can be written in a base");
    }
    default:
      return failure(fmt::format("could not parse formatting clause: unrecognized formatting clause \"{}\"", verb));
  }
}

Value format(Arguments args, Meter& meter, const Node&) {
  const auto* pattern = args[0].get<std::string>();
  const auto* values = args[1].get<List>();
  if (pattern == nullptr || values == nullptr) return no_such_overload();
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < pattern->size(); ++i) {
    if (!meter.spend(out.size() > kMostMade ? UINT64_MAX / 4 : 1)) return failure(std::string(kTooCostly));
    if ((*pattern)[i] != '%') {
      out += (*pattern)[i];
      continue;
    }
    if (++i >= pattern->size()) return failure("unexpected end of string");
    if ((*pattern)[i] == '%') {
      out += '%';
      continue;
    }
    int precision = 6;
    if ((*pattern)[i] == '.') {
      precision = 0;
      for (++i; i < pattern->size() && (*pattern)[i] >= '0' && (*pattern)[i] <= '9'; ++i) {
        precision = std::min(precision * 10 + ((*pattern)[i] - '0'), 100);
      }
      if (i >= pattern->size()) return failure("could not find end of precision specifier");
    }
    if (used >= values->size()) return failure(fmt::format("index {} out of range", used));
    const Value part = formatted(values->at(used++), (*pattern)[i], precision);
    if (part.failed()) return part;
    const auto* text = part.get<std::string>();
    if (!meter.spend(text->size() / 10)) return failure(std::string(kTooCostly));
    out += *text;
  }
  if (out.size() > kMostMade) return too_large();
  return Value{std::move(out)};
}

}  // namespace

void add_format(Library& library) { library.add("format", {"string.(list(dyn)) string"}, format); }

}  // namespace drover::sim::cel
