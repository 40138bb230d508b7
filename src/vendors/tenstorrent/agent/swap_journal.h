// What the loader remembers over its own death and the machine's.
//
// Data at rest: /var/cache/tt-kmd/state.json, written whole or not at all, before the deed that it speaks of. A note
// that cannot be read is not a note: then only what the kernel shows counts.
#pragma once

#include <string>

#include "base/result.h"
#include "host/host.h"

namespace drover::agent {

struct KmdNote {
  std::string boot = {};     // on which the rest was seen
  std::string version = {};  // what we had loaded
  bool is_hosts = false;     // the host managed the driver by itself

  // A swap under way: unloaded, or about to be, and not yet loaded.
  std::string from = {};
  std::string to = {};

  // A version that did not load, and was not to be tried again by the same pod.
  std::string failed = {};
  std::string failed_pod = {};
  std::string failure = {};

  bool operator==(const KmdNote&) const = default;
};

KmdNote read_note(host::Host& host);
base::Result<void> write_note(host::Host& host, const KmdNote& note);

}  // namespace drover::agent
