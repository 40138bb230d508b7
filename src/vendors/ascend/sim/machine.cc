#include "vendors/ascend/sim/machine.h"

namespace drover::sim {
namespace {

// Ascend chips do not survive an unload: another version is staged and waits for a reboot.
constexpr ImageRow kAscendImages[] = {
    {"*ascend-driver:*", "npu-driver-installer", "say staging $VERSION; wait driver"},
    {"*ascend-driver:*", "*", "load-or-mark davinci $VERSION /var/lib/ascend/.reboot-required; ready; wait forever"},
    {"*npu-validator*", "*", "await davinci; ready; wait forever"},
};

}  // namespace

const SimVendor& ascend() {
  static constexpr SimVendor kAscend = {.node = {.vendor = "ascend",
                                                 .architecture = "arm64",
                                                 .os_id = "openEuler",
                                                 .os_version = "24.03",
                                                 .os_image = "openEuler 24.03 (LTS-SP3)",
                                                 .kernel = "6.6.0-145.0.4.135.oe2403sp3.aarch64",
                                                 .pci_labels = "19e5,1200_19e5",
                                                 .resource = "huawei.com/Ascend910",
                                                 .devices = 8,
                                                 .module = "davinci",
                                                 .device_path = "/dev/davinci{}",
                                                 .more_labels = "workerselector=dls-worker-node"},
                                        .images = kAscendImages};
  return kAscend;
}

}  // namespace drover::sim
