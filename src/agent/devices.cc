#include "agent/devices.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace drover::agent {
namespace {

// NVIDIA's switches (0680) are no accelerators, and neither are a card's sound and USB functions.
constexpr std::array<DeviceKind, 4> kKinds{{
    {"nvidia", "10de", "0300,0302",
     "nvidia_drm,nvidia_modeset,nvidia_uvm,nvidia_peermem,nvidia_fs,nvidia_vgpu_vfio,gdrdrv,nvidia", "/dev/nvidia", ""},
    {"tenstorrent", "1e52", "1200", "tenstorrent", "/dev/tenstorrent", "/proc/driver/tenstorrent"},
    {"rebellions", "1eff", "1200", "rebellions", "/dev/rbln", ""},
    {"ascend", "19e5", "1200", "davinci", "/dev/davinci", ""},
}};

}  // namespace

std::span<const DeviceKind> device_kinds() { return kKinds; }

const DeviceKind& device_kind(std::string_view vendor) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const DeviceKind& kind) { return kind.vendor == vendor; });
  return found == kKinds.end() ? kKinds.front() : *found;
}

bool is_module_of(const DeviceKind& kind, std::string_view module) {
  const auto names = base::split(kind.modules, ',');
  return std::find(names.begin(), names.end(), module) != names.end();
}

std::string_view driver_module(const DeviceKind& kind) { return base::split(kind.modules, ',').back(); }

}  // namespace drover::agent
