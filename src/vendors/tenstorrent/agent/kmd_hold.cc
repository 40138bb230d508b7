#include "vendors/tenstorrent/agent/kmd_hold.h"

#include <fmt/format.h>

#include "agent/inspect.h"
#include "base/text.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/programs.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;

constexpr std::size_t kMostHolders = 16;

}  // namespace

bool kmd_is_loaded(host::Host& host) { return host.exists(fmt::format("/sys/module/{}/initstate", kKmdModule)); }

base::Result<void> kmd_is_free(host::Host& host) {
  TRY(const auto holders, holders_of(host, tenstorrent().device));
  if (!holders.empty()) {
    return fault(Fault::Kind::Refused, fmt::format("the device is held by {}; stop them, then run this again",
                                                   names_of(holders, kMostHolders)));
  }
  const auto count =
      base::parse_int(base::trim(host.read(fmt::format("/sys/module/{}/refcnt", kKmdModule)).value_or("0")));
  if (count.value_or(0) > 0) {
    return fault(Fault::Kind::Refused,
                 fmt::format("the module has {} references that no process explains; find what uses it (lsof "
                             "/dev/tenstorrent/*), then run this again",
                             *count));
  }
  return {};
}

}  // namespace drover::agent
