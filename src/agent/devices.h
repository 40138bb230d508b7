// How the bus, the kernel and /dev call a vendor's accelerators.
#pragma once

#include <string_view>

namespace drover::agent {

struct DeviceKind {
  std::string_view vendor;        // "acme"
  std::string_view pci;           // vendor id on the bus: "10de"
  std::string_view classes;       // beginnings of PCI classes of the accelerators themselves, comma-separated
  std::string_view modules;       // comma-separated, in the order in which they can be unloaded; the last is the driver
  std::string_view device;        // how its files in /dev begin
  std::string_view openers = {};  // where the driver lists processes that have opened a device: <here>/<number>/pids
  std::string_view rivals = {};   // modules of others that keep the driver off the devices, comma-separated
  std::string_view version_file = {};  // where the driver itself says its version
  std::string_view model_file = {};    // where it says the model of the device at {} on the bus, after "Model:"
};

// True for a name in the kind's list of modules.
bool is_module_of(const DeviceKind& kind, std::string_view module);
// The last of its modules.
std::string_view driver_module(const DeviceKind& kind);

}  // namespace drover::agent
