// One leader at a time, by a Lease. Advice, not a lock: writes are fenced by versions and uids as well.
//
// Others' leases are judged by our own clock from the moment we saw them change (clocks of machines differ), ours by
// when we sent the renewal that succeeded. When renewing has not succeeded for `renew_deadline`, or the lease is seen
// in other hands, we no longer lead, and `lost` is called: the process should end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"

namespace drover::kube {

// The deadline is kept below two thirds of the duration (others wait for the whole of it), and several tries fit into
// the deadline; terms that say otherwise are tightened.
struct LeaseTerms {
  std::string ns;
  std::string name;
  std::string identity;  // unique per process: pod name and a random suffix
  base::Span duration = std::chrono::seconds(15);
  base::Span renew_deadline = std::chrono::seconds(10);
  base::Span retry_every = std::chrono::seconds(2);
};

class LeaderElection {
 public:
  // `won` is called at most once, `lost` at most once and only after it. Either may destroy the LeaderElection.
  LeaderElection(Api& api, base::Loop& loop, base::Random random, LeaseTerms terms, std::function<void()> won,
                 std::function<void()> lost);
  ~LeaderElection();
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  void start();
  // Judged by the clock now, not by the last callback: ask right before every dangerous effect.
  bool is_leader() const;
  // Gives the lease back, so that the next one need not wait; `done` is called when that was tried. No leader from this
  // call on, and for ever; `lost` is not called.
  void resign(std::function<void()> done);
  // The holder, as last seen; "" for none.
  const std::string& holder() const;
  // When the leader before this one was last heard of, by its own clock; nothing when there was none.
  std::optional<base::WallTime> leader_before_until() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::kube
