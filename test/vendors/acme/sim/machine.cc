#include "vendors/acme/sim/machine.h"

#include "vendors/acme/agent/programs.h"

namespace drover::sim {
namespace {

constexpr ImageRow kAcmeImages[] = {
    {"*acme-driver:*", "*",
     "say loading $VERSION; wait driver; load acme $VERSION; ready; wait forever; when-stopped; try-unload acme"},
    {"*drover*", "acme-check", "program acme-check"},
};

}  // namespace

const SimVendor& acme() {
  static const SimVendor kAcme = {.node = {.vendor = "acme",
                                           .architecture = "amd64",
                                           .os_id = "debian",
                                           .os_version = "12",
                                           .os_image = "Debian GNU/Linux 12 (bookworm)",
                                           .kernel = "6.1.0-41-amd64",
                                           .pci_labels = "acac",
                                           .resource = "acme.example/npu",
                                           .devices = 4,
                                           .module = "acme",
                                           .device_path = "/dev/acme{}"},
                                  .images = kAcmeImages,
                                  .programs = agent::acme().programs};
  return kAcme;
}

}  // namespace drover::sim
