#include "vendors/tenstorrent/agent/firmware_version.h"

#include <fmt/format.h>

#include "base/text.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

constexpr int kOldEra = 80;

}  // namespace

std::string FirmwareVersion::text() const { return fmt::format("{}.{}.{}.{}", parts[0], parts[1], parts[2], parts[3]); }

FirmwareVersion firmware_version_of(const std::array<int, 4>& parts) {
  if (parts[0] == kOldEra) return {{parts[1], parts[2], parts[3], 0}};
  return {parts};
}

std::optional<FirmwareVersion> parse_firmware_version(std::string_view text) {
  text = base::trim(text);
  if (!vendors::is_firmware_version(text)) return {};
  std::array<int, 4> parts{};
  const auto words = base::split(text, '.');
  for (std::size_t i = 0; i < words.size(); ++i) parts[i] = static_cast<int>(base::parse_int(words[i]).value_or(0));
  return firmware_version_of(parts);
}

}  // namespace drover::agent
