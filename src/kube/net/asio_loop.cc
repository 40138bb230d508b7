// The event loop of production: asio's io_context behind base::Loop.
//
// Asio runs everything that is due before it looks at the sockets again. When thousands of timers are due (a simulated
// fleet that starts), a visitor would wait for all of them at every step of a handshake. So they run for a moment at a
// time, and the sockets have their turn in between.
#include <time.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <utility>

#include "kube/net/asio_loop_body.h"

namespace drover::kube {
namespace {

class AsioTicket final : public base::Timer::Ticket {
 public:
  AsioTicket(boost::asio::io_context& io, std::function<void()> then) : timer_(io), then_(std::move(then)) {}

  template <class Body>
  static void start(const std::shared_ptr<AsioTicket>& ticket, base::Span span, Body& body) {
    ticket->timer_.expires_after(std::max(span, base::Span::zero()));
    ticket->timer_.async_wait([ticket, &body](const boost::system::error_code&) {
      // A cancelled ticket has nothing left to call, whatever asio says about the wait.
      if (!ticket->then_) return;
      body.call_soon([ticket] {
        if (auto then = std::exchange(ticket->then_, nullptr)) then();
      });
    });
  }

  void cancel() override {
    if (!std::exchange(then_, nullptr)) return;
    timer_.cancel();
  }

 private:
  boost::asio::steady_timer timer_;
  std::function<void()> then_;
};

// Longer spans would overflow asio's clock; a century is long enough.
constexpr base::Span kLongest = std::chrono::hours(24 * 365 * 100);

// How long callbacks run before the sockets have a turn.
constexpr std::chrono::milliseconds kMoment{1};

}  // namespace

void AsioLoop::Body::call_soon(std::function<void()> then) {
  due.push_back(std::move(then));
  if (std::exchange(is_running_due, true)) return;
  boost::asio::post(io, [this] { run_due(); });
}

void AsioLoop::Body::run_due() {
  const auto begin = std::chrono::steady_clock::now();
  while (!due.empty() && !io.stopped() && std::chrono::steady_clock::now() - begin < kMoment) {
    const auto next = std::move(due.front());
    due.pop_front();
    next();
  }
  is_running_due = !due.empty();
  if (is_running_due) boost::asio::post(io, [this] { run_due(); });
}

AsioLoop::AsioLoop() : body_(std::make_unique<Body>()) {}
AsioLoop::~AsioLoop() = default;

base::Instant AsioLoop::now() const {
  timespec spec{};
  clock_gettime(CLOCK_BOOTTIME, &spec);
  return base::Instant(std::chrono::seconds(spec.tv_sec) + std::chrono::nanoseconds(spec.tv_nsec));
}

base::WallTime AsioLoop::wall() const {
  return std::chrono::time_point_cast<base::WallTime::duration>(std::chrono::system_clock::now());
}

base::Timer AsioLoop::after(base::Span span, std::function<void()> then) {
  auto ticket = std::make_shared<AsioTicket>(body_->io, std::move(then));
  AsioTicket::start(ticket, std::min(span, kLongest), *body_);
  return base::Timer(std::move(ticket));
}

void AsioLoop::post(std::function<void()> then) { boost::asio::post(body_->io, std::move(then)); }

void AsioLoop::run() {
  // A loop that ran out of work is stopped in asio's eyes; what was asked for since then shall run.
  body_->io.restart();
  body_->io.run();
}

void AsioLoop::stop() { body_->io.stop(); }

void AsioLoop::on_signal(std::function<void(int signal)> then) {
  body_->signals.emplace(body_->io, SIGINT, SIGTERM);
  body_->signals->async_wait([then = std::move(then)](const boost::system::error_code& error, int signal) {
    if (!error) then(signal);
  });
}

}  // namespace drover::kube
