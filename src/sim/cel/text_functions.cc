// Strings: the standard tests, Kubernetes' regex functions, and the string extension. Positions count characters, not
// bytes.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/cel/library.h"
#include "sim/cel/regex.h"

namespace drover::sim::cel {

namespace {

const std::string* text_at(Arguments args, std::size_t i) {
  return i < args.size() ? args[i].get<std::string>() : nullptr;
}
const std::int64_t* int_at(Arguments args, std::size_t i) {
  return i < args.size() ? args[i].get<std::int64_t>() : nullptr;
}
Value out_of_range(std::int64_t index) { return failure(fmt::format("index out of range: {}", index)); }
Value costly() { return failure(std::string(kTooCostly)); }

// Two strings, paid for by their length; `apply` makes the answer.
template <class Apply>
Value on_two(Arguments args, Meter& meter, Apply apply) {
  const auto* text = text_at(args, 0);
  const auto* other = text_at(args, 1);
  if (text == nullptr || other == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return costly();
  return apply(*text, *other);
}

Value starts_with(Arguments args, Meter& meter, const Node&) {
  return on_two(args, meter, [](const auto& text, const auto& part) { return Value{text.starts_with(part)}; });
}
Value ends_with(Arguments args, Meter& meter, const Node&) {
  return on_two(args, meter, [](const auto& text, const auto& part) { return Value{text.ends_with(part)}; });
}
Value contains(Arguments args, Meter& meter, const Node&) {
  if (args.size() == 2 && args[1].get<std::string>() != nullptr &&
      !meter.spend(args[1].get<std::string>()->size() / 10)) {
    return costly();
  }
  return on_two(args, meter,
                [](const auto& text, const auto& part) { return Value{text.find(part) != std::string::npos}; });
}

// The pattern compiled with the rule, or now.
base::Result<Pattern> pattern_of(const std::string& text, const Node& call, Meter& meter) {
  if (call.pattern) return std::static_pointer_cast<const re2::RE2>(call.pattern);
  if (!meter.spend(text.size() + 10)) return base::fault(base::Fault::Kind::Refused, std::string(kTooCostly));
  return compile_pattern(text);
}

Value matches(Arguments args, Meter& meter, const Node& call) {
  return on_two(args, meter, [&](const auto& text, const auto& pattern) {
    const auto compiled = pattern_of(pattern, call, meter);
    return compiled ? Value{occurs_in(**compiled, text)} : failure(compiled.error().message);
  });
}

Value find(Arguments args, Meter& meter, const Node& call) {
  return on_two(args, meter, [&](const auto& text, const auto& pattern) {
    const auto compiled = pattern_of(pattern, call, meter);
    if (!compiled) return failure("Illegal regex: " + compiled.error().message);
    re2::StringPiece found;
    (*compiled)->Match(re2::StringPiece(text), 0, text.size(), re2::RE2::UNANCHORED, &found, 1);
    return Value{std::string(found.data() == nullptr ? "" : std::string(found))};
  });
}

Value find_all(Arguments args, Meter& meter, const Node& call) {
  const auto* most = int_at(args, 2);
  if (args.size() == 3 && most == nullptr) return no_such_overload();
  return on_two(args, meter, [&](const auto& text, const auto& pattern) {
    const auto compiled = pattern_of(pattern, call, meter);
    if (!compiled) return failure("Illegal regex: " + compiled.error().message);
    std::vector<Value> all;
    std::size_t from = 0;
    const char* last_end = nullptr;
    while (from <= text.size() && (most == nullptr || *most < 0 || all.size() < static_cast<std::size_t>(*most))) {
      re2::StringPiece found;
      if (!meter.spend(1)) return costly();
      if (!(*compiled)->Match(re2::StringPiece(text), from, text.size(), re2::RE2::UNANCHORED, &found, 1)) break;
      const auto at = static_cast<std::size_t>(found.data() - text.data());
      // Like Go: an empty match right after another match does not count.
      if (!found.empty() || found.data() != last_end) all.push_back(Value{std::string(found)});
      last_end = found.data() + found.size();
      from = found.empty() ? (at < text.size() ? next_rune(text, at) : at + 1) : at + found.size();
    }
    return make_list(std::move(all));
  });
}

// The character index of `part` at or after character `from`; -1 when it is not there.
Value index_of(Arguments args, Meter& meter, const Node&) {
  if (args[0].get<List>() != nullptr) return index_in_list(args, meter, false);
  const auto* from = int_at(args, 2);
  if (args.size() == 3 && from == nullptr) return no_such_overload();
  return on_two(args, meter, [&](const std::string& text, const std::string& part) {
    const std::int64_t start = from == nullptr ? 0 : *from;
    if (part.empty()) return Value{start};
    if (start < 0) return out_of_range(start);
    const auto found = text.find(part, rune_offset(text, static_cast<std::size_t>(start)));
    if (found == std::string::npos) return Value{std::int64_t{-1}};
    return Value{static_cast<std::int64_t>(count_runes(std::string_view(text).substr(0, found)))};
  });
}

Value last_index_of(Arguments args, Meter& meter, const Node&) {
  if (args[0].get<List>() != nullptr) return index_in_list(args, meter, true);
  const auto* from = int_at(args, 2);
  if (args.size() == 3 && from == nullptr) return no_such_overload();
  return on_two(args, meter, [&](const std::string& text, const std::string& part) {
    const auto length = static_cast<std::int64_t>(count_runes(text));
    if (part.empty()) return Value{from == nullptr ? length : *from};
    if (from != nullptr && *from < 0) return out_of_range(*from);
    if (from != nullptr && *from >= length) return Value{std::int64_t{-1}};
    const std::size_t last = from == nullptr ? std::string::npos : rune_offset(text, static_cast<std::size_t>(*from));
    const auto found = text.rfind(part, last);
    if (found == std::string::npos) return Value{std::int64_t{-1}};
    return Value{static_cast<std::int64_t>(count_runes(std::string_view(text).substr(0, found)))};
  });
}

Value char_at(Arguments args, Meter& meter, const Node&) {
  const auto* text = text_at(args, 0);
  const auto* index = int_at(args, 1);
  if (text == nullptr || index == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return costly();
  const auto length = static_cast<std::int64_t>(count_runes(*text));
  if (*index < 0 || *index > length) return out_of_range(*index);
  const std::size_t at = rune_offset(*text, static_cast<std::size_t>(*index));
  return Value{text->substr(at, next_rune(*text, at) - at)};
}

Value substring(Arguments args, Meter& meter, const Node&) {
  const auto* text = text_at(args, 0);
  const auto* start = int_at(args, 1);
  const auto* end = int_at(args, 2);
  if (text == nullptr || start == nullptr || (args.size() == 3 && end == nullptr)) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return costly();
  const auto length = static_cast<std::int64_t>(count_runes(*text));
  const std::int64_t stop = end == nullptr ? length : *end;
  if (end != nullptr && *start > stop) {
    return failure(fmt::format("invalid substring range. start: {}, end: {}", *start, stop));
  }
  if (*start < 0 || *start > length) return out_of_range(*start);
  if (stop < 0 || stop > length) return out_of_range(stop);
  const std::size_t from = rune_offset(*text, static_cast<std::size_t>(*start));
  return Value{text->substr(from, rune_offset(*text, static_cast<std::size_t>(stop)) - from)};
}

Value replace(Arguments args, Meter& meter, const Node&) {
  const auto* with = text_at(args, 2);
  const auto* most = int_at(args, 3);
  if (with == nullptr || (args.size() == 4 && most == nullptr)) return no_such_overload();
  return on_two(args, meter, [&](const std::string& text, const std::string& part) {
    std::int64_t left = most == nullptr || *most < 0 ? INT64_MAX : *most;
    std::string out;
    std::size_t at = 0;
    while (left > 0) {
      const auto found = text.find(part, at);
      if (found == std::string::npos) break;
      if (out.size() + (found - at) + with->size() > kMostMade) return too_large();
      if (!meter.spend(1 + with->size() / 10)) return costly();
      out.append(text, at, found - at);
      out += *with;
      --left;
      at = found + part.size();
      // An empty part stands before every character and at the end.
      if (part.empty()) {
        if (at == text.size()) break;
        const std::size_t next = next_rune(text, at);
        out.append(text, at, next - at);
        at = next;
      }
    }
    out.append(text, std::min(at, text.size()));
    return Value{std::move(out)};
  });
}

Value split_text(Arguments args, Meter& meter, const Node&) {
  const auto* most = int_at(args, 2);
  if (args.size() == 3 && most == nullptr) return no_such_overload();
  return on_two(args, meter, [&](const std::string& text, const std::string& separator) {
    const std::int64_t limit = most == nullptr || *most < 0 ? INT64_MAX : *most;
    std::vector<Value> parts;
    if (limit == 0) return make_list({});
    std::size_t at = 0;
    while (static_cast<std::int64_t>(parts.size()) + 1 < limit) {
      const std::size_t found = separator.empty() ? next_rune(text, at) : text.find(separator, at);
      if (found == std::string::npos || (separator.empty() && found >= text.size())) break;
      if (!meter.spend(1)) return costly();
      parts.push_back(Value{text.substr(at, found - at)});
      at = found + separator.size();
    }
    if (!separator.empty() || at < text.size()) parts.push_back(Value{text.substr(at)});
    return make_list(std::move(parts));
  });
}

Value join_text(Arguments args, Meter& meter, const Node&) {
  const auto* list = args[0].get<List>();
  const auto* separator = text_at(args, 1);
  if (list == nullptr || (args.size() == 2 && separator == nullptr)) return no_such_overload();
  std::string out;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Value item = list->at(i);
    const auto* text = item.get<std::string>();
    if (text == nullptr) return no_such_overload();
    if (i > 0 && separator != nullptr) out += *separator;
    if (!meter.spend(1 + text->size() / 10)) return costly();
    if (out.size() + text->size() > kMostMade) return too_large();
    out += *text;
  }
  return Value{std::move(out)};
}

template <class Change>
Value changed(Arguments args, Meter& meter, Change change) {
  const auto* text = text_at(args, 0);
  if (text == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return costly();
  std::string out = *text;
  for (char& c : out) c = change(c);
  return Value{std::move(out)};
}
Value lower_ascii(Arguments args, Meter& meter, const Node&) {
  return changed(args, meter, [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
}
Value upper_ascii(Arguments args, Meter& meter, const Node&) {
  return changed(args, meter, [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
}

Value trim_text(Arguments args, Meter& meter, const Node&) {
  const auto* text = text_at(args, 0);
  if (text == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return costly();
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const auto first = text->find_first_not_of(kSpace);
  if (first == std::string::npos) return Value{std::string()};
  return Value{text->substr(first, text->find_last_not_of(kSpace) - first + 1)};
}

Value quote(Arguments args, Meter& meter, const Node&) {
  const auto* text = text_at(args, 0);
  if (text == nullptr) return no_such_overload();
  if (!meter.spend(text->size() / 10)) return costly();
  return Value{go_quote(*text)};
}

}  // namespace

void add_text(Library& library) {
  library.add("startsWith", {"string.(string) bool"}, starts_with);
  library.add("endsWith", {"string.(string) bool"}, ends_with);
  library.add("contains", {"string.(string) bool"}, contains);
  library.add("matches", {"string.(string) bool", "(string, string) bool"}, matches);
  library.add("find", {"string.(string) string"}, find);
  library.add("findAll", {"string.(string) list(string)", "string.(string, int) list(string)"}, find_all);
  library.add("charAt", {"string.(int) string"}, char_at);
  library.add("substring", {"string.(int) string", "string.(int, int) string"}, substring);
  library.add("replace", {"string.(string, string) string", "string.(string, string, int) string"}, replace);
  library.add("split", {"string.(string) list(string)", "string.(string, int) list(string)"}, split_text);
  library.add("join", {"list(string).() string", "list(string).(string) string"}, join_text);
  library.add("lowerAscii", {"string.() string"}, lower_ascii);
  library.add("upperAscii", {"string.() string"}, upper_ascii);
  library.add("trim", {"string.() string"}, trim_text);
  library.add("strings.quote", {"(string) string"}, quote);
  library.add("indexOf", {"string.(string) int", "string.(string, int) int", "list(A).(A) int"}, index_of);
  library.add("lastIndexOf", {"string.(string) int", "string.(string, int) int", "list(A).(A) int"}, last_index_of);
}

}  // namespace drover::sim::cel
