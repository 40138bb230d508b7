// Our own agent's programs, for containers of the simulated cluster: the code that runs on real machines.
//
//   load            Tenstorrent's builder (`drover agent load`)
//   vacate          takes DKMS's driver off the machine (`drover agent vacate`)
//   hand-back       takes ours off, and waits for DKMS's (`drover agent hand-back`)
//   driver-manager  the init container of NVIDIA's drivers (`drover agent driver-manager`)
// For the last one the kubelets play a script by default, which neither asks nor waits: fast, and enough where the
// controller does the asking. Whoever wants the agent itself says so.
#pragma once

#include "base/result.h"
#include "sim/images.h"
#include "sim/program.h"

namespace drover::sim {

Programs agent_programs();

// From now on NVIDIA's drivers note what they were made of, as their containers do, and their init containers run the
// driver manager.
base::Result<void> prefer_driver_manager(ImageTable& images);

}  // namespace drover::sim
