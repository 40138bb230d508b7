// Taking URLs apart, as strictly as Go does and no more.
#include "sim/cel/url.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/cel/go_text.h"

namespace drover::sim::cel {

namespace {

bool is_url_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_url_digit(char c) { return c >= '0' && c <= '9'; }
int url_hex_value(char c) {
  if (is_url_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> unescape(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || url_hex_value(text[i + 1]) < 0 || url_hex_value(text[i + 2]) < 0) return std::nullopt;
      out += static_cast<char>(url_hex_value(text[i + 1]) * 16 + url_hex_value(text[i + 2]));
      i += 2;
    } else {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

// The bad escape in a text ("%zz"), or "".
std::string_view bad_escape(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    if (i + 2 >= text.size() || url_hex_value(text[i + 1]) < 0 || url_hex_value(text[i + 2]) < 0)
      return text.substr(i, 3);
    i += 2;
  }
  return {};
}

std::string escape_path(std::string_view path) {
  constexpr std::string_view kKept = "-_.~$&+,/:;=@!'()*[]%";
  std::string out;
  for (const char c : path) {
    if (is_url_letter(c) || is_url_digit(c) || kKept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

// "scheme:" off the front. False (with the reason) when there is none or it is malformed.
bool take_scheme(std::string_view& rest, std::string& scheme, std::string& why) {
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (is_url_letter(c)) continue;
    if ((is_url_digit(c) || c == '+' || c == '-' || c == '.') && i > 0) continue;
    if (c == ':' && i == 0) {
      why = "missing protocol scheme";
      return false;
    }
    if (c == ':') {
      scheme = base::lower(rest.substr(0, i));
      rest.remove_prefix(i + 1);
    }
    return true;
  }
  return true;
}

bool host_is_fine(std::string_view host, std::string& why) {
  std::string_view port;
  if (host.starts_with("[")) {
    const auto close = host.rfind(']');
    if (close == std::string_view::npos) {
      why = "missing ']' in host";
      return false;
    }
    port = host.substr(close + 1);
  } else if (const auto colon = host.rfind(':'); colon != std::string_view::npos) {
    port = host.substr(colon);
  }
  if (!port.empty() && (port[0] != ':' || !std::all_of(port.begin() + 1, port.end(), is_url_digit))) {
    why = fmt::format("invalid port {} after host", go_quote(port));
    return false;
  }
  constexpr std::string_view kBad = " \"<>\\^`{|}";
  for (const char c : host) {
    if (kBad.find(c) != std::string_view::npos) {
      why = fmt::format("invalid character {} in host name", go_quote(std::string_view(&c, 1)));
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Url> parse_url(std::string_view text, std::string* why) {
  std::string reason;
  const auto refuse = [&](std::string_view because) -> std::optional<Url> {
    if (why != nullptr) *why = fmt::format("parse {}: {}", go_quote(text), because);
    return std::nullopt;
  };
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return refuse("net/url: invalid control character in URL");
  }
  if (text.empty()) return refuse("empty url");
  Url url;
  std::string_view rest = text;
  if (!take_scheme(rest, url.scheme, reason)) return refuse(reason);
  if (const auto fragment = rest.find('#'); fragment != std::string_view::npos) rest = rest.substr(0, fragment);
  if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
    url.query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (!rest.starts_with("/")) {
    if (url.scheme.empty()) return refuse("invalid URI for request");
    return url;  // opaque: mailto:x
  }
  if (!url.scheme.empty() && rest.starts_with("//") && !rest.starts_with("///")) {
    const auto slash = rest.find('/', 2);
    std::string_view authority = rest.substr(2, slash == std::string_view::npos ? slash : slash - 2);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash);
    if (const auto at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
    if (!host_is_fine(authority, reason)) return refuse(reason);
    url.host = authority;
  }
  if (const auto bad = bad_escape(rest); !bad.empty())
    return refuse(fmt::format("invalid URL escape {}", go_quote(bad)));
  url.escaped_path = escape_path(rest);
  return url;
}

std::pair<std::string, std::string> split_host(std::string_view host) {
  std::string_view port;
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  return {std::string(host), std::string(port)};
}

std::vector<std::pair<std::string, std::string>> split_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto part : base::split(query, '&')) {
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const auto equals = part.find('=');
    const auto key = unescape(part.substr(0, equals), true);
    const auto value = unescape(equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1), true);
    if (key && value) pairs.emplace_back(*key, *value);
  }
  return pairs;
}

}  // namespace drover::sim::cel
