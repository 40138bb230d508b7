#include "vendors/ascend/agent/programs.h"

namespace drover::agent {

const VendorAgent& ascend() {
  static constexpr VendorAgent kAscend = {
      .device = {.vendor = "ascend", .pci = "19e5", .classes = "1200", .modules = "davinci", .device = "/dev/davinci"}};
  return kAscend;
}

}  // namespace drover::agent
