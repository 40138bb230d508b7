#include "sim/serve/log_stream.h"

#include <fmt/format.h>

#include <utility>

namespace drover::sim {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

// Kept alive by what it asked the exchange to call, so it ends with the exchange.
class LogStream final : public std::enable_shared_from_this<LogStream> {
 public:
  LogStream(LogBook& logs, LogQuery query, std::shared_ptr<Exchange> exchange)
      : logs_(logs), query_(std::move(query)), exchange_(std::move(exchange)) {}
  ~LogStream() { stop_listening(); }
  LogStream(const LogStream&) = delete;
  LogStream& operator=(const LogStream&) = delete;

  void start(const LogBook::Run& run, base::WallTime now) {
    run_ = run.id;
    next_ = first_line(query_, run, now);
    left_ = query_.most_bytes.value_or(UINT64_MAX);
    if (query_.follow && !query_.previous) {
      ear_ = logs_.listen(query_.container, [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->more();
      });
    }
    exchange_->begin(
        {.code = 200, .content_type = "text/plain", .body = {}, .headers = {{.name = "Connection", .value = "close"}}});
    exchange_->on_gone([self = shared_from_this()] { self->stop_listening(); });
    more();
  }

 private:
  void stop_listening() {
    if (ear_ != 0) logs_.unlisten(std::exchange(ear_, 0));
  }

  void more() {
    if (is_over_ || awaits_taking_) return;
    const auto* run = logs_.run(query_.container, query_.previous);
    // A restarted container is another run; the one that was asked for has ended.
    const bool same = run != nullptr && run->id == run_;
    std::string text = same ? take_lines(query_, *run, next_, kPiece) : std::string();
    if (text.size() > left_) text.resize(left_);
    left_ -= text.size();
    if (text.empty()) {
      const bool waits = ear_ != 0 && same && !run->has_ended && left_ > 0;
      return waits ? void() : end();
    }
    exchange_->send(std::move(text));
    awaits_taking_ = true;
    exchange_->on_drained([self = shared_from_this()] {
      self->awaits_taking_ = false;
      self->more();
    });
  }

  void end() {
    is_over_ = true;
    stop_listening();
    exchange_->end();
  }

  LogBook& logs_;
  LogQuery query_;
  std::shared_ptr<Exchange> exchange_;
  std::uint64_t run_ = 0;
  std::uint64_t next_ = 1;
  std::uint64_t left_ = 0;
  int ear_ = 0;
  bool awaits_taking_ = false;
  bool is_over_ = false;
};

}  // namespace

void stream_log(LogBook& logs, LogQuery query, base::WallTime now, std::shared_ptr<Exchange> exchange) {
  const auto* run = logs.run(query.container, query.previous);
  if (run == nullptr) {
    const auto why =
        fmt::format("{} has no {}logs: it has not {}\n", query.container, query.previous ? "previous " : "",
                    query.previous ? "been restarted" : "started, or is not simulated here");
    return exchange->reply({.code = query.previous ? 404 : 400,
                            .content_type = "text/plain",
                            .body = why,
                            .headers = {{.name = "Connection", .value = "close"}}});
  }
  std::make_shared<LogStream>(logs, std::move(query), std::move(exchange))->start(*run, now);
}

}  // namespace drover::sim
