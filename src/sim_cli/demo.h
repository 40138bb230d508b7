// `drover-sim demo`: the real operator on the embedded cluster, for a first look after cloning the repository.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"
#include "sim/vendor.h"
#include "vendors/work_profile.h"

namespace drover::sim_cli {

struct DemoOptions {
  sim::SimVendors vendors = {};         // whose machines and images are known; the first with a story is shown
  vendors::WorkProfiles profiles = {};  // what the operator can serve
  std::uint64_t seed = 7;
  base::Span frame = std::chrono::milliseconds(40);  // real time for each virtual second; zero hurries
  bool once = false;                                 // end with the demo, even when a kubeconfig was written
  std::string kubeconfig = {};                       // serve the cluster over HTTPS and write this file
};

// The exit code: 0 when every node has the new driver.
int demo(const DemoOptions& options);

}  // namespace drover::sim_cli
