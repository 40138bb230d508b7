// The firmware probe: what can be known of a flash before the node is taken out of service.
//
// Run by a pod with the flasher's image and without the device: that the image is on the node is known when this runs.
// Reads versions from sysfs, brings the bundle into the node's cache, checks it against target and boards, and tells as
// its verdict (protocol/verdict.h):
//   done        every chip says the target, and nothing is forced
//   ready       the flash may be done; also where it only read (no bundle was named)
//   cannot-do   tt-flash would refuse or skip it, or the bundle is not the one to flash: the message names the field
//   no-driver   tt-kmd does not serve every chip
//   not-begun   the bundle could not be fetched now
// It changes nothing but the cache, starts no program, and may run beside workloads and at any time.
#pragma once

#include <memory>

#include "agent/program.h"
#include "vendors/tenstorrent/agent/flash_settings.h"

namespace drover::agent {

class FirmwareProbe final : public Program {
 public:
  FirmwareProbe(FlashSettings settings, ProgramContext context);
  ~FirmwareProbe() override;
  FirmwareProbe(const FirmwareProbe&) = delete;
  FirmwareProbe& operator=(const FirmwareProbe&) = delete;

  void start() override;
  void terminate() override;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::agent
