// A line of waiting requests and a bucket of permissions to leave it.
//
// The rate learns as TCP does: it grows by the same small amount for every second of good traffic, shrinks by a factor,
// and shrinks once per round of requests: answers to what was sent before the last shrinking tell nothing new.
#include "kube/paced_api.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "kube/token_bucket.h"

namespace drover::kube {
namespace {

using base::Instant;
using base::Span;
using Kind = Fault::Kind;

constexpr double kWhenThrottled = 0.5;
constexpr double kWhenBroken = 0.9;
// Good traffic takes the rate from nothing to the ceiling in this time.
constexpr double kSecondsToCeiling = 60;
// No server's request holds us longer.
constexpr Span kLongestPause = std::chrono::minutes(10);

}  // namespace

struct PacedApi::Body : std::enable_shared_from_this<Body> {
  // A request in line, and later under way. As a ticket it lives as long as the answer is wanted.
  struct Place final : Call::Ticket {
    std::weak_ptr<Body> body;
    std::uint64_t number = 0;
    std::function<Call()> go;  // empty when it has gone
    Call under_way;

    void cancel() override {
      under_way.cancel();
      if (auto line = body.lock()) line->leave(number);
    }
    // Not cancelled but forgotten: the answer is still wanted.
    ~Place() override { under_way.let_go(); }
  };

  Api& api;
  base::Loop& loop;
  base::Random random;
  const Pace pace;
  TokenBucket bucket;
  std::optional<Instant> slowed_at;
  std::map<std::uint64_t, std::shared_ptr<Place>> line;  // first come, first out
  std::uint64_t next_number = 0;
  base::Timer turn;

  Body(Api& api, base::Loop& loop, base::Random random, Pace desired)
      : api(api),
        loop(loop),
        random(std::move(random)),
        pace(sane(desired)),
        bucket(pace.ceiling, pace.burst, loop.now()) {}

  static Pace sane(Pace pace) {
    pace.floor = std::max(pace.floor, 0.01);
    pace.ceiling = std::max(pace.ceiling, pace.floor);
    pace.burst = std::max(pace.burst, 1);
    return pace;
  }

  Call enter(std::function<Call()> go) {
    auto place = std::make_shared<Place>();
    place->body = weak_from_this();
    place->number = next_number++;
    place->go = std::move(go);
    line.emplace(place->number, place);
    move_on();
    return Call(std::move(place));
  }

  void leave(std::uint64_t number) {
    if (line.erase(number) > 0 && line.empty()) turn.cancel();
  }

  void move_on() {
    while (!line.empty() && bucket.take(loop.now())) {
      auto place = std::move(line.begin()->second);
      line.erase(line.begin());
      place->under_way = std::exchange(place->go, nullptr)();
    }
    if (line.empty()) return;
    turn = loop.after(bucket.next_at(loop.now()) - loop.now(), [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->move_on();
    });
  }

  // What an outcome says about the server. No fault: it was content.
  void learn(Instant sent_at, const Fault* fault) {
    const bool is_throttled = fault && fault->kind == Kind::Throttled;
    if (is_throttled && fault->retry_after) hold_back(*fault->retry_after);
    if (slowed_at && sent_at <= *slowed_at) return;
    if (is_throttled) return slow_down(kWhenThrottled);
    if (fault && fault->kind == Kind::Failed) return slow_down(kWhenBroken);
    // Whether the server took these is not known.
    if (fault && (fault->kind == Kind::Unreachable || fault->kind == Kind::Unknown)) return;
    const double rate = bucket.rate();
    bucket.set_rate(std::min(pace.ceiling, rate + pace.ceiling / kSecondsToCeiling / rate), loop.now());
  }

  void slow_down(double factor) {
    slowed_at = loop.now();
    bucket.set_rate(std::max(pace.floor, bucket.rate() * factor), loop.now());
    // A saved-up burst would make the lower rate a promise for later.
    if (factor <= kWhenThrottled) bucket.pause(loop.now());
    if (!line.empty()) move_on();
  }

  void hold_back(Span desired) {
    desired = std::clamp(desired, Span::zero(), kLongestPause);
    // Jitter upwards only: other clients heard the same request, and none may come early.
    bucket.pause(loop.now() + desired + random.jitter(desired / 20, 1.0));
    if (!line.empty()) move_on();
  }
};

PacedApi::PacedApi(Api& api, base::Loop& loop, base::Random random, Pace pace)
    : body_(std::make_shared<Body>(api, loop, std::move(random), pace)) {}
PacedApi::~PacedApi() = default;

Call PacedApi::call(Request request, Answer answer) {
  if (request.lane == Lane::Lease) return body_->api.call(std::move(request), std::move(answer));
  return body_->enter([body = body_.get(), request = std::move(request), answer = std::move(answer)]() mutable {
    return body->api.call(std::move(request), [weak = body->weak_from_this(), sent_at = body->loop.now(),
                                               answer = std::move(answer)](Result<Object> outcome) mutable {
      if (auto self = weak.lock()) self->learn(sent_at, outcome ? nullptr : &outcome.error());
      // The answer may give up the Call, and with it this very function.
      auto then = std::move(answer);
      then(std::move(outcome));
    });
  });
}

Call PacedApi::list(ListRequest request, ListSink sink) {
  return body_->enter([body = body_.get(), request = std::move(request), sink = std::move(sink)]() mutable {
    ListSink judged = std::move(sink);
    judged.done = [weak = body->weak_from_this(), sent_at = body->loop.now(),
                   done = std::move(judged.done)](Result<ListEnd> end) mutable {
      if (auto self = weak.lock()) self->learn(sent_at, end ? nullptr : &end.error());
      auto then = std::move(done);
      then(std::move(end));
    };
    return body->api.list(std::move(request), std::move(judged));
  });
}

Call PacedApi::watch(WatchRequest request, WatchSink sink) {
  return body_->enter([body = body_.get(), request = std::move(request), sink = std::move(sink)]() mutable {
    WatchSink judged = std::move(sink);
    judged.ended = [weak = body->weak_from_this(), sent_at = body->loop.now(),
                    ended = std::move(judged.ended)](std::optional<Fault> fault) mutable {
      // An ordinary end says nothing of the server now: it answered the request minutes ago.
      if (auto self = weak.lock(); self && fault) self->learn(sent_at, &*fault);
      auto then = std::move(ended);
      then(std::move(fault));
    };
    return body->api.watch(std::move(request), std::move(judged));
  });
}

double PacedApi::rate() const { return body_->bucket.rate(); }
std::size_t PacedApi::waiting() const { return body_->line.size(); }

}  // namespace drover::kube
