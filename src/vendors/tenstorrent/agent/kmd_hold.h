// Whether tt-kmd is loaded, and whether a process keeps it from being unloaded.
#pragma once

#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

bool kmd_is_loaded(host::Host& host);
// No process holds it, or Refused with those that do.
base::Result<void> kmd_is_free(host::Host& host);

}  // namespace drover::agent
