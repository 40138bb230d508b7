// What the flash Job and the firmware probe are told: by their containers' environment.
#pragma once

#include <string>

#include "agent/environment.h"
#include "vendors/tenstorrent/agent/flash_journal.h"
#include "vendors/tenstorrent/agent/flash_judgement.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {

struct FlashSettings {
  FlashAsk ask;               // DROVER_CLAIM, DROVER_TARGET, DROVER_BOOT_ID, …
  FlashWish wish;             // TT_FORCE_WRITE, …
  vendors::BundleUrl bundle;  // TT_FW_BUNDLE_URL
};

// The flash Job's: all of them. Refused names the variable that cannot be used.
base::Result<FlashSettings> read_flash_settings(const Environment& environment);
// The probe's: claim and boot may be absent. Without TT_FW_BUNDLE_URL it only reads (an empty URL here), and then the
// target may be absent, too.
base::Result<FlashSettings> read_probe_settings(const Environment& environment);

}  // namespace drover::agent
