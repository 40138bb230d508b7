// Go's spellings. Pure text, no state.
#include "sim/cel/go_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/text.h"

namespace drover::sim::cel {

namespace {

// Length of the well-formed UTF-8 character at the front, or 0 when it is broken.
std::size_t rune_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  if (first >= 0xc2 && first < 0xe0) length = 2;
  if (first >= 0xe0 && first < 0xf0) length = 3;
  if (first >= 0xf0 && first < 0xf5) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  if (first == 0xe0 && second < 0xa0) return 0;
  if (first == 0xed && second >= 0xa0) return 0;
  if (first == 0xf0 && second < 0x90) return 0;
  if (first == 0xf4 && second >= 0x90) return 0;
  return length;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = rune_length(text.substr(i));
    const char c = text[i];
    if (length == 0) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (length > 1) {
      const std::string_view rune = text.substr(i, length);
      if (rune == "\u2028" || rune == "\u2029") {
        out += rune == "\u2028" ? "\\u2028" : "\\u2029";
      } else {
        out += rune;
      }
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\b') {
      out += "\\b";
    } else if (c == '\f') {
      out += "\\f";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
    i += length;
  }
  out += '"';
}

std::string json_float(double value) {
  if (!std::isfinite(value)) return "null";
  const double size = std::fabs(value);
  std::array<char, 512> buffer{};
  const bool exponent = size != 0 && (size < 1e-6 || size >= 1e21);
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer.data(), end.ptr);
  // encoding/json writes e-9, not e-09.
  if (exponent && text.size() >= 4 && text[text.size() - 4] == 'e' && text[text.size() - 2] == '0') {
    text.erase(text.size() - 2, 1);
  }
  return text;
}

void append_json(std::string& out, const json::Value& value) {
  if (const auto* object = value.if_object()) {
    std::vector<std::pair<std::string_view, const json::Value*>> members;
    members.reserve(object->size());
    for (const auto& member : *object) members.emplace_back(std::string_view(member.key()), &member.value());
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    out += '{';
    for (const auto& [key, member] : members) {
      if (out.back() != '{') out += ',';
      append_json_string(out, key);
      out += ':';
      append_json(out, *member);
    }
    out += '}';
  } else if (const auto* array = value.if_array()) {
    out += '[';
    bool first = true;
    for (const auto& item : *array) {
      if (!std::exchange(first, false)) out += ',';
      append_json(out, item);
    }
    out += ']';
  } else if (const auto* text = value.if_string()) {
    append_json_string(out, std::string_view(*text));
  } else if (const auto* number = value.if_double()) {
    out += json_float(*number);
  } else {
    out += json::text_of(value);
  }
}

// One "12.5ms" of a duration, taken off the front; nanoseconds as unsigned because the smallest int64 has no positive
// twin.
std::optional<std::uint64_t> take_span(std::string_view& text) {
  constexpr std::uint64_t kMost = 1ULL << 63U;
  std::uint64_t whole = 0;
  std::size_t i = 0;
  const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
  for (; is_digit(i); ++i) {
    if (whole > kMost / 10) return std::nullopt;
    whole = whole * 10 + static_cast<std::uint64_t>(text[i] - '0');
    if (whole > kMost) return std::nullopt;
  }
  const bool has_whole = i > 0;
  double fraction = 0;
  bool has_fraction = false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    double scale = 0.1;
    for (; is_digit(i); ++i, scale /= 10) {
      fraction += scale * (text[i] - '0');
      has_fraction = true;
    }
  }
  if (!has_whole && !has_fraction) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> kUnits = {{{"ns", 1},
                                                                                 {"us", 1'000},
                                                                                 {"\u00b5s", 1'000},
                                                                                 {"\u03bcs", 1'000},
                                                                                 {"ms", 1'000'000},
                                                                                 {"s", 1'000'000'000},
                                                                                 {"m", 60'000'000'000},
                                                                                 {"h", 3'600'000'000'000}}};
  std::size_t end = i;
  while (end < text.size() && text[end] != '.' && !is_digit(end)) ++end;
  const std::string_view unit = text.substr(i, end - i);
  const auto* const found =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& known) { return known.first == unit; });
  if (found == kUnits.end()) return std::nullopt;
  if (whole > kMost / found->second) return std::nullopt;
  const std::uint64_t total =
      whole * found->second + static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(found->second)));
  if (total > kMost) return std::nullopt;
  text.remove_prefix(end);
  return total;
}

}  // namespace

std::string go_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = rune_length(text.substr(i));
    const auto c = static_cast<unsigned char>(text[i]);
    if (length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      ++i;
      continue;
    }
    constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kLetter = "abfnrtv\\\"";
    if (length > 1) {
      // C1 controls and the byte order mark are not printable; other rare ones are not worth a table.
      const std::string_view rune = text.substr(i, length);
      if (c == 0xc2 && static_cast<unsigned char>(rune[1]) < 0xa0) {
        out += fmt::format("\\u00{:02x}", static_cast<unsigned>(static_cast<unsigned char>(rune[1])));
      } else if (rune == "\ufeff" || rune == "\u200b" || rune == "\u00a0") {
        out += rune == "\ufeff" ? "\\ufeff" : rune == "\u200b" ? "\\u200b" : "\\u00a0";
      } else {
        out += rune;
      }
    } else if (const auto at = kSpecial.find(static_cast<char>(c)); at != std::string_view::npos) {
      out += '\\';
      out += kLetter[at];
    } else if (c < 0x20 || c == 0x7f) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      out += static_cast<char>(c);
    }
    i += length;
  }
  out += '"';
  return out;
}

