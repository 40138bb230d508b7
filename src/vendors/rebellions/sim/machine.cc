#include "vendors/rebellions/sim/machine.h"

namespace drover::sim {
namespace {

constexpr ImageRow kRebellionsImages[] = {
    {"*rbln-driver:*", "*",
     "say installing the RBLN driver $VERSION; wait driver; load rebellions $VERSION; ready; wait forever"},
    {"*rbln-k8s-driver-manager*", "*", "unload rebellions; say done"},
    {"*rbln*validator*", "*", "await rebellions; say driver is ready; ready; wait forever"},
    {"*rbln-node-reboot*", "*", "reboot; wait forever"},
};

}  // namespace

const SimVendor& rebellions() {
  static constexpr SimVendor kRebellions = {.node = {.vendor = "rebellions",
                                                     .architecture = "amd64",
                                                     .os_id = "ubuntu",
                                                     .os_version = "22.04",
                                                     .os_image = "Ubuntu 22.04.5 LTS",
                                                     .kernel = "6.8.0-90-generic",
                                                     .pci_labels = "1eff,1200_1eff",
                                                     .resource = "rebellions.ai/ATOM",
                                                     .devices = 8,
                                                     .module = "rebellions",
                                                     .device_path = "/dev/rbln{}"},
                                            .images = kRebellionsImages};
  return kRebellions;
}

}  // namespace drover::sim
