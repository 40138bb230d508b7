#include "base/virtual_loop.h"

#include <algorithm>
#include <utility>

namespace drover::base {

struct VirtualLoop::Due final : Timer::Ticket {
  Instant at;
  std::uint64_t turn;  // ties are broken by the order of asking
  std::function<void()> then;

  Due(Instant at, std::uint64_t turn, std::function<void()> then) : at(at), turn(turn), then(std::move(then)) {}
  void cancel() override { then = nullptr; }
};

bool VirtualLoop::Later::operator()(const std::shared_ptr<Due>& a, const std::shared_ptr<Due>& b) const {
  return std::pair(a->at, a->turn) > std::pair(b->at, b->turn);
}

std::shared_ptr<VirtualLoop::Due> VirtualLoop::enqueue(Span span, std::function<void()> then) {
  auto due = std::make_shared<Due>(now_ + std::max(span, Span::zero()), asked_++, std::move(then));
  queue_.push(due);
  return due;
}

Timer VirtualLoop::after(Span span, std::function<void()> then) { return Timer(enqueue(span, std::move(then))); }

void VirtualLoop::post(std::function<void()> then) { enqueue(Span::zero(), std::move(then)); }

void VirtualLoop::drop_cancelled() {
  while (!queue_.empty() && !queue_.top()->then) queue_.pop();
}

std::optional<Instant> VirtualLoop::next_at() {
  drop_cancelled();
  if (queue_.empty()) return std::nullopt;
  return queue_.top()->at;
}

bool VirtualLoop::step() {
  drop_cancelled();
  if (queue_.empty()) return false;
  auto due = queue_.top();
  queue_.pop();
  now_ = due->at;
  ++callbacks_run_;
  // Moved out first: the callback may destroy the Timer that holds this ticket.
  auto then = std::exchange(due->then, nullptr);
  then();
  return true;
}

void VirtualLoop::run_for(Span span) {
  const Instant end = now_ + span;
  while (next_at() && *next_at() <= end) step();
  now_ = std::max(now_, end);
}

bool VirtualLoop::run_until(const std::function<bool()>& condition, Span at_most) {
  const Instant end = now_ + at_most;
  while (!condition()) {
    if (!next_at() || *next_at() > end) {
      now_ = std::max(now_, end);
      return condition();
    }
    step();
  }
  return true;
}

}  // namespace drover::base
