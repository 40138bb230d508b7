#include "vendors/tenstorrent/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace drover::vendors {
namespace {

using base::fault;
using base::Fault;
using base::Result;

constexpr std::size_t kMostUrlBytes = 2048;

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

bool is_firmware_version(std::string_view text) {
  const auto parts = base::split(text, '.');
  return (parts.size() == 3 || parts.size() == 4) && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return part.size() <= 4 && is_number(part);
         });
}

std::string flash_target(std::string_view version, std::int64_t epoch) { return fmt::format("{}#{}", version, epoch); }

Result<FlashTarget> parse_flash_target(std::string_view text) {
  const std::size_t hash = text.find('#');
  const std::string_view number = hash == std::string_view::npos ? std::string_view() : text.substr(hash + 1);
  const auto epoch = is_number(number) ? base::parse_int(number) : std::nullopt;
  if (!epoch || !is_firmware_version(text.substr(0, hash))) {
    return fault(
        Fault::Kind::Refused,
        fmt::format("\"{}\" is not the target of a flash; one such as 19.9.0.0#7 is wanted", base::one_line(text, 60)));
  }
  return FlashTarget{std::string(text.substr(0, hash)), *epoch};
}

Result<BundleUrl> parse_bundle_url(std::string_view text) {
  const auto refuse = [](std::string_view why) { return fault(Fault::Kind::Refused, std::string(why)); };
  constexpr std::string_view kScheme = "https://";
  constexpr std::string_view kChecksum = "sha256=";
  if (text.size() > kMostUrlBytes) return refuse("it is longer than 2048 bytes");
  if (!text.starts_with(kScheme)) return refuse("it does not begin with https://");
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; }))
    return refuse("it has characters that a URL cannot have");
  BundleUrl parsed;
  const std::size_t hash = text.find('#');
  parsed.url = text.substr(0, hash);
  parsed.shown = parsed.url.substr(0, parsed.url.find('?'));
  if (hash != std::string_view::npos) {
    const std::string_view fragment = text.substr(hash + 1);
    if (!fragment.starts_with(kChecksum)) return refuse("after its # only sha256=DIGITS may stand");
    parsed.sha256 = base::lower(fragment.substr(kChecksum.size()));
    const bool is_hex = std::all_of(parsed.sha256.begin(), parsed.sha256.end(),
                                    [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
    if (parsed.sha256.size() != 64 || !is_hex) return refuse("its sha256 is not 64 hexadecimal digits");
  }
  const std::string_view rest = std::string_view(parsed.shown).substr(kScheme.size());
  const std::string_view host = rest.substr(0, rest.find('/'));
  if (host.find('@') != std::string_view::npos) return refuse("it names a user; credentials do not belong there");
  if (host.empty() || !is_alphanumeric(host.front())) return refuse("it names no host");
  if (host.size() + 1 >= rest.size()) return refuse("it names no file");
  return parsed;
}

bool is_path_part(std::string_view text) {
  return !text.empty() && text.size() <= 128 && is_alphanumeric(text.front()) && is_made_of(text, "._~+-") &&
         text.find("..") == std::string_view::npos;
}

}  // namespace drover::vendors
