#include "vendors/nvidia/agent/programs.h"

#include <array>
#include <memory>
#include <utility>

#include "vendors/nvidia/agent/driver_manager.h"
#include "vendors/nvidia/agent/manager_settings.h"
#include "vendors/nvidia/agent/validate.h"

namespace drover::agent {
namespace {

base::Result<MakeProgram> make_driver_manager(const Environment& environment) {
  TRY(const auto settings, read_manager_settings(environment));
  return [settings](ProgramContext around, const std::function<void(bool)>&) {
    return std::make_unique<DriverManager>(settings, std::move(around));
  };
}

base::Result<MakeProgram> make_validator(const Environment& environment) {
  TRY(const auto settings, read_validator_settings(environment));
  return [settings](ProgramContext around, std::function<void(bool)> ready) {
    return std::make_unique<Validator>(settings, std::move(around), std::move(ready));
  };
}

constexpr std::array<ProgramRow, 2> kNvidiaPrograms{{
    {.name = "driver-manager",
     .help = "Take the old driver out, with permission, so that the one beside it can load (init container)",
     .read = make_driver_manager,
     .sees_host_folder = true,
     .own_folder = "/run/nvidia"},
    {.name = "validate",
     .help = "See that the wanted driver is loaded and works; runs until it is ended",
     .read = make_validator,
     .sees_host_folder = true,
     .own_folder = "/run/drover",
     .has_passed = has_passed},
}};

}  // namespace

const VendorAgent& nvidia() {
  // Switches (0680) are not accelerators, and neither are a card's sound and USB functions.
  static constexpr VendorAgent kNvidia = {
      .device = {.vendor = "nvidia",
                 .pci = "10de",
                 .classes = "0300,0302",
                 .modules =
                     "nvidia_drm,nvidia_modeset,nvidia_uvm,nvidia_peermem,nvidia_fs,nvidia_vgpu_vfio,gdrdrv,nvidia",
                 .device = "/dev/nvidia",
                 .rivals = "nouveau",
                 .version_file = "/proc/driver/nvidia/version",
                 .model_file = "/proc/driver/nvidia/gpus/{}/information"},
      .programs = kNvidiaPrograms};
  return kNvidia;
}

}  // namespace drover::agent
