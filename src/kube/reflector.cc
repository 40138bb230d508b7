// List and watch as a machine of four states and one step.
//
//   Idle -> Listing -> Watching -> Watching ...      the quiet life
//              |  ^        |  |
//              v  |        v  +--> Listing            410, or it is time for a fresh list
//            Waiting <-----+                          trouble: wait, then list or watch again
//
// Each state owns its call and its timers, so leaving a state ends them. A relist, when nothing allows it to go back in
// time, is held back until its version is known; the first list and the one after 410 stream straight through, because
// holding a whole list is what small memory forbids.
#include "kube/reflector.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "base/text.h"
#include "kube/version_order.h"

namespace drover::kube {
namespace {

using base::Instant;
using base::Span;
using base::Timer;
using Kind = Fault::Kind;

// A watch that lived this long was a good one, even if nothing happened.
constexpr Span kSteady = std::chrono::seconds(10);
// So many watches in a row that told nothing new: perhaps the server has forgotten our version and does not say so.
constexpr int kFruitlessMost = 5;
// So many lists in a row that are older than what we saw: the server's history was set back.
constexpr int kStaleMost = 10;
// No server's request makes us wait longer.
constexpr Span kLongestWish = std::chrono::minutes(10);

// How a list is asked for and read.
struct ListPlan {
  bool may_go_back = false;  // its version may be older than what was seen
  bool in_one_page = false;  // its pages went stale faster than we read them
  int stale_tries = 0;
};

// The states.
struct Idle {};
struct Listing {
  ListPlan plan;
  Instant heard_at;
  bool hold_back = false;  // tell nothing before the whole list has passed
  bool sweep_began = false;
  std::vector<Object> held = {};
  Call call = {};
  Timer patience = {};
};
struct Watching {
  Instant since;
  Instant heard_at;
  bool has_spoken = false;
  bool told_something_new = false;  // the version moved
  Call call = {};
  Timer patience = {};
};
struct Waiting {
  std::optional<ListPlan> list;  // nothing: watch again
  Timer timer = {};
};
using State = std::variant<Idle, Listing, Watching, Waiting>;

// What can happen.
struct Started {};
struct Item {
  Object object;
};
struct ListDone {
  Result<ListEnd> end;
};
struct News {
  WatchEvent event;
};
struct WatchEnded {
  std::optional<Fault> fault;
};
struct PatienceOver {};
struct WaitOver {};
struct RelistDue {};
using Input = std::variant<Started, Item, ListDone, News, WatchEnded, PatienceOver, WaitOver, RelistDue>;

}  // namespace

struct Reflector::Body : std::enable_shared_from_this<Body> {
  Api& api;
  base::Loop& loop;
  base::Random random;
  const Range range;
  const Projection projection;
  const Listener listener;
  const ReflectorTuning tuning;

  State state = Idle{};
  bool closed = false;  // the Reflector is gone: call nothing back
  bool synced = false;
  std::string version;  // where the next watch begins
  std::string newest;   // of all that was told; ahead of `version` only after a list that broke half-way
  std::optional<Instant> heard_at;
  int fruitless = 0;  // watches in a row that told nothing new
  base::Backoff list_wait;
  base::Backoff watch_wait;
  Timer relist;

  Body(Api& api, base::Loop& loop, base::Random random, Range range, Projection projection, Listener listener,
       ReflectorTuning tuning)
      : api(api),
        loop(loop),
        random(std::move(random)),
        range(std::move(range)),
        projection(std::move(projection)),
        listener(std::move(listener)),
        tuning(tuning),
        list_wait(tuning.first_wait, tuning.most_wait),
        watch_wait(tuning.first_wait, tuning.most_wait) {}

  // The one step: where we are and what happened say what comes next. What does not fit is old news.
  void step(Input input) {
    if (closed) return;
    std::visit([this](auto& now, auto& what) { on(now, what); }, state, input);
  }
  template <class Now, class What>
  void on(Now&, What&) {}

  void on(Idle&, Started&) { list({}); }

  void on(Listing& now, Item& item) {
    now.heard_at = heard();
    if (now.hold_back) {
      now.held.push_back(std::move(item.object));
      return;
    }
    if (!std::exchange(now.sweep_began, true)) listener.sweep_began();
    if (closed) return;
    if (const auto found = version_of(item.object); !is_older(found, newest)) newest = found;
    listener.put(item.object);
  }

