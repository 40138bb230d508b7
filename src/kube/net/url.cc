#include "kube/net/url.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace drover::kube::net {
namespace {

using base::Fault;

std::unexpected<Fault> refused(std::string message) { return base::fault(Fault::Kind::Refused, std::move(message)); }

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      out += static_cast<char>(byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == ':' || c == '%';
}

base::Result<void> take_host_and_port(std::string_view text, Url& url) {
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return refused("the address lacks its \"]\"");
    url.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  } else {
    const std::size_t end = std::min(text.find(':'), text.size());
    url.host = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (url.host.empty()) return refused("it names no host");
  if (!std::ranges::all_of(url.host, is_host_character)) return refused("the host has characters that no host has");
  if (text.empty()) return {};
  url.port = text.substr(1);
  const auto number = base::parse_int(url.port);
  if (text.front() != ':' || !number || *number < 1 || *number > 65535)
    return refused("the port is not a number from 1 to 65535");
  return {};
}

}  // namespace

base::Result<Url> parse_url(std::string_view text) {
  text = base::trim(text);
  Url url;
  const std::size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) return refused("it lacks a scheme such as https://");
  url.scheme = base::one_line(base::lower(text.substr(0, scheme_end)), 40);
  text.remove_prefix(scheme_end + 3);
  const std::size_t authority_end = std::min(text.find_first_of("/?#"), text.size());
  std::string_view authority = text.substr(0, authority_end);
  std::string_view path = text.substr(authority_end);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = authority.substr(0, at);
    const std::size_t colon = std::min(login.find(':'), login.size());
    url.user = percent_decoded(login.substr(0, colon));
    if (colon < login.size()) url.password = percent_decoded(login.substr(colon + 1));
    authority.remove_prefix(at + 1);
  }
  TRY_VOID(take_host_and_port(authority, url));
  if (path.find_first_of("?#") != std::string_view::npos) return refused("it must not have a query or a fragment");
  while (path.ends_with('/')) path.remove_suffix(1);
  for (const char c : path) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 0x7f) return refused("its path has spaces or control characters");
  }
  url.path = path;
  return url;
}

}  // namespace drover::kube::net
