// How long each node has been in its phase, as far as it counts.
//
// Wall clocks differ and jump, so a phase is measured by our own steady clock from the moment we first see it; what
// went before (an earlier process) is taken from the record. Time in which we could do nothing (paused, the node or the
// API server out of reach) is excluded, and the record keeps the sum, so that the next process goes on where we were.
#pragma once

#include <map>
#include <string>

#include "base/time.h"
#include "protocol/record.h"

namespace drover::observe {

class Stopwatch {
 public:
  // Looks at one node's claim; `counts`: the time from the last look until now does. What it has spent.
  base::Span look(const std::string& node, const protocol::ClaimRecord& held, bool counts, base::Instant now,
                  base::WallTime wall);
  // The node is no longer ours.
  void forget(const std::string& node) { watched_.erase(node); }

  // What a record written now should say about time that did not count.
  base::Span excluded(const std::string& node, const protocol::ClaimRecord& held, base::WallTime wall) const;

 private:
  struct Watched {
    std::string claim;
    core::Phase phase;
    base::WallTime since;
    base::Span spent;
    base::Instant looked_at;
  };
  std::map<std::string, Watched> watched_;
};

}  // namespace drover::observe