  void on(Listing& now, ListDone& done) {
    if (!done.end) return list_failed(now.plan, done.end.error());
    heard();
    const std::string& found = done.end->resource_version;
    if (found.empty()) {
      return list_failed(now.plan, {Kind::Malformed, fmt::format("list of {}: the answer has no resourceVersion, so no "
                                                                 "watch can follow it; is this an API server?",
                                                                 range_text())});
    }
    if (!now.plan.may_go_back && is_older(found, newest)) return list_is_stale(now.plan, found);
    list_is_good(std::move(now), found);
  }

  void on(Listing& now, PatienceOver&) {
    if (still_patient(now)) return;
    list_failed(now.plan, {Kind::Unreachable, fmt::format("list of {}: nothing came for {}; asking again", range_text(),
                                                          base::human(tuning.silence))});
  }

  void on(Watching& now, News& news) {
    now.heard_at = heard();
    now.has_spoken = true;
    const std::string_view found = version_of(news.event.object);
    if (is_older(found, newest)) return;
    if (!found.empty() && found != version) {
      version = newest = found;
      now.told_something_new = true;
      fruitless = 0;
      watch_wait.reset();
    }
    switch (news.event.kind) {
      case WatchEvent::Kind::Bookmark: return;
      case WatchEvent::Kind::Deleted: return listener.drop(news.event.object);
      case WatchEvent::Kind::Added:
      case WatchEvent::Kind::Modified: return listener.put(news.event.object);
    }
  }

  void on(Watching& now, WatchEnded& end) {
    const bool was_steady = loop.now() - now.since >= kSteady;
    if (was_steady) watch_wait.reset();
    if (end.fault && end.fault->kind == Kind::Expired) return watch_expired(*end.fault);
    // Where nothing was reachable, nothing was learned either.
    const bool counts = !end.fault || end.fault->kind != Kind::Unreachable;
    if (!now.told_something_new && counts) ++fruitless;
    if (end.fault) return watch_again_after(*end.fault);
    if (now.told_something_new) return watch();
    if (was_steady && fruitless < kFruitlessMost) return watch();
    watch_again_after({Kind::Failed, fmt::format("watch of {}: the server ended it without a word ({} times in a row)",
                                                 range_text(), fruitless)});
  }

  void on(Watching& now, PatienceOver&) {
    if (still_patient(now)) return;
    if (!now.told_something_new) ++fruitless;
    fruitless >= kFruitlessMost ? list({}) : watch();
  }

  void on(Watching&, RelistDue&) { list({}); }
  void on(Waiting& now, RelistDue&) {
    if (!now.list) now.list = ListPlan{};
  }

  void on(Waiting& now, WaitOver&) {
    if (const auto plan = now.list) return list(*plan);
    watch();
  }

  // Beyond this point: the ways from state to state. Each ends by replacing `state`, so nothing of the old one may be
  // touched after it.

  void list(ListPlan plan) {
    auto& now = state.emplace<Listing>(Listing{.plan = plan, .heard_at = loop.now()});
    now.hold_back = !newest.empty() && !plan.may_go_back;
    ListRequest request;
    request.range = range;
    request.projection = projection;
    if (plan.in_one_page) request.page = 0;
    now.call = api.list(std::move(request),
                        {.item = on_arrival<Item, Object>(), .done = on_arrival<ListDone, Result<ListEnd>>()});
    now.patience = due<PatienceOver>(tuning.silence);
  }

  void watch() {
    auto& now = state.emplace<Watching>(Watching{.since = loop.now(), .heard_at = loop.now()});
    now.call =
        api.watch({.range = range,
                   .resource_version = version,
                   .timeout = random.jitter(tuning.watch_for, 0.2),
                   .projection = projection},
                  {.event = on_arrival<News, WatchEvent>(), .ended = on_arrival<WatchEnded, std::optional<Fault>>()});
    now.patience = due<PatienceOver>(tuning.silence);
  }

  void wait(Span span, std::optional<ListPlan> then_list) {
    auto& now = state.emplace<Waiting>(Waiting{.list = then_list});
    now.timer = due<WaitOver>(span);
  }

