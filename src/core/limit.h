// The limit over all policies: how many accelerator nodes may be out of service at once, whichever policy took them. A
// node that several policies have, since it has devices of several vendors, counts once.
//
// A policy that is alone is its own limit: what its document promises about maxUnavailable holds as written. Where
// several policies share a cluster, each keeps its own limit, and all of them together this one. A limit that was asked
// for on the command line holds always.
#pragma once

#include <optional>
#include <span>

#include "core/policy.h"
#include "core/view.h"

namespace drover::core {

inline constexpr Share kUsualLimit = {.amount = 25, .is_percent = true};

struct GlobalLimit {
  Share share = kUsualLimit;
  bool is_asked_for = false;
  int managed = 0;
  int unavailable = 0;

  int max_unavailable() const { return share.of(managed); }
  int headroom() const { return max_unavailable() - unavailable; }
};

// Over the nodes of these policies; nothing where each policy is its own limit.
std::optional<GlobalLimit> limit_over(const std::optional<Share>& asked, std::span<const FleetView* const> policies);

}  // namespace drover::core
