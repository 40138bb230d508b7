#include "sim/door/watching.h"

#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <optional>

#include "sim/door/options.h"
#include "sim/server/rejections.h"

namespace drover::sim::door {
namespace {

using Kind = kube::WatchEvent::Kind;

constexpr std::size_t kMostUnsent = 1024 * 1024;  // bytes; beyond them the reader is waited for
constexpr std::size_t kPatientUpTo = 1000;        // events waiting behind those
constexpr std::size_t kMostWaiting = 200'000;     // whatever the reader does
constexpr base::Span kPatience = std::chrono::seconds(5);
constexpr base::Span kBookmarkEvery = std::chrono::seconds(60);
constexpr std::size_t kPiece = 128 * 1024;       // bytes written before the loop runs other callbacks
constexpr std::int64_t kShortestDefault = 1800;  // seconds, when the client names no timeout

class Watching final : public Stream {
 public:
  Watching(DoorContext& context, const Visit& visit, Showing showing)
      : context_(context),
        exchange_(visit.exchange),
        showing_(std::move(showing)),
        timeout_(std::chrono::seconds(kShortestDefault +
                                      static_cast<std::int64_t>(context.random.below(kShortestDefault)))) {}
  ~Watching() override { stop_watching(); }

  // Objects that exist already are told as added; nothing of a fault is sent.
  Answer<void> prepare(const kube::Range& range, const ListOptions& options) {
    if (options.timeout_seconds && *options.timeout_seconds > 0) {
      timeout_ = std::chrono::seconds(std::min<std::int64_t>(*options.timeout_seconds, 365 * 86400));
    }
    bookmarks_ = options.allows_bookmarks;
    TRY(std::uint64_t since, version_from(options.resource_version));
    const bool initial = options.sends_initial_events.value_or(since == 0);
    if (initial) {
      TRY(ListPage page, context_.server.list(range, 0, {}, {}));
      (void)std::from_chars(page.resource_version.data(), page.resource_version.data() + page.resource_version.size(),
                            since);
      for (Kept& object : page.items) waiting_.push_back({Kind::Added, std::move(object)});
      if (options.sends_initial_events && bookmarks_) waiting_.push_back({Kind::Bookmark, {}, since, true});
    } else if (since == 0) {
      since = context_.server.store().version();
    }
    initial_left_ = waiting_.size();
    TRY(watch_, context_.server.watch(
                    range, since, [this](Kind kind, const Kept& object) { hear(kind, object); },
                    [this] {
                      kind_is_gone_ = true;
                      wake();
                    }));
    return {};
  }

  void start(HttpReply head, const std::optional<Rejection>& broken) {
    head.headers.push_back({"Cache-Control", "no-cache, private"});
    exchange_->begin(std::move(head));
    if (broken) {
      exchange_->send(fmt::format("{{\"type\":\"ERROR\",\"object\":{}}}\n", json::text_of(broken->status())));
      return finish();
    }
    exchange_->on_gone([weak = weak_from_this(), &streams = context_.streams] {
      if (const auto self = weak.lock()) streams.drop(self.get());
    });
    taken_at_ = context_.loop.now();
    end_timer_ = context_.loop.after(timeout_, [this] { finish(); });
    if (bookmarks_) bookmark_later();
    more();
  }

 private:
  struct Waiting {
    Kind kind;
    Kept object;
    std::uint64_t version = 0;  // of a bookmark
    bool ends_initial_events = false;
  };

  static Answer<std::uint64_t> version_from(const std::string& text) {
    std::uint64_t version = 0;
    if (text.empty()) return version;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
    if (error != std::errc() || end != text.data() + text.size()) {
      return Refusal(
          Rejection{500,
                    "",
                    fmt::format("resourceVersion: Invalid value: {}: strconv.ParseUint: parsing {}: invalid syntax",
                                quoted(text), quoted(text)),
                    {}});
    }
    return version;
  }