  void list_is_good(Listing now, const std::string& found) {
    if (!now.sweep_began) {
      listener.sweep_began();
      if (closed) return;
    }
    for (const Object& object : now.held) {
      listener.put(object);
      if (closed) return;
    }
    version = newest = found;
    synced = true;
    fruitless = 0;
    list_wait.reset();
    listener.sweep_ended();
    if (closed) return;
    if (tuning.relist_every) relist = due<RelistDue>(random.jitter(*tuning.relist_every, 0.1));
    watch();
  }

  void list_failed(ListPlan plan, const Fault& fault) {
    if (!told_trouble(fault)) return;
    if (fault.kind == Kind::Expired) plan = {.may_go_back = true, .in_one_page = true};
    wait(wait_after(fault, list_wait), plan);
  }

  void list_is_stale(ListPlan plan, const std::string& found) {
    ++plan.stale_tries;
    plan.may_go_back = plan.stale_tries >= kStaleMost;
    const Fault fault{
        Kind::Expired,
        fmt::format("list of {}: the server answered with version {}, but {} was already seen; {}", range_text(), found,
                    version,
                    plan.may_go_back ? "it insists (restored from a backup?), so the next list is believed"
                                     : "dropped, asking again")};
    if (told_trouble(fault)) wait(list_wait.next(random), plan);
  }

  void watch_expired(const Fault& fault) {
    if (!told_trouble(fault)) return;
    const bool first_time = watch_wait.tries() == 0;
    const Span span = wait_after(fault, watch_wait);
    const ListPlan plan{.may_go_back = true};
    first_time ? list(plan) : wait(span, plan);
  }

  void watch_again_after(const Fault& fault) {
    if (!told_trouble(fault)) return;
    // What goes with its definition and comes back with another one goes on from no version.
    const bool list_first = fruitless >= kFruitlessMost || fault.kind == Kind::NotFound;
    wait(wait_after(fault, watch_wait), list_first ? std::optional(ListPlan{}) : std::nullopt);
  }

  // Tells the listener; false when that was the end of us.
  bool told_trouble(const Fault& fault) {
    listener.trouble(fault);
    return !closed;
  }

  Span wait_after(const Fault& fault, base::Backoff& growing) {
    Span span = growing.next(random);
    // What we may not see will not be granted within seconds.
    if (fault.kind == Kind::Forbidden) span = random.jitter(tuning.most_wait, 0.2);
    if (fault.retry_after) span = std::max(span, std::min<Span>(*fault.retry_after, kLongestWish));
    return span;
  }

  Span patience_with(const Listing&) const { return tuning.silence; }
  Span patience_with(const Watching& now) const {
    return now.has_spoken ? tuning.silence : tuning.first_word + tuning.silence;
  }

  // A timer is not reset for each event; when it fires it looks how long the silence really was.
  template <class Now>
  bool still_patient(Now& now) {
    const Span left = now.heard_at + patience_with(now) - loop.now();
    if (left <= Span::zero()) return false;
    now.patience = due<PatienceOver>(left);
    return true;
  }

  Instant heard() { return heard_at.emplace(loop.now()); }

  std::string range_text() const {
    std::string text = range.resource.qualified();
    if (!range.ns.empty()) text += " in " + range.ns;
    if (!range.labels.empty()) text += " with labels " + range.labels;
    if (!range.fields.empty()) text += " with fields " + range.fields;
    return base::one_line(text);
  }

  // The callbacks. They hold the body only while they run: it may be destroyed by what they call.
  template <class What, class Arrived>
  std::function<void(Arrived)> on_arrival() {
    return [weak = weak_from_this()](Arrived arrived) {
      if (auto self = weak.lock()) self->step(What{std::move(arrived)});
    };
  }
  template <class What>
  Timer due(Span span) {
    return loop.after(span, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->step(What{});
    });
  }
};

Reflector::Reflector(Api& api, base::Loop& loop, base::Random random, Range range, Projection projection,
                     Listener listener, ReflectorTuning tuning)
    : body_(std::make_shared<Body>(api, loop, std::move(random), std::move(range), std::move(projection),
                                   std::move(listener), tuning)) {}

Reflector::~Reflector() {
  body_->closed = true;
  body_->relist.cancel();
  body_->state = Idle{};
}

void Reflector::start() { body_->step(Started{}); }
bool Reflector::is_synced() const { return body_->synced; }
const std::string& Reflector::resource_version() const { return body_->version; }
std::optional<base::Instant> Reflector::heard_at() const { return body_->heard_at; }

}  // namespace drover::kube
