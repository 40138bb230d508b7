// Time in a forecast: what happens when, and when something last did.
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
  void turn_to(base::Span at) { now_ = at; }

  void after(base::Span span, std::function<void()> then) { happenings_.emplace(now_ + span, std::move(then)); }
  // When the next of them is due.
  std::optional<base::Span> next_at() const {
    return happenings_.empty() ? std::nullopt : std::optional(happenings_.begin()->first);
  }
  // Lets happen what is due; false when nothing was.
  bool happen() {
    bool something = false;
    while (!happenings_.empty() && happenings_.begin()->first <= now_) {
      const auto happening = happenings_.extract(happenings_.begin());
      happening.mapped()();
      something = true;
    }
    if (something) note_news();
    return something;
  }

  // Somebody who asks again may get another answer.
  void note_news() { last_news_at_ = now_; }
  base::Span last_news_at() const { return last_news_at_; }
  // A node has moved on.
  void note_move() { last_move_at_ = last_news_at_ = now_; }
  base::Span last_move_at() const { return last_move_at_; }

 private:
  base::Span now_ = {};
  base::Span last_news_at_ = {};
  base::Span last_move_at_ = {};
  std::multimap<base::Span, std::function<void()>> happenings_;
};

}  // namespace drover::forecast
