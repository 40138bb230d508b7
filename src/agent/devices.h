// Which accelerators there are: how the bus, the kernel and /dev call each vendor's.
//
// One row for each vendor; nothing else in the agent knows these words.
#pragma once

#include <span>
#include <string_view>

namespace drover::agent {

struct DeviceKind {
  std::string_view vendor;   // "nvidia"
  std::string_view pci;      // vendor id on the bus: "10de"
  std::string_view classes;  // beginnings of PCI classes of the accelerators themselves, comma-separated
  std::string_view modules;  // comma-separated, in the order in which they can be unloaded; the last is the driver
  std::string_view device;   // how its files in /dev begin
  std::string_view
      openers;  // where the driver lists who has opened a device: <here>/<number>/pids; "" where it does not
};

// Every vendor that is known.
std::span<const DeviceKind> device_kinds();
// By "nvidia"; the vendor must be known.
const DeviceKind& device_kind(std::string_view vendor);
// True for a name in the kind's list of modules.
bool is_module_of(const DeviceKind& kind, std::string_view module);
// The last of its modules.
std::string_view driver_module(const DeviceKind& kind);

}  // namespace drover::agent
