// Sends requests, each known by a key, so that nothing is asked twice at a time or too soon again.
//
// A write that fails may be tried again after a wait that grows; the server's own request (Retry-After) and a
// disruption budget make it longer. Nothing is repeated by itself: the next pass decides again, and asks again. What
// came of each is kept for the next pass. Time comes from the loop only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "act/write.h"
#include "base/loop.h"
#include "base/random.h"
#include "kube/api.h"
#include "observe/node_facts.h"

namespace drover::act {

// How long a pod is left alone that a budget has held so many times before: soon at first, then twice a minute. Each
// pod waits a little differently, or all would ask at the same moments; always the same pod alike, so that it can be
// foreseen.
base::Span wait_for_budget(std::string_view pod_uid, int refusals);

// No more patient writes than there are connections, so that one that cannot wait stands behind one of them at most.
inline constexpr std::size_t kMostLowPriority = 8;

// What was sent and is not seen yet: an input of every pass, so that nothing is decided twice on the same facts and no
// request is made that could not leave.
class PendingWrites {
 public:
  explicit PendingWrites(const base::Loop& loop);
  ~PendingWrites();
  PendingWrites(const PendingWrites&) = delete;
  PendingWrites& operator=(const PendingWrites&) = delete;

  // How many more may be sent now.
  int room() const;
  bool is_free(std::string_view key) const;
  bool is_under_way(std::string_view key) const;
  // Answers that this key has had since it was first run or forgotten.
  int answers(std::string_view key) const;

  // The watch has not shown yet what we wrote last on the node.
  bool is_behind(const observe::NodeFacts& facts) const;
  // Another writer was faster, and we have seen what it wrote: there is nothing to wait for.
  bool may_overtake(const observe::NodeFacts& facts) const;
  // A request that takes a pod off the node is under way: its answer may come after the node was given back.
  bool has_pending_evictions(const std::string& node) const { return pending_evictions_.contains(node); }
  std::size_t low_priority() const { return low_priority_; }
  // A DaemonSet's text was applied, and the object is as it was made then.
  bool is_applied(const std::string& set, std::uint64_t text, std::int64_t generation) const;

 private:
  friend class Executor;
  struct Sent;
  struct Taking {
    std::string sent;                      // the version that was decided on
    std::string written = {};              // the version that it made, when we were told
    std::optional<base::Instant> until{};  // when we were not told whether it happened
  };

  Sent& begin(const Write& write);
  void end(const WriteResult& result);
  void overtake(const Write& write);

  const base::Loop& loop_;
  std::map<std::string, Sent, std::less<>> sent_;
  std::set<const Sent*> put_off_;  // that were wanted before their time
  int under_way_ = 0;
  std::size_t low_priority_ = 0;
  std::map<std::string, Taking> pending_takes_;    // by node
  std::map<std::string, int> pending_evictions_;   // by node: requests under way
  std::map<std::string, std::string> written_;     // by node: the version that our last write made
  std::map<std::string, std::string> conflicted_;  // by node: the version on which our last write was refused
  std::map<std::string, std::pair<std::uint64_t, std::int64_t>> applied_;  // by DaemonSet: text and generation
};

class Executor {
 public:
  // `permission` is asked right before each request leaves (are we still the leader?); `told` is called after each
  // answer.
  Executor(kube::Api& api, base::Loop& loop, base::Random random, kube::EventRecorder& events,
           std::function<bool()> permission, std::function<void()> told);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Sends, unless the same key is under way, rests or waits, or too many others are under way.
  bool run(Write write);
  void run(std::vector<Write> writes);

  // What came since this was asked last, in the order of arrival.
  std::vector<WriteResult> take_results();
  const PendingWrites& pending() const;
  // A node was taken and the watch has not shown it yet: until then nothing can count how many are out of service.
  bool has_pending_takes(const kube::Cache<observe::NodeFacts>& nodes);

  // Requests that failed for a reason that people should know: not conflicts, and not what a budget refused.
  std::uint64_t failures() const;
  // When the next one that was put off may be tried; nothing when none was.
  std::optional<base::Span> next_in() const;

 private:
  struct Body;
  std::shared_ptr<Body> body_;
};

}  // namespace drover::act
