// The limit over all policies: how many accelerator nodes may be out of service at once, whoever took them.
//
// A policy that is alone is its own limit: what its document promises about maxUnavailable holds as written. Where
// several policies share a cluster, each keeps its own limit, and all of them together this one. A limit that was asked
// for on the command line holds always.
#pragma once

#include <optional>
#include <vector>

#include "core/policy.h"
#include "core/view.h"

namespace drover::operate {

inline constexpr core::Share kUsualCeiling = {.amount = 25, .is_percent = true};

struct Ceiling {
  core::Share share = kUsualCeiling;
  bool is_asked_for = false;
  int managed = 0;
  int away = 0;

  int may_be_away() const { return share.of(managed); }
  int room() const { return may_be_away() - away; }
};

// Over the nodes of these policies, each of them as it was last seen; nothing where each policy is its own limit.
std::optional<Ceiling> ceiling_over(const std::optional<core::Share>& asked,
                                    const std::vector<const core::FleetView*>& policies);

// How many more may be taken; `is_sure`: nobody was taken since they were seen.
int room_under(const std::optional<core::Share>& asked, const std::vector<const core::FleetView*>& policies,
               bool is_sure);

}  // namespace drover::operate
