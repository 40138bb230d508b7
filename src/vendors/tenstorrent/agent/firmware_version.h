// Versions of firmware bundles, as chips and manifests say them: four numbers.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace drover::agent {

struct FirmwareVersion {
  std::array<int, 4> parts = {};

  int first() const { return parts[0]; }
  std::string text() const;
  auto operator<=>(const FirmwareVersion&) const = default;
};

// "19.8.0.0", or "19.8.0" for the same. What was called 80.17.1.0 before the eighteenth is 17.1.0.0, as tt-flash
// reads it. Nothing where the text is not a version.
std::optional<FirmwareVersion> parse_firmware_version(std::string_view text);
FirmwareVersion firmware_version_of(const std::array<int, 4>& parts);

}  // namespace drover::agent