std::string go_float(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 512> buffer{};
  const auto write = [&](std::chars_format format) {
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
    return std::string(buffer.data(), end.ptr);
  };
  const std::string scientific = write(std::chars_format::scientific);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  // %g, told to print the fewest digits, decides as if it were to print six.
  return exponent < -4 || exponent >= 6 ? scientific : write(std::chars_format::fixed);
}

std::string go_fixed(double value) {
  std::array<char, 512> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  return {buffer.data(), end.ptr};
}

std::string go_json(const json::Value& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::optional<std::int64_t> go_parse_duration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto span = take_span(text);
    if (!span) return std::nullopt;
    total += *span;
    if (total > 1ULL << 63U) return std::nullopt;
  }
  if (negative) return static_cast<std::int64_t>(-total);
  if (total > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

std::optional<std::int64_t> parse_loose_duration(std::string_view text) {
  if (const auto strict = go_parse_duration(text)) return strict;
  static const re2::RE2 kPart("([0-9]+)\\s*([A-Za-z\\x{b5}]+)");
  struct Unit {
    std::string_view name;
    bool is_prefix;
    std::int64_t nanos;
  };
  constexpr std::int64_t kSecond = 1'000'000'000;
  constexpr std::array<Unit, 19> kUnits = {{{"ns", false, 1},
                                            {"nano", true, 1},
                                            {"us", false, 1'000},
                                            {"\u00b5s", false, 1'000},
                                            {"micro", true, 1'000},
                                            {"ms", false, 1'000'000},
                                            {"milli", true, 1'000'000},
                                            {"s", false, kSecond},
                                            {"sec", true, kSecond},
                                            {"m", false, 60 * kSecond},
                                            {"min", true, 60 * kSecond},
                                            {"h", false, 3600 * kSecond},
                                            {"hr", false, 3600 * kSecond},
                                            {"hour", true, 3600 * kSecond},
                                            {"d", false, 86400 * kSecond},
                                            {"day", true, 86400 * kSecond},
                                            {"w", false, 604800 * kSecond},
                                            {"wk", false, 604800 * kSecond},
                                            {"week", true, 604800 * kSecond}}};
  re2::StringPiece rest(text.data(), text.size());
  std::uint64_t total = 0;
  bool found = false;
  std::string digits;
  std::string word;
  while (re2::RE2::FindAndConsume(&rest, kPart, &digits, &word)) {
    const auto factor = base::parse_int(digits);
    if (!factor) return std::nullopt;
    const std::string unit = base::lower(word);
    for (const Unit& known : kUnits) {
      if (unit == known.name || (known.is_prefix && unit.starts_with(known.name))) {
        total += static_cast<std::uint64_t>(*factor) * static_cast<std::uint64_t>(known.nanos);
        found = true;
      }
    }
  }
  if (!found) return std::nullopt;
  return static_cast<std::int64_t>(total);
}

std::string go_duration(std::int64_t nanoseconds) {
  if (nanoseconds == 0) return "0s";
  const bool negative = nanoseconds < 0;
  const std::uint64_t total =
      negative ? -static_cast<std::uint64_t>(nanoseconds) : static_cast<std::uint64_t>(nanoseconds);
  const auto with_fraction = [](std::uint64_t value, std::uint64_t unit, int digits) {
    std::string text = fmt::format("{}.{:0{}}", value / unit, value % unit, digits);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
  };
  std::string text = negative ? "-" : "";
  if (total < 1'000) return text + fmt::format("{}ns", total);
  if (total < 1'000'000) return text + with_fraction(total, 1'000, 3) + "\u00b5s";
  if (total < 1'000'000'000) return text + with_fraction(total, 1'000'000, 6) + "ms";
  const std::uint64_t minutes = total / 60'000'000'000;
  if (minutes >= 60) text += fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return text + with_fraction(total % 60'000'000'000, 1'000'000'000, 9) + "s";
}

std::size_t next_rune(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  return at + std::max<std::size_t>(1, rune_length(text.substr(at)));
}

std::size_t count_runes(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); i = next_rune(text, i)) ++count;
  return count;
}

std::size_t rune_offset(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at = next_rune(text, at);
  return at;
}

void append_rune(std::string& text, std::uint32_t rune) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(static_cast<unsigned char>(value)); };
  if (rune < 0x80) {
    byte(rune);
  } else if (rune < 0x800) {
    byte(0xc0U | (rune >> 6U));
    byte(0x80U | (rune & 0x3fU));
  } else if (rune < 0x10000) {
    byte(0xe0U | (rune >> 12U));
    byte(0x80U | ((rune >> 6U) & 0x3fU));
    byte(0x80U | (rune & 0x3fU));
  } else {
    byte(0xf0U | (rune >> 18U));
    byte(0x80U | ((rune >> 12U) & 0x3fU));
    byte(0x80U | ((rune >> 6U) & 0x3fU));
    byte(0x80U | (rune & 0x3fU));
  }
}

}  // namespace drover::sim::cel
