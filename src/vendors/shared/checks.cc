#include "vendors/shared/checks.h"

#include <algorithm>

#include "base/text.h"

namespace drover::vendors {
namespace {

// Not <cctype>: what a letter is must not depend on a locale.
bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_ascii_digit(c); }
bool is_one_of(char c, std::string_view others) { return others.find(c) != std::string_view::npos; }

bool has_only_words_and(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return is_word(c) || is_one_of(c, others); });
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= 128 && (is_word(text.front()) || text.front() == '_') &&
         has_only_words_and(text, "._-");
}

// One part of a repository's path, between slashes.
bool is_path_part(std::string_view text) {
  if (text.empty() || text.find("..") != std::string_view::npos) return false;
  const auto is_edge = [](char c) { return is_lower(c) || is_ascii_digit(c); };
  return is_edge(text.front()) && is_edge(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_edge(c) || is_one_of(c, "._-"); });
}

// The first part may be a host with a port.
bool is_registry(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !std::all_of(port.begin(), port.end(), is_ascii_digit)) return false;
    text = text.substr(0, colon);
  }
  return is_path_part(base::lower(text));
}

bool is_image_path(std::string_view text, bool may_begin_with_host) {
  if (text.empty() || text.size() > 255) return false;
  bool is_first = true;
  for (const std::string_view part : base::split(text, '/')) {
    if (!(is_path_part(part) || (is_first && may_begin_with_host && is_registry(part)))) return false;
    is_first = false;
  }
  return true;
}

}  // namespace

bool is_driver_version(std::string_view text) {
  return !text.empty() && text.size() <= 64 && is_word(text.front()) && has_only_words_and(text, "._-") &&
         text.find("..") == std::string_view::npos;
}

bool is_image_digest(std::string_view text) {
  constexpr std::string_view kAlgorithm = "sha256:";
  if (!text.starts_with(kAlgorithm)) return false;
  text.remove_prefix(kAlgorithm.size());
  return text.size() == 64 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_image_repository(std::string_view text) { return is_image_path(text, true); }

bool is_image_name(std::string_view text) { return is_image_path(text, false); }

bool is_image_reference(std::string_view text) {
  if (text.size() > 512) return false;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    if (!is_image_digest(text.substr(at + 1))) return false;
    text = text.substr(0, at);
  }
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon != std::string_view::npos) {
    if (!is_tag(text.substr(colon + 1))) return false;
    text = text.substr(0, colon);
  } else if (at == std::string_view::npos) {
    return false;  // neither tag nor digest: it does not say which driver it is
  }
  return is_image_path(text, slash != std::string_view::npos);
}

bool is_system_word(std::string_view text) { return text.size() <= 63 && is_driver_version(text); }

bool is_env_name(std::string_view text) {
  return !text.empty() && text.size() <= 128 && !is_ascii_digit(text.front()) && has_only_words_and(text, "._-");
}

bool is_env_value(std::string_view text) {
  return text.size() <= 32 * 1024 && std::all_of(text.begin(), text.end(), [](char c) {
           return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t' || c == '\n';
         });
}

bool is_argument(std::string_view text) {
  return text.size() <= 1024 && is_env_value(text) && text.find_first_of("\t\n") == std::string_view::npos;
}

bool is_host_path(std::string_view text) {
  return text.starts_with('/') && text.size() <= 255 && has_only_words_and(text, "._/-") &&
         text.find("..") == std::string_view::npos && text.find("//") == std::string_view::npos;
}

bool is_object_name(std::string_view text) {
  return text.size() <= 253 && is_path_part(text) && text.find('_') == std::string_view::npos;
}

bool is_label_value(std::string_view text) {
  return text.empty() ||
         (text.size() <= 63 && is_word(text.front()) && is_word(text.back()) && has_only_words_and(text, "._-"));
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos && !is_object_name(text.substr(0, slash))) return false;
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  return !name.empty() && is_label_value(name);
}

bool is_quantity(std::string_view text) {
  return !text.empty() && text.size() <= 40 && is_ascii_digit(text.front()) && has_only_words_and(text, ".+-");
}

}  // namespace drover::vendors
