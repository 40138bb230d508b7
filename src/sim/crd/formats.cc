// Formats of strings, mostly by pattern. Addresses are parsed by the C library, which agrees with Go on what is one.
#include "sim/crd/formats.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "base/text.h"
#include "sim/cel/go_text.h"
#include "sim/cel/url.h"

namespace drover::sim::crd {

namespace {

bool full_match(std::string_view text, const re2::RE2& pattern) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

// Go's ParseIP takes no zones and no short forms; Kubernetes' sloppy one also takes leading zeros.
bool is_ipv4(std::string_view text) {
  std::string clean;
  for (const auto part : base::split(text, '.')) {
    const auto number = part.size() <= 3 ? base::parse_int(part) : std::nullopt;
    if (!number || *number < 0 || *number > 255 || part[0] == '-' || part[0] == '+') return false;
    clean += (clean.empty() ? "" : ".") + std::to_string(*number);
  }
  in_addr address{};
  return inet_pton(AF_INET, clean.c_str(), &address) == 1;
}
bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}

bool is_cidr(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const auto bits = base::parse_int(text.substr(slash + 1));
  const std::string_view address = text.substr(0, slash);
  if (!bits || *bits < 0) return false;
  return (is_ipv4(address) && *bits <= 32) || (is_ipv6(address) && *bits <= 128);
}

bool is_date(std::string_view text) {
  static const re2::RE2 kDate("([0-9]{4})-([0-9]{2})-([0-9]{2})");
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  if (!re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), kDate, &year, &month, &day)) return false;
  return std::chrono::year_month_day{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}}.ok();
}

// "2026-11-15T16:22:04Z": how nearly all of them look, read without patterns. Nothing when it looks otherwise.
std::optional<bool> is_plain_date_time(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (text.size() != kShape.size()) return {};
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !is_digit : text[i] != kShape[i]) return {};
  }
  const auto number = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  const std::chrono::year_month_day date{std::chrono::year(number(0) * 100 + number(2)),
                                         std::chrono::month(static_cast<unsigned>(number(5))),
                                         std::chrono::day(static_cast<unsigned>(number(8)))};
  return date.ok() && number(11) <= 23 && number(14) <= 59 && number(17) <= 59;
}

bool is_date_time(std::string_view text) {
  if (const auto plain = is_plain_date_time(text)) return *plain;
  static const re2::RE2 kTime("([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))");
  const std::string lower = base::lower(text);
  const auto parts = base::split(lower, 't');
  if (parts.size() < 2 || !is_date(parts[0])) return false;
  std::string hour;
  std::string minute;
  std::string second;
  if (!re2::RE2::FullMatch(re2::StringPiece(parts[1].data(), parts[1].size()), kTime, &hour, &minute, &second)) {
    return false;
  }
  return hour <= "23" && minute <= "59" && second <= "59";
}

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// By hand, because the pattern behind this format is a large one: a single label (with a dash in second place at most,
// a quirk of the pattern), or labels and a last one of letters.
bool is_host_name(std::string_view text) {
  if (text.empty() || text.size() > 255) return false;
  const auto labels = base::split(text, '.');
  if (labels.size() == 1) {
    const std::size_t from = text.substr(1, 1) == "-" ? 2 : 1;
    return text.size() <= 63 && is_word(text[0]) &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size())), text.end(), is_word);
  }
  for (const auto label : labels) {
    if (label.empty() || label.size() > 63 || !is_word(label.front()) || !is_word(label.back())) return false;
    if (!std::all_of(label.begin(), label.end(), [](char c) { return is_word(c) || c == '-'; })) return false;
  }
  const auto last = labels.back();
  return last.size() >= 2 && std::all_of(last.begin(), last.end(), [](char c) { return is_word(c) && !is_digit(c); });
}

bool is_email(std::string_view text) {
  static const re2::RE2 kEmail(R"((?:[^<>@]*<)?[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+>?)");
  return full_match(text, kEmail) && text.find("..") == std::string_view::npos;
}

