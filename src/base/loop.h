// Where time comes from, and who calls back later.
//
// Everything that waits is written against this door. Two things stand behind it: asio's event loop (production) and
// the simulator's virtual one, in which an hour passes in a millisecond and always in the same order. A Loop belongs to
// one thread, and all callbacks run on that thread, one at a time, never from inside the call that asked for them.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "base/time.h"

namespace drover::base {

// A callback that is due later. Destroying (or overwriting) it cancels; a Timer that has fired is inert.
class Timer {
 public:
  // What the loop remembers of a timer; `cancel` is called at most once.
  class Ticket {
   public:
    virtual ~Ticket() = default;
    virtual void cancel() = 0;
  };

  Timer() = default;
  explicit Timer(std::shared_ptr<Ticket> ticket) : ticket_(std::move(ticket)) {}
  Timer(Timer&& other) noexcept = default;
  Timer& operator=(Timer&& other) noexcept {
    if (this != &other) {
      cancel();
      ticket_ = std::move(other.ticket_);
    }
    return *this;
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { cancel(); }

  void cancel() {
    if (auto ticket = std::move(ticket_)) ticket->cancel();
  }
  // Leaves the callback due although the Timer is no longer held.
  void let_go() { ticket_.reset(); }

 private:
  std::shared_ptr<Ticket> ticket_;
};

class Loop {
 public:
  virtual ~Loop() = default;

  virtual Instant now() const = 0;
  virtual WallTime wall() const = 0;

  // Calls `then` once, `span` from now (at once, but not from inside this call, when span is zero or negative).
  [[nodiscard]] virtual Timer after(Span span, std::function<void()> then) = 0;

  // Calls `then` soon, in the order of posting.
  virtual void post(std::function<void()> then) = 0;
};

}  // namespace drover::base