  // Inside of a commit: only noted here, told later.
  void hear(Kind kind, const Kept& object) {
    waiting_.push_back({kind, object});
    const std::size_t behind = waiting_.size() - std::min(waiting_.size(), initial_left_);
    const bool takes_nothing = is_waiting_for_reader_ && context_.loop.now() - taken_at_ > kPatience;
    if (behind > kMostWaiting || (behind > kPatientUpTo && takes_nothing)) gives_up_ = true;
    wake();
  }

  void wake() {
    if (is_awake_ || (is_waiting_for_reader_ && !gives_up_)) return;
    is_awake_ = true;
    context_.loop.post([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      auto& watching = static_cast<Watching&>(*self);
      watching.is_awake_ = false;
      watching.more();
    });
  }

  void more() {
    if (gives_up_) {
      exchange_->hang_up();
      return context_.streams.drop(this);
    }
    std::string piece;
    while (!waiting_.empty() && piece.size() < kPiece) {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      if (initial_left_ > 0) --initial_left_;
      piece += next.kind == Kind::Bookmark ? showing_.bookmark(next.version, next.ends_initial_events)
                                           : showing_.event(next.kind, *next.object.open());
    }
    if (!piece.empty()) exchange_->send(std::move(piece));
    if (exchange_->unsent() > kMostUnsent) return wait_for_reader();
    taken_at_ = context_.loop.now();
    if (!waiting_.empty()) return wake();
    if (kind_is_gone_) finish();
  }

  void wait_for_reader() {
    is_waiting_for_reader_ = true;
    exchange_->on_drained([weak = weak_from_this()] {
      const auto self = weak.lock();
      if (!self) return;
      auto& watching = static_cast<Watching&>(*self);
      watching.is_waiting_for_reader_ = false;
      watching.taken_at_ = watching.context_.loop.now();
      watching.wake();
    });
  }

  void bookmark_later() {
    bookmark_timer_ = context_.loop.after(kBookmarkEvery, [this] {
      if (waiting_.empty()) {
        waiting_.push_back({Kind::Bookmark, {}, context_.server.store().version()});
        wake();
      }
      bookmark_later();
    });
  }

  void finish() {
    const auto self = shared_from_this();
    stop_watching();
    exchange_->end();
    context_.streams.drop(this);
  }

  void stop_watching() {
    if (watch_) context_.server.unwatch(*watch_);
    watch_.reset();
  }

  DoorContext& context_;
  std::shared_ptr<Exchange> exchange_;
  Showing showing_;
  base::Span timeout_;
  bool bookmarks_ = false;
  std::optional<int> watch_;
  std::deque<Waiting> waiting_;
  std::size_t initial_left_ = 0;
  bool is_awake_ = false;
  bool is_waiting_for_reader_ = false;
  bool gives_up_ = false;
  bool kind_is_gone_ = false;
  base::Instant taken_at_{};
  base::Timer end_timer_;
  base::Timer bookmark_timer_;
};

}  // namespace

void answer_watch(DoorContext& context, const Visit& visit, const kube::Resource& resource) {
  auto showing = Showing::make(context, visit, resource, Quantity::Many);
  if (!showing) return visit.say(showing.error());
  const auto options = read_list_options(visit.wanted, true);
  if (!options) return visit.say(options.error());
  kube::Range range{resource, visit.wanted.ns, std::string(visit.wanted.query.text("labelSelector")),
                    std::string(visit.wanted.query.text("fieldSelector"))};
  if (visit.wanted.is_legacy_watch && !visit.wanted.name.empty()) {
    if (resource.scope == kube::Scope::Cluster) range.ns.clear();
    range.fields = "metadata.name=" + visit.wanted.name + (range.fields.empty() ? "" : "," + range.fields);
  }
  const auto watching = std::make_shared<Watching>(context, visit, std::move(*showing));
  const auto prepared = watching->prepare(range, *options);
  // A version that is too old is told inside of the watch, as an event: that is where clients look for it.
  if (!prepared && prepared.error().code != 410) return visit.say(prepared.error());
  context.streams.keep(watching);
  watching->start(visit.warned({}), prepared ? std::nullopt : std::optional<Rejection>(prepared.error()));
}

}  // namespace drover::sim::door
