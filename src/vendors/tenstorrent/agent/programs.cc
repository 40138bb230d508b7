#include "vendors/tenstorrent/agent/programs.h"

#include <array>
#include <memory>
#include <utility>

#include "vendors/tenstorrent/agent/firmware_probe.h"
#include "vendors/tenstorrent/agent/flash_settings.h"
#include "vendors/tenstorrent/agent/flasher.h"
#include "vendors/tenstorrent/agent/load_settings.h"
#include "vendors/tenstorrent/agent/loader.h"
#include "vendors/tenstorrent/agent/return_to_host.h"
#include "vendors/tenstorrent/agent/vacate.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

base::Result<MakeProgram> make_loader(const Environment& environment) {
  TRY(const auto settings, read_load_settings(environment));
  return [settings](ProgramContext around, std::function<void(bool)> ready) {
    return std::make_unique<Loader>(settings, std::move(around), std::move(ready));
  };
}

bool is_loaded(host::Host& host, const Environment& environment) {
  const auto settings = read_load_settings(environment);
  return settings && serves(host, settings->version);
}

base::Result<MakeProgram> make_flasher(const Environment& environment) {
  TRY(const auto settings, read_flash_settings(environment));
  return [settings](ProgramContext context, const std::function<void(bool)>&) {
    return std::make_unique<Flasher>(settings, std::move(context));
  };
}

base::Result<MakeProgram> make_probe(const Environment& environment) {
  TRY(const auto settings, read_probe_settings(environment));
  return [settings](ProgramContext context, const std::function<void(bool)>&) {
    return std::make_unique<FirmwareProbe>(settings, std::move(context));
  };
}

constexpr std::array<ProgramRow, 5> kTenstorrentPrograms{{
    {.name = "load",
     .help = "Build Tenstorrent's driver for this machine, load it, and watch over it (builder container)",
     .read = make_loader,
     .is_ready = is_loaded,
     .unready_text = "tt-kmd is not loaded"},
    {.name = "vacate",
     .help = "Take a DKMS-managed Tenstorrent driver off this machine, so that the operator can bring its own",
     .footer =
         "Run it as root on a node that was cordoned and drained. It refuses while the device is held, and may be\n"
         "repeated: on a clean host it changes nothing.",
     .example = "take a DKMS-managed tt-kmd off this machine",
     .begin = begin_deed<Vacate>},
    {.name = "hand-back",
     .help = "Take the operator's Tenstorrent driver off this machine, and wait until DKMS has brought its own",
     .footer = "Run by `kubectl drover migrate --rollback`. It installs nothing, and refuses while the device is held.",
     .begin = begin_deed<HandBack>},
    {.name = vendors::kFlashProgram,
     .help = "Flash Tenstorrent firmware to the chips of this node, once for each claim (flash Job)",
     .footer = "Told by its environment: DROVER_CLAIM, DROVER_TARGET (19.9.0.0#7), DROVER_BOOT_ID, TT_FW_BUNDLE_URL,\n"
               "TT_FORCE_WRITE, TT_CONTINUE_ON_READBACK_FAILURE, TT_HOMOGENIZE_FIRMWARE_VERSIONS. The bundle must be "
               "in this\n"
               "node's cache. Run again, it only reads. Its verdict is the pod's termination message.",
     .read = make_flasher,
     .is_task = true},
    {.name = vendors::kFirmwareProbeProgram,
     .help = "Read this node's firmware versions, and fetch and check a bundle for them (probe pod)",
     .footer = "Told by its environment, as `drover agent flash`; without TT_FW_BUNDLE_URL it only reads. It starts no "
               "program\n"
               "and changes only the cache. Its verdict is the pod's termination message.",
     .read = make_probe,
     .is_task = true},
}};

}  // namespace

const VendorAgent& tenstorrent() {
  static constexpr VendorAgent kTenstorrent = {.device = {.vendor = "tenstorrent",
                                                          .pci = "1e52",
                                                          .classes = "1200",
                                                          .modules = "tenstorrent",
                                                          .device = "/dev/tenstorrent",
                                                          .openers = "/proc/driver/tenstorrent"},
                                               .programs = kTenstorrentPrograms};
  return kTenstorrent;
}

}  // namespace drover::agent
