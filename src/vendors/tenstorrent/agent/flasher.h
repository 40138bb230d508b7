// The flash: what the flash Job runs on a node that was drained.
//
// Asks nothing over the network: the bundle is in the node's cache already. In turn: the journal's lock; no process
// holds the device; sysfs and tt-smi say what the chips run; the journal (flash_journal.h) says what may be done; then
// that, and the same again, until a verdict is the last word:
//   done        every chip says the target
//   not-begun   nothing was touched: the device is held, the bundle is not in the cache, the node has rebooted, …
//   unfinished  told to end in the middle, or another pod is at it; run again, it only reads
//   cannot-do   tt-flash would refuse or skip it; no-driver: tt-kmd does not serve every chip
//   failed      begun, and not every write is known to be verified: nothing may reset, reboot or power off this node
//   mismatch    every write was verified, and the chips say another version
//   wedged      a chip does not tell its version
// tt-flash is run in a session of its own and is never ended by us, also not at SIGTERM: then nothing more is started,
// one reading is made when tt-flash has ended, and this ends.
#pragma once

#include <memory>

#include "agent/program.h"
#include "vendors/tenstorrent/agent/flash_settings.h"

namespace drover::agent {

class Flasher final : public Program {
 public:
  Flasher(FlashSettings settings, ProgramContext context);
  ~Flasher() override;
  Flasher(const Flasher&) = delete;
  Flasher& operator=(const Flasher&) = delete;

  void start() override;
  void terminate() override;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::agent
