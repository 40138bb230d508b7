// Whether tt-kmd is loaded, and whether anybody is in the way of unloading it.
#pragma once

#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

bool kmd_is_loaded(host::Host& host);
// Nobody holds it, or Refused with who does.
base::Result<void> kmd_is_free(host::Host& host);

}  // namespace drover::agent
