#include "agent/program.h"

#include <algorithm>

namespace drover::agent {

std::vector<const DeviceKind*> devices_of(VendorAgents agents) {
  std::vector<const DeviceKind*> kinds;
  for (const VendorAgent* vendor : agents) kinds.push_back(&vendor->device);
  return kinds;
}

const ProgramRow* find_program(VendorAgents agents, std::string_view name) {
  for (const VendorAgent* vendor : agents) {
    const auto row = std::find_if(vendor->programs.begin(), vendor->programs.end(),
                                  [&](const ProgramRow& one) { return one.name == name; });
    if (row != vendor->programs.end()) return &*row;
  }
  return nullptr;
}

}  // namespace drover::agent
