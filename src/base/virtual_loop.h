// Virtual time: a queue of callbacks ordered by when they are due and then by when they were asked for.
//
// Nothing waits: running to a moment takes as long as the callbacks on the way. The same callbacks asked for in the
// same order run in the same order, which is what makes a simulated run repeatable byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "base/loop.h"

namespace drover::base {

class VirtualLoop final : public Loop {
 public:
  // The virtual day begins at a fixed wall time, so that timestamps in objects repeat too.
  static constexpr WallTime kDawn{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

  Instant now() const override { return now_; }
  WallTime wall() const override {
    return kDawn + std::chrono::duration_cast<std::chrono::microseconds>(now_.time_since_epoch() + wall_offset_);
  }
  [[nodiscard]] Timer after(Span span, std::function<void()> then) override;
  void post(std::function<void()> then) override;

  // Runs the next callback; false when none is left. Moves time forward to it.
  bool step();
  // Runs everything that is due up to `now() + span`, and leaves time there.
  void run_for(Span span);
  // Runs until `condition` holds (asked before each callback) or `at_most` has passed; true when it holds.
  bool run_until(const std::function<bool()>& condition, Span at_most);
  // When the next callback is due; nothing when the queue is empty.
  std::optional<Instant> next_at();

  // Bad luck: the wall clock jumps (instants do not).
  void jump_wall(Span by) { wall_offset_ += by; }
  std::uint64_t callbacks_run() const { return callbacks_run_; }

 private:
  struct Due;
  struct Later {
    bool operator()(const std::shared_ptr<Due>& a, const std::shared_ptr<Due>& b) const;
  };
  std::shared_ptr<Due> enqueue(Span span, std::function<void()> then);
  void drop_cancelled();

  Instant now_{};
  Span wall_offset_{};
  std::uint64_t asked_ = 0;
  std::uint64_t callbacks_run_ = 0;
  std::priority_queue<std::shared_ptr<Due>, std::vector<std::shared_ptr<Due>>, Later> queue_;
};

}  // namespace drover::base
