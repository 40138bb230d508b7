// How long each node has been in its phase, as far as it counts.
//
// Wall clocks differ and jump, so a phase is measured from the moment at which this process first sees it, and only
// while the API server is heard (kube/heard_api.h). What went before is what the record says, and of the time since
// that was written no more than a quarter of the phase's limit: the leader before us may have been gone, or its clock
// wrong. Time in which we could do nothing (paused, the node not ready, its device held) does not count either.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "kube/heard_api.h"
#include "protocol/record.h"

namespace drover::observe {

class Stopwatch {
 public:
  struct Clocks {
    kube::HeardTime heard = {};
    base::WallTime wall = {};
    // When the leader before this one was last heard of, by its own clock, which stamped the records, too.
    std::optional<base::WallTime> leader_before_until = {};
  };
  struct Reading {
    base::Span spent = {};
    bool is_restored = false;  // what is written was written by the leader before this one
  };

  // Looks at one node's claim; `counts`: the time from the last look until now does. `unwritten_at_most`: how far the
  // record may be behind.
  Reading look(const std::string& node, const protocol::ClaimRecord& held, bool counts, base::Span unwritten_at_most,
               const Clocks& clocks);
  // The node is no longer ours.
  void forget(const std::string& node) { watched_.erase(node); }

 private:
  struct Watched {
    std::string claim;
    core::Phase phase;
    base::WallTime since;
    base::Span spent;
    base::Span looked_at;                              // by the time that is proven
    std::optional<base::WallTime> restored_from = {};  // when the record that it was restored from was written
  };
  std::map<std::string, Watched> watched_;
  std::optional<base::WallTime> began_ = {};
};

}  // namespace drover::observe
