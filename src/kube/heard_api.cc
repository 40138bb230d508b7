#include "kube/heard_api.h"

#include <algorithm>
#include <set>
#include <utility>

namespace drover::kube {
namespace {

using base::Instant;
using Kind = Fault::Kind;

constexpr base::Span kPatience = std::chrono::seconds(10);

// These say nothing of the server, or that it cannot serve.
bool is_silence(Kind kind) {
  return kind == Kind::Unreachable || kind == Kind::Unknown || kind == Kind::Failed || kind == Kind::Throttled;
}

}  // namespace

struct HeardApi::Body {
  base::Loop& loop;
  base::Span proven = {};
  Instant heard_at;
  bool has_failed = false;      // a request, since then
  std::multiset<Instant> open;  // when each request was sent that has no answer yet

  explicit Body(base::Loop& loop) : loop(loop), heard_at(loop.now()) {}

  bool is_away(Instant now) const {
    return has_failed || (!open.empty() && now - std::max(*open.begin(), heard_at) > kPatience);
  }
  void hear() {
    const Instant now = loop.now();
    if (!is_away(now)) proven += now - heard_at;
    heard_at = now;
    has_failed = false;
  }
  void hear(const Fault& fault) { is_silence(fault.kind) ? void(has_failed = true) : hear(); }

  // One request on its way, until its answer comes or is not wanted any more.
  class Sent {
   public:
    explicit Sent(std::shared_ptr<Body> body) : body_(std::move(body)), at_(body_->open.insert(body_->loop.now())) {}
    ~Sent() { end(); }
    Sent(const Sent&) = delete;
    Sent& operator=(const Sent&) = delete;
    void end() {
      if (std::exchange(is_open_, false)) body_->open.erase(at_);
    }

   private:
    std::shared_ptr<Body> body_;
    std::multiset<Instant>::iterator at_;
    bool is_open_ = true;
  };

  class Ticket final : public Call::Ticket {
   public:
    Ticket(Call inner, std::shared_ptr<Sent> sent) : inner_(std::move(inner)), sent_(std::move(sent)) {}
    ~Ticket() override { inner_.let_go(); }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    void cancel() override {
      sent_->end();
      inner_.cancel();
    }

   private:
    Call inner_;
    std::shared_ptr<Sent> sent_;
  };
};

HeardApi::HeardApi(Api& api, base::Loop& loop) : api_(api), body_(std::make_shared<Body>(loop)) {}
HeardApi::~HeardApi() = default;

// A callback may give its own Call up, and is destroyed with it: what it needs to the end is shared out of it for so
// long.
Call HeardApi::call(Request request, Answer answer) {
  auto sent = std::make_shared<Body::Sent>(body_);
  const auto then = std::make_shared<Answer>(std::move(answer));
  Call inner = api_.call(std::move(request), [body = body_, sent, then](Result<Object> outcome) {
    outcome ? body->hear() : body->hear(outcome.error());
    sent->end();
    (*std::shared_ptr<Answer>(then))(std::move(outcome));
  });
  return Call(std::make_shared<Body::Ticket>(std::move(inner), std::move(sent)));
}

Call HeardApi::list(ListRequest request, ListSink sink) {
  auto sent = std::make_shared<Body::Sent>(body_);
  const auto then = std::make_shared<ListSink>(std::move(sink));
  ListSink heard;
  heard.item = [body = body_, then](Object object) {
    body->hear();
    std::shared_ptr<ListSink>(then)->item(std::move(object));
  };
  heard.done = [body = body_, sent, then](Result<ListEnd> end) {
    end ? body->hear() : body->hear(end.error());
    sent->end();
    std::shared_ptr<ListSink>(then)->done(std::move(end));
  };
  Call inner = api_.list(std::move(request), std::move(heard));
  return Call(std::make_shared<Body::Ticket>(std::move(inner), std::move(sent)));
}

// A watch may be silent for long: only what it says counts.
Call HeardApi::watch(WatchRequest request, WatchSink sink) {
  const auto then = std::make_shared<WatchSink>(std::move(sink));
  WatchSink heard;
  heard.event = [body = body_, then](WatchEvent news) {
    body->hear();
    std::shared_ptr<WatchSink>(then)->event(std::move(news));
  };
  heard.ended = [body = body_, then](std::optional<Fault> fault) {
    fault ? body->hear(*fault) : body->hear();
    std::shared_ptr<WatchSink>(then)->ended(std::move(fault));
  };
  return api_.watch(std::move(request), std::move(heard));
}

HeardTime HeardApi::heard() const {
  const Instant now = body_->loop.now();
  return {.proven = body_->proven, .unproven = body_->is_away(now) ? base::Span{} : now - body_->heard_at};
}

}  // namespace drover::kube
