// Time in a forecast: what is due when, and when something last changed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/time.h"

namespace drover::forecast {

class Clock {
 public:
  base::Span now() const { return now_; }
  void advance_to(base::Span at) { now_ = at; }

  void after(base::Span span, std::function<void()> then) { timers_.emplace(now_ + span, std::move(then)); }
  // When the next of them is due.
  std::optional<base::Span> next_at() const {
    return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
  }
  // Runs what is due; false when nothing was.
  bool run_due() {
    bool any = false;
    while (!timers_.empty() && timers_.begin()->first <= now_) {
      const auto timer = timers_.extract(timers_.begin());
      timer.mapped()();
      any = true;
    }
    if (any) note_change();
    return any;
  }

  // A request that was refused before may be granted now.
  void note_change() { last_change_at_ = now_; }
  base::Span last_change_at() const { return last_change_at_; }
  // A node has entered another phase.
  void note_move() { last_move_at_ = last_change_at_ = now_; }
  base::Span last_move_at() const { return last_move_at_; }

 private:
  base::Span now_ = {};
  base::Span last_change_at_ = {};
  base::Span last_move_at_ = {};
  std::multimap<base::Span, std::function<void()>> timers_;
};

}  // namespace drover::forecast
