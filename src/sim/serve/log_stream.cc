#include "sim/serve/log_stream.h"

#include <limits>
#include <utility>

namespace drover::sim {
namespace {

constexpr std::size_t kPiece = 64 * 1024;

class LogStream final : public Stream {
 public:
  LogStream(const LogRoom& room, LogQuery query, const LogBook::Run& run, std::shared_ptr<Exchange> exchange)
      : room_(room),
        exchange_(std::move(exchange)),
        query_(std::move(query)),
        run_(run.id),
        next_(first_line(query_, run, room.loop.wall())),
        left_(query_.most_bytes.value_or(std::numeric_limits<std::uint64_t>::max())) {}
  ~LogStream() override {
    if (ear_ != 0) room_.logs.unlisten(ear_);
  }

  void start(HttpReply head) {
    exchange_->begin(std::move(head));
    exchange_->on_gone([weak = weak_from_this(), &streams = room_.streams] {
      if (const auto self = weak.lock()) streams.drop(self.get());
    });
    if (query_.follow && !query_.previous) ear_ = room_.logs.listen(query_.container, [this] { wake(); });
    more();
  }

 private:
  // Told from inside the kubelet's own work: looked at later.
  void wake() {
    if (is_awake_ || is_waiting_for_reader_) return;
    is_awake_ = true;
    room_.loop.post([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      static_cast<LogStream&>(*self).is_awake_ = false;
      static_cast<LogStream&>(*self).more();
    });
  }

  void more() {
    const LogBook::Run* run = room_.logs.run(query_.container, query_.previous);
    // A restarted container is another run; the one that was asked for has ended.
    const bool same = run != nullptr && run->id == run_;
    std::string text = same ? take_lines(query_, *run, next_, kPiece) : std::string();
    if (text.size() > left_) text.resize(left_);
    left_ -= text.size();
    if (text.empty()) {
      const bool goes_on = ear_ != 0 && same && !run->has_ended && left_ > 0;
      if (goes_on) return;
      exchange_->end();
      return room_.streams.drop(this);
    }
    exchange_->send(std::move(text));
    is_waiting_for_reader_ = true;
    exchange_->on_drained([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      static_cast<LogStream&>(*self).is_waiting_for_reader_ = false;
      static_cast<LogStream&>(*self).more();
    });
  }

  LogRoom room_;
  std::shared_ptr<Exchange> exchange_;
  LogQuery query_;
  std::uint64_t run_;
  std::uint64_t next_;
  std::uint64_t left_;
  int ear_ = 0;
  bool is_awake_ = false;
  bool is_waiting_for_reader_ = false;
};

}  // namespace

void stream_log(const LogRoom& room, LogQuery query, const LogBook::Run& run, const std::shared_ptr<Exchange>& exchange,
                HttpReply head) {
  const auto stream = std::make_shared<LogStream>(room, std::move(query), run, exchange);
  room.streams.keep(stream);
  stream->start(std::move(head));
}

}  // namespace drover::sim
