#include "vendors/rebellions/agent/programs.h"

namespace drover::agent {

const VendorAgent& rebellions() {
  static constexpr VendorAgent kRebellions = {
      .device = {
          .vendor = "rebellions", .pci = "1eff", .classes = "1200", .modules = "rebellions", .device = "/dev/rbln"}};
  return kRebellions;
}

}  // namespace drover::agent
