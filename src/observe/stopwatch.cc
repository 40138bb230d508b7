#include "observe/stopwatch.h"

#include <algorithm>

namespace drover::observe {

base::Span Stopwatch::look(const std::string& node, const protocol::ClaimRecord& held, bool counts, base::Instant now,
                           base::WallTime wall) {
  const auto at = watched_.find(node);
  const bool is_known = at != watched_.end() && at->second.claim == held.claim.id &&
                        at->second.phase == held.claim.phase && at->second.since == held.since;
  if (!is_known) {
    // A clock that runs behind the one that wrote the record must not make the phase end before it began.
    const base::WallTime end = held.stopped_at.value_or(wall);
    const base::Span before = std::max(base::Span::zero(), base::Span(end - held.since) - held.excluded);
    watched_[node] = {held.claim.id, held.claim.phase, held.since, before, now};
    return before;
  }
  if (counts) at->second.spent += now - at->second.looked_at;
  at->second.looked_at = now;
  return at->second.spent;
}

base::Span Stopwatch::excluded(const std::string& node, const protocol::ClaimRecord& held, base::WallTime wall) const {
  const auto at = watched_.find(node);
  if (at == watched_.end()) return held.excluded;
  return std::max(base::Span::zero(), base::Span(wall - held.since) - at->second.spent);
}

}  // namespace drover::observe
