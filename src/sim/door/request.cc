#include "sim/door/request.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

constexpr std::size_t kLongestTarget = 64 * 1024;
constexpr std::size_t kMostParameters = 200;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::vector<std::string> parts_of(std::string_view raw_path) {
  std::vector<std::string> parts;
  while (raw_path.starts_with('/')) raw_path.remove_prefix(1);
  while (raw_path.ends_with('/')) raw_path.remove_suffix(1);
  if (raw_path.empty()) return parts;
  for (const std::string_view part : base::split(raw_path, '/')) parts.push_back(unescape(part, false));
  return parts;
}

std::string verb_of(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return {};
}

// The one name that a field selector asks for, or "".
std::string selected_name(std::string_view fields) {
  for (const std::string_view term : base::split(fields, ',')) {
    const std::size_t at = term.find('=');
    if (at == std::string_view::npos || (at > 0 && term[at - 1] == '!')) continue;
    if (base::trim(term.substr(0, at)) != "metadata.name") continue;
    std::string_view name = term.substr(at + 1);
    if (name.starts_with('=')) name.remove_prefix(1);
    return std::string(base::trim(name));
  }
  return {};
}

// Takes the parts below a group version apart.
void read_resource(Wanted& wanted, std::vector<std::string> parts) {
  wanted.is_resource = true;
  wanted.verb = verb_of(wanted.method);
  if (parts.front() == "watch" && parts.size() > 1) {
    wanted.is_legacy_watch = true;
    wanted.verb = "watch";
    parts.erase(parts.begin());
  }
  if (parts.front() == "namespaces" && parts.size() > 1) {
    wanted.ns = parts[1];
    // /namespaces/NS and its own subresources speak of the namespace itself; anything else of what lies in it.
    const bool below = parts.size() > 2 && parts[2] != "status" && parts[2] != "finalize";
    if (below) parts.erase(parts.begin(), parts.begin() + 2);
  }
  wanted.resource = parts.front();
  if (parts.size() > 1) wanted.name = parts[1];
  if (parts.size() > 2) wanted.subresource = parts[2];
  wanted.has_more = parts.size() > 3;
  if (!wanted.name.empty() && !wanted.is_legacy_watch) return;
  if (wanted.verb == "get") wanted.verb = wanted.query.flag("watch") ? "watch" : "list";
  if (wanted.verb == "delete") wanted.verb = "deletecollection";
  if (wanted.name.empty() && (wanted.verb == "list" || wanted.verb == "watch" || wanted.verb == "deletecollection")) {
    wanted.name_selected = selected_name(wanted.query.text("fieldSelector"));
  }
}

}  // namespace

std::string unescape(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

Query Query::parse(std::string_view text) {
  Query query;
  std::size_t count = 0;
  for (const std::string_view part : base::split(text, '&')) {
    if (part.empty() || ++count > kMostParameters) continue;
    const std::size_t at = part.find('=');
    const std::string_view value = at == std::string_view::npos ? std::string_view() : part.substr(at + 1);
    query.values_[unescape(part.substr(0, at), true)].push_back(unescape(value, true));
  }
  return query;
}

std::string_view Query::text(std::string_view key) const {
  const auto at = values_.find(key);
  return at == values_.end() ? std::string_view() : std::string_view(at->second.front());
}

const std::vector<std::string>& Query::all(std::string_view key) const {
  static const std::vector<std::string> none;
  const auto at = values_.find(key);
  return at == values_.end() ? none : at->second;
}

bool Query::flag(std::string_view key) const {
  if (!has(key)) return false;
  const std::string value = base::lower(text(key));
  return value != "false" && value != "0";
}

Answer<std::optional<std::int64_t>> Query::number(std::string_view key) const {
  const std::string_view value = text(key);
  if (value.empty()) return std::nullopt;
  const auto number = base::parse_int(value);
  if (!number) return bad_request(fmt::format("strconv.ParseInt: parsing {}: invalid syntax", quoted(value)));
  return number;
}

Answer<Wanted> read_target(std::string_view method, std::string_view target) {
  if (target.size() > kLongestTarget) return bad_request("the request's target is longer than 64 KB");
  if (!target.starts_with('/')) return bad_request("the request's target is not a path");
  const std::size_t mark = target.find('?');
  const std::string_view raw_path = target.substr(0, mark);
  Wanted wanted;
  wanted.method = method;
  wanted.path = unescape(raw_path, false);
  if (mark != std::string_view::npos) wanted.query = Query::parse(target.substr(mark + 1));
  wanted.verb = base::lower(method);

  std::vector<std::string> parts = parts_of(raw_path);
  const bool is_core = !parts.empty() && parts[0] == "api";
  const bool is_group = !parts.empty() && parts[0] == "apis";
  const std::size_t prefix = is_core ? 2 : 3;
  if ((!is_core && !is_group) || parts.size() <= prefix || raw_path.starts_with("//")) return wanted;
  wanted.group = is_core ? std::string() : parts[1];
  wanted.version = parts[prefix - 1];
  parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(prefix));
  read_resource(wanted, std::move(parts));
  return wanted;
}

}  // namespace drover::sim::door