bool is_mac(std::string_view text) {
  static const re2::RE2 kMac(
      "(?i)[0-9a-f]{2}([:-])(?:[0-9a-f]{2}[:-]){4}[0-9a-f]{2}(?:(?:[:-][0-9a-f]{2}){2}|(?:[:-][0-9a-f]{2}){14})?"
      "|(?:[0-9a-f]{4}\\.){2}[0-9a-f]{4}(?:(?:\\.[0-9a-f]{4})|(?:\\.[0-9a-f]{4}){7})?");
  return full_match(text, kMac) &&
         !(text.find(':') != std::string_view::npos && text.find('-') != std::string_view::npos);
}

struct Known {
  std::string_view name;
  bool (*check)(std::string_view text);
};

template <std::size_t N>
struct Text {
  constexpr Text(const char (&text)[N]) { std::copy_n(text, N, value); }  // NOLINT: a literal as a template argument
  char value[N]{};
};
template <Text Pattern>
bool matches(std::string_view text) {
  static const re2::RE2 kPattern(Pattern.value);
  return full_match(text, kPattern);
}

// Names without their dashes, sorted by nothing: the list is short.
constexpr std::array<Known, 22> kFormats = {{
    {"bsonobjectid", matches<"(?i)[0-9a-f]{24}">},
    {"uri", [](std::string_view text) { return cel::parse_url(text).has_value(); }},
    {"email", is_email},
    {"hostname", is_host_name},
    {"ipv4", is_ipv4},
    {"ipv6", is_ipv6},
    {"cidr", is_cidr},
    {"mac", is_mac},
    {"uuid", matches<"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}">},
    {"uuid3", matches<"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}">},
    {"uuid4", matches<"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}">},
    {"uuid5", matches<"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}">},
    {"ssn", matches<"\\d{3}[- ]\\d{2}[- ]\\d{4}">},
    {"hexcolor", matches<"#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})">},
    {"rgbcolor",
     matches<"rgb\\((\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s*,){2}\\s*(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|"
             "25[0-5])\\s*\\)">},
    {"byte", matches<"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})">},
    {"password", [](std::string_view) { return true; }},
    {"date", is_date},
    {"duration", [](std::string_view text) { return cel::parse_loose_duration(text).has_value(); }},
    {"datetime", is_date_time},
    {"k8sshortname",
     [](std::string_view text) { return text.size() <= 63 && matches<"[a-z0-9]([-a-z0-9]*[a-z0-9])?">(text); }},
    {"k8slongname",
     [](std::string_view text) {
       return text.size() <= 253 && matches<"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*">(text);
     }},
}};

const Known* find_format(std::string_view format) {
  std::string plain(format);
  std::erase(plain, '-');
  const auto found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Known& known) { return known.name == plain; });
  return found == kFormats.end() ? nullptr : &*found;
}

}  // namespace

std::string_view effective_format(std::string_view type, std::string_view format) {
  if (type.empty() || type == "string") return find_format(format) != nullptr ? format : std::string_view();
  if (type == "integer") return format == "int32" || format == "int64" ? format : std::string_view();
  if (type == "number") return format == "float" || format == "double" ? format : std::string_view();
  return {};
}

bool has_format(std::string_view format, std::string_view text) {
  const Known* known = find_format(format);
  return known == nullptr || known->check(text);
}

std::string dns1035_label_complaint(std::string_view text) {
  std::string complaint;
  if (text.size() > 63) complaint = "must be no more than 63 bytes";
  if (!matches<"[a-z]([-a-z0-9]*[a-z0-9])?">(text)) {
    if (!complaint.empty()) complaint += ",";
    complaint +=
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and "
        "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
        "'[a-z]([-a-z0-9]*[a-z0-9])?')";
  }
  return complaint;
}

std::string dns1123_subdomain_complaint(std::string_view text) {
  std::string complaint;
  if (text.size() > 253) complaint = "must be no more than 253 bytes";
  if (!matches<"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*">(text)) {
    if (!complaint.empty()) complaint += ",";
    complaint +=
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
        "and "
        "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
  }
  return complaint;
}

}  // namespace drover::sim::crd
