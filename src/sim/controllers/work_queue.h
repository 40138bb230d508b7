// A controller's work queue: keys to reconcile later, each at most once.
//
// A key waits until its moment; asking again moves the moment forward, never back. A failure asks again by itself, each
// time twice as late, until the key succeeds. Keys that are due run in the order of their moments, all of them in one
// callback of the loop, unless that becomes too much: then the others get a turn, and it goes on a moment later.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/loop.h"

namespace drover::sim {

class WorkQueue {
 public:
  // Called once per due key; false means that it failed and is to be tried again.
  using Work = std::function<bool(const std::string& key)>;
  // What has been done so far, in commits: how a turn that becomes too much is told.
  using Effort = std::function<std::uint64_t()>;
  static constexpr std::uint64_t kMostInATurn = 512;

  WorkQueue(base::Loop& loop, Work work, Effort effort)
      : loop_(loop), work_(std::move(work)), effort_(std::move(effort)) {}

  void add(const std::string& key, base::Span after);
  void forget(const std::string& key);
  std::size_t size() const { return moment_of_.size(); }

 private:
  using Moment = std::pair<base::Instant, std::uint64_t>;  // ties by the order of asking

  void arm(base::Span not_before = {});
  void run_due();
  base::Span next_delay(const std::string& key);

  base::Loop& loop_;
  Work work_;
  Effort effort_;
  std::map<Moment, std::string> due_;
  std::unordered_map<std::string, Moment> moment_of_;
  std::unordered_map<std::string, int> failures_;  // looked up only, never walked
  std::uint64_t asked_ = 0;
  base::Instant armed_for_{};
  base::Timer timer_;
  bool armed_ = false;
};

}  // namespace drover::sim
