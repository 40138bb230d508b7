#include "vendors/tenstorrent/words.h"

#include <algorithm>

namespace drover::vendors {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_number(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

// All of the text is letters, digits and these.
bool is_made_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_alphanumeric(c) || others.find(c) != std::string_view::npos; });
}

}  // namespace

bool is_kmd_version(std::string_view text) {
  if (text.size() > 32) return false;
  const std::size_t first = text.find('.');
  const std::size_t last = text.rfind('.');
  return first != std::string_view::npos && first != last && is_number(text.substr(0, first)) &&
         is_number(text.substr(first + 1, last - first - 1)) && is_number(text.substr(last + 1));
}

bool is_kmd_source(std::string_view text) {
  constexpr std::string_view kScheme = "https://";
  if (text.size() > 512 || !text.starts_with(kScheme)) return false;
  text.remove_prefix(kScheme.size());
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash + 1 == text.size()) return false;
  const std::string_view host = text.substr(0, slash);
  const std::string_view path = text.substr(slash);
  const std::size_t colon = host.find(':');
  const std::string_view name = host.substr(0, colon);
  if (colon != std::string_view::npos && (!is_number(host.substr(colon + 1)) || host.size() - colon > 6)) return false;
  return !name.empty() && is_alphanumeric(name.front()) && is_made_of(name, ".-") && is_made_of(path, "._~/-") &&
         path.find("..") == std::string_view::npos && path.find("//") == std::string_view::npos &&
         path.find("/-") == std::string_view::npos;
}

bool is_path_part(std::string_view text) {
  return !text.empty() && text.size() <= 128 && is_alphanumeric(text.front()) && is_made_of(text, "._~+-") &&
         text.find("..") == std::string_view::npos;
}

}  // namespace drover::vendors
