// Keys that somebody wants to look at later, each at most once.
//
// A key waits until its moment; asking again moves the moment forward, never back. A failure asks again by itself, each
// time twice as late, until the key succeeds. All keys that are due run in one callback of the loop, in the order of
// their moments.
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

  WorkQueue(base::Loop& loop, Work work) : loop_(loop), work_(std::move(work)) {}

  void add(const std::string& key, base::Span after);
  void forget(const std::string& key);
  std::size_t size() const { return moment_of_.size(); }

 private:
  using Moment = std::pair<base::Instant, std::uint64_t>;  // ties by the order of asking

  void arm();
  void run_due();
  base::Span next_delay(const std::string& key);

  base::Loop& loop_;
  Work work_;
  std::map<Moment, std::string> due_;
  std::unordered_map<std::string, Moment> moment_of_;
  std::unordered_map<std::string, int> failures_;  // looked up only, never walked
  std::uint64_t asked_ = 0;
  base::Instant armed_for_{};
  base::Timer timer_;
  bool armed_ = false;
};

}  // namespace drover::sim
