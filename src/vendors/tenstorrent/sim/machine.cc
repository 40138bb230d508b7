#include "vendors/tenstorrent/sim/machine.h"

#include <fmt/format.h>

#include "vendors/tenstorrent/agent/programs.h"

namespace drover::sim {
namespace {

constexpr ImageRow kTenstorrentImages[] = {
    {"*drover*", "builder", "program load"},
    {"*drover*", "vacate", "program vacate"},
    {"*drover*", "hand-back", "program hand-back"},
    {"*tenstorrent*builder*", "*",
     "say building tt-kmd $TT_KMD_VERSION; wait driver; load tenstorrent $TT_KMD_VERSION; say loaded; ready; wait "
     "forever"},
    {"*tenstorrent*flasher*", "*", "need tenstorrent; say flashing; wait task; say flashed"},
};

// Its driver lists the processes that have opened a device, and is built on the machine.
void furnish_tenstorrent(HostMakeup& makeup) {
  for (std::size_t i = 0; i < makeup.devices.size(); ++i)
    makeup.devices[i].openers = fmt::format("/proc/driver/tenstorrent/{}/pids", i);
  makeup.files[fmt::format("/lib/modules/{}/build/Makefile", makeup.kernel_release)] = "# headers\n";
  makeup.builds = "tenstorrent";
}

}  // namespace

const SimVendor& tenstorrent() {
  static const SimVendor kTenstorrent = {.node = {.vendor = "tenstorrent",
                                                  .architecture = "amd64",
                                                  .os_id = "ubuntu",
                                                  .os_version = "22.04",
                                                  .os_image = "Ubuntu 22.04.5 LTS",
                                                  .kernel = "6.8.0-90-generic",
                                                  .pci_labels = "1e52,1200_1e52",
                                                  .resource = "tenstorrent.com/n300",
                                                  .devices = 4,
                                                  .module = "tenstorrent",
                                                  .device_path = "/dev/tenstorrent/{}",
                                                  .furnish = furnish_tenstorrent},
                                         .images = kTenstorrentImages,
                                         .programs = agent::tenstorrent().programs};
  return kTenstorrent;
}

}  // namespace drover::sim
