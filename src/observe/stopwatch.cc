#include "observe/stopwatch.h"

#include <algorithm>

namespace drover::observe {
namespace {

// What had been counted when the leader that wrote it was last heard of. Both stamps are by its clock; only without a
// lease is ours compared with it.
base::Span spent_before(const protocol::ClaimRecord& held, bool is_of_another, base::Span unwritten_at_most,
                        const Stopwatch::Clocks& clocks) {
  // No more than the limit itself, whatever is written there.
  const base::Span spent = std::min(held.claim.spent, 4 * unwritten_at_most);
  if (held.claim.deadline_paused || !is_of_another) return spent;
  const base::Span since = clocks.leader_before_until.value_or(clocks.wall) - held.at;
  return spent + std::clamp(since, base::Span::zero(), unwritten_at_most);
}

}  // namespace

Stopwatch::Reading Stopwatch::look(const std::string& node, const protocol::ClaimRecord& held, bool counts,
                                   base::Span unwritten_at_most, const Clocks& clocks) {
  if (!began_) began_ = std::chrono::floor<std::chrono::seconds>(clocks.wall);  // as records say times
  auto at = watched_.find(node);
  const bool is_known = at != watched_.end() && at->second.claim == held.claim.id &&
                        at->second.phase == held.claim.phase && at->second.since == held.since;
  if (!is_known) {
    // By a clock that was ahead of ours it seems to be our own: then the time between counts for nothing.
    const bool is_of_another = held.at != base::WallTime() && held.at < *began_;
    at = watched_
             .insert_or_assign(node, Watched{.claim = held.claim.id,
                                             .phase = held.claim.phase,
                                             .since = held.since,
                                             .spent = spent_before(held, is_of_another, unwritten_at_most, clocks),
                                             .looked_at = clocks.heard.proven,
                                             .restored_from = is_of_another ? std::optional(held.at) : std::nullopt})
             .first;
  }
  Watched& watched = at->second;
  if (counts) watched.spent += clocks.heard.proven - watched.looked_at;
  watched.looked_at = clocks.heard.proven;
  return {.spent = watched.spent + (counts ? clocks.heard.unproven : base::Span{}),
          .is_restored = watched.restored_from == held.at};
}

}  // namespace drover::observe
