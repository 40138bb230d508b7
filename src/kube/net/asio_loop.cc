// The event loop of production: asio's io_context behind base::Loop.
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

  static void start(const std::shared_ptr<AsioTicket>& ticket, base::Span span) {
    ticket->timer_.expires_after(std::max(span, base::Span::zero()));
    ticket->timer_.async_wait([ticket](const boost::system::error_code&) {
      // A cancelled ticket has nothing left to call, whatever asio says about the wait.
      if (auto then = std::exchange(ticket->then_, nullptr)) then();
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

// Longer spans would overflow asio's clock; nobody waits for a century.
constexpr base::Span kLongest = std::chrono::hours(24 * 365 * 100);

}  // namespace

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
  AsioTicket::start(ticket, std::min(span, kLongest));
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
