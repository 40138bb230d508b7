#include "sim/controllers/work_queue.h"

#include <algorithm>
#include <chrono>

namespace drover::sim {

namespace {
// The waits of client-go's rate-limited queues.
constexpr base::Span kFirstRetry = std::chrono::milliseconds(5);
constexpr base::Span kLastRetry = std::chrono::seconds(1000);
constexpr base::Span kBetweenTurns = std::chrono::milliseconds(10);
}  // namespace

void WorkQueue::add(const std::string& key, base::Span after) {
  const base::Instant at = loop_.now() + std::max(after, base::Span::zero());
  auto known = moment_of_.find(key);
  if (known != moment_of_.end()) {
    if (known->second.first <= at) return;
    due_.erase(known->second);
  }
  const Moment moment{at, asked_++};
  due_.emplace(moment, key);
  moment_of_.insert_or_assign(key, moment);
  arm();
}

void WorkQueue::forget(const std::string& key) {
  failures_.erase(key);
  auto known = moment_of_.find(key);
  if (known == moment_of_.end()) return;
  due_.erase(known->second);
  moment_of_.erase(known);
}

void WorkQueue::arm(base::Span not_before) {
  if (due_.empty()) return;
  const base::Instant first = std::max(due_.begin()->first.first, loop_.now() + not_before);
  if (armed_ && armed_for_ <= first) return;
  armed_ = true;
  armed_for_ = first;
  timer_ = loop_.after(first - loop_.now(), [this] { run_due(); });
}

base::Span WorkQueue::next_delay(const std::string& key) {
  const int tries = failures_[key]++;
  return std::min(kLastRetry, kFirstRetry * (std::int64_t{1} << std::min(tries, 20)));
}

void WorkQueue::run_due() {
  armed_ = false;
  // Keys that the work asks for again come after this moment: they wait for the next callback, so that others get a
  // turn.
  const base::Instant now = loop_.now();
  const std::uint64_t asked_before = asked_;
  const std::uint64_t done_before = effort_();
  while (!due_.empty()) {
    // A real control plane does not create ten thousand pods in an instant, and no watcher could keep up.
    if (effort_() - done_before >= kMostInATurn) return arm(kBetweenTurns);
    auto first = due_.begin();
    if (first->first.first > now || first->first.second >= asked_before) break;
    const std::string key = std::move(first->second);
    due_.erase(first);
    moment_of_.erase(key);
    if (work_(key)) {
      failures_.erase(key);
    } else {
      add(key, next_delay(key));
    }
  }
  arm();
}

}  // namespace drover::sim
