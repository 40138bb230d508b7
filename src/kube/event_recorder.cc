// From `record` to the server, with a limit at every step.
//
// At rest: a Series is one Event object at the server and how often it was recorded; a Subject is one object that
// events are about. Both are kept in bounded memory, the longest unused go first. A Series is Settled (the server knows
// all of it), Due (a repeat waits, so that many become one patch), Queued, or InFlight. One write per subject is in
// flight, so order needs no other care.
#include "kube/event_recorder.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "kube/token_bucket.h"

namespace drover::kube {
namespace {

using base::Instant;
using base::Span;
using base::WallTime;
using Kind = Fault::Kind;

constexpr Span kSameFor = std::chrono::minutes(10);            // a repeat after this is a new event
constexpr Span kRepeatEvery = std::chrono::seconds(10);        // at most one patch of a series in this time
constexpr double kSubjectRate = 0.2, kSubjectBurst = 25;       // writes about one object
constexpr double kRecorderRate = 10, kRecorderBurst = 100;     // writes of the whole recorder
constexpr Span kClocksDiffer = std::chrono::milliseconds(20);  // a second of the one is not quite one of the other
constexpr std::size_t kQueueMost = 1000;
constexpr int kInFlightMost = 4;
constexpr int kTriesMost = 6;
constexpr Span kLongestEventWait = std::chrono::minutes(10);
constexpr std::size_t kMessageMost = 1024, kReasonMost = 128, kNameMost = 253;

// At most so many bytes, the mark of a cut included.
std::string cut(std::string_view text, std::size_t most) {
  return text.size() <= most ? base::one_line(text, most) : base::one_line(text, most - std::string_view("…").size());
}

// The most recently used few of many.
template <class T>
class Recent {
 public:
  explicit Recent(std::size_t most) : most_(most) {}

  std::shared_ptr<T> find(std::string_view key) {
    auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    order_.splice(order_.begin(), order_, at->second);
    return at->second->second;
  }
  void put(std::string key, std::shared_ptr<T> value) {
    erase(key);
    order_.emplace_front(std::move(key), std::move(value));
    index_.emplace(order_.front().first, order_.begin());
    if (order_.size() > most_) erase(std::string(order_.back().first));
  }
  void erase(std::string_view key) {
    auto at = index_.find(key);
    if (at == index_.end()) return;
    const auto entry = at->second;
    index_.erase(at);
    order_.erase(entry);
  }

 private:
  using Order = std::list<std::pair<std::string, std::shared_ptr<T>>>;
  std::size_t most_;
  Order order_;
  std::unordered_map<std::string_view, typename Order::iterator> index_;
};

struct Subject {
  TokenBucket bucket;
  bool has_write_in_flight = false;
  Instant not_before = {};  // the next new Event about it
};

struct Series {
  enum class State { Settled, Due, Queued, InFlight };
  Event event;
  std::string key;
  std::shared_ptr<Subject> subject;
  State state = State::Settled;
  std::string name;     // of the Event object
  bool exists = false;  // the server has it
  std::int64_t count = 1;
  std::int64_t told = 0;  // the count that the server knows
  WallTime first_at, last_at;
  Instant recorded_at, told_at;
  int tries = 0;
};
using SeriesPtr = std::shared_ptr<Series>;

std::string subject_key(const Event& event) {
  return fmt::format("{}\n{}\n{}\n{}", event.resource.qualified(), event.ns, event.name, event.uid);
}
std::string series_key(const Event& event) {
  return fmt::format("{}\n{}\n{}\n{}", subject_key(event), static_cast<int>(event.type), event.reason, event.message);
}
std::string namespace_for(const Event& event) { return event.ns.empty() ? "default" : event.ns; }

}  // namespace

struct EventRecorder::Body : std::enable_shared_from_this<Body> {
  Api& api;
  base::Loop& loop;
  base::Random random;
  const std::string component;
  const std::string instance;

  Recent<Subject> subjects;
  Recent<Series> known;
  std::multimap<Instant, SeriesPtr> due;
  std::deque<SeriesPtr> queue;
  TokenBucket bucket;
  Instant hold_until;  // trouble: nothing is sent before
  base::Backoff trouble{std::chrono::seconds(1), std::chrono::minutes(1)};
  int in_flight = 0;
  std::uint64_t last_id = 0;
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;
  base::Timer wake;

  const bool seconds_apart;

  Body(Api& api, base::Loop& loop, base::Random random, std::string component, std::string instance,
       std::size_t remembers, bool seconds_apart)
      : api(api),
        loop(loop),
        random(std::move(random)),
        component(std::move(component)),
        instance(std::move(instance)),
        subjects(remembers),
        known(remembers),
        bucket(kRecorderRate, kRecorderBurst, loop.now()),
        hold_until(loop.now()),
        seconds_apart(seconds_apart) {}

  void record(Event event) {
    event.message = cut(event.message, kMessageMost);
    event.reason = cut(event.reason, kReasonMost);
    if (event.resource.scope == Scope::Cluster) event.ns.clear();
    const std::string key = series_key(event);
    const Instant now = loop.now();
    if (auto series = known.find(key); series && now - series->recorded_at <= kSameFor) {
      repeat(series);
    } else if (auto subject = subject_of(event, now); queue.size() >= kQueueMost || !subject->bucket.take(now)) {
      ++dropped;
      return;
    } else {
      begin(std::move(event), key, std::move(subject));
    }
    pump();
  }

  void begin(Event event, const std::string& key, std::shared_ptr<Subject> subject) {
    auto series = std::make_shared<Series>();
    series->event = std::move(event);
    series->key = key;
    series->subject = std::move(subject);
    series->name = new_name(series->event.name);
    series->first_at = series->last_at = loop.wall();
    series->recorded_at = loop.now();
    known.put(key, series);
    enqueue(series);
  }

  void repeat(const SeriesPtr& series) {
    ++series->count;
    series->last_at = loop.wall();
    series->recorded_at = loop.now();
    if (series->state == Series::State::Settled) tell_later(series, series->told_at + kRepeatEvery);
  }

  // `now` is read once a record: a bucket that begins after the moment it is asked about gives nothing.
  std::shared_ptr<Subject> subject_of(const Event& event, Instant now) {
    const std::string key = subject_key(event);
    auto subject = subjects.find(key);
    if (!subject) {
      subject = std::make_shared<Subject>(TokenBucket(kSubjectRate, kSubjectBurst, now));
      subjects.put(key, subject);
    }
    return subject;
  }

  void tell_later(const SeriesPtr& series, Instant at) {
    series->state = Series::State::Due;
    due.emplace(at, series);
  }
  void enqueue(const SeriesPtr& series) {
    series->state = Series::State::Queued;
    queue.push_back(series);
  }

  // Sends what may be sent now, and wakes up when more may.
  void pump() {
    const Instant now = loop.now();
    ripen(now);
    std::optional<Instant> next_at;
    if (!due.empty()) next_at = due.begin()->first;
    for (auto at = queue.begin(); at != queue.end() && in_flight < kInFlightMost;) {
      if ((*at)->subject->has_write_in_flight) {
        ++at;
        continue;
      }
      if (const Instant open_at = (*at)->subject->not_before; now < open_at) {
        next_at = next_at ? std::min(*next_at, open_at) : open_at;
        ++at;
        continue;
      }
      if (now < hold_until || !bucket.take(now)) {
        const Instant open_at = std::max(hold_until, bucket.next_at(now));
        next_at = next_at ? std::min(*next_at, open_at) : open_at;
        break;
      }
      const SeriesPtr series = *at;
      at = queue.erase(at);
      send(series);
    }
    if (!next_at) return wake.cancel();
    wake = loop.after(*next_at - now, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->pump();
    });
  }

  // Repeats whose time has come join the queue, or wait for their subject's next token.
  void ripen(Instant now) {
    while (!due.empty() && due.begin()->first <= now) {
      const SeriesPtr series = due.begin()->second;
      due.erase(due.begin());
      if (queue.size() >= kQueueMost) {
        tell_later(series, now + kRepeatEvery);
      } else if (!series->subject->bucket.take(now)) {
        tell_later(series, series->subject->bucket.next_at(now));
      } else {
        enqueue(series);
      }
    }
  }

  void send(const SeriesPtr& series) {
    ++in_flight;
    if (seconds_apart) stamp(*series);
    series->state = Series::State::InFlight;
    series->subject->has_write_in_flight = true;
    api.call(series->exists ? repeated(*series) : made(*series),
             [weak = weak_from_this(), series, count = series->count](Result<Object> answer) {
               if (auto self = weak.lock()) self->answered(series, count, answer ? nullptr : &answer.error());
             })
        .let_go();
  }

  // Now, in a second that no other Event about the same object has.
  void stamp(Series& series) {
    const WallTime wall = loop.wall();
    series.last_at = wall;
    if (!series.exists && series.count == 1) series.first_at = wall;
    const auto second = std::chrono::floor<std::chrono::seconds>(wall);
    series.subject->not_before = loop.now() + std::chrono::seconds(1) + kClocksDiffer - (wall - second);
  }

  void answered(const SeriesPtr& series, std::int64_t count, const Fault* fault) {
    --in_flight;
    series->subject->has_write_in_flight = false;
    // Made by a write of ours whose answer was lost: the name is ours alone.
    const bool is_there = fault && fault->kind == Kind::AlreadyExists && !series->exists;
    if (!fault || is_there) {
      accepted(series, count);
    } else if (fault->kind == Kind::NotFound && series->exists) {
      make_anew(series);
    } else if (may_be_tried_again(fault->kind) && ++series->tries < kTriesMost) {
      hold_back(*fault);
      series->state = Series::State::Queued;
      queue.push_front(series);
    } else {
      give_up(series);
    }
    pump();
  }

  void accepted(const SeriesPtr& series, std::int64_t count) {
    ++sent;
    trouble.reset();
    series->exists = true;
    series->told = count;
    series->told_at = loop.now();
    series->tries = 0;
    series->state = Series::State::Settled;
    if (series->count > series->told) tell_later(series, series->told_at + kRepeatEvery);
  }

  // The server forgets Events after an hour; what was not told yet begins a new one.
  void make_anew(const SeriesPtr& series) {
    series->exists = false;
    series->name = new_name(series->event.name);
    series->count = std::max<std::int64_t>(series->count - series->told, 1);
    series->told = 0;
    series->first_at = series->last_at;
    series->state = Series::State::Queued;
    queue.push_front(series);
  }

  void give_up(const SeriesPtr& series) {
    dropped += static_cast<std::uint64_t>(series->count - series->told);
    series->state = Series::State::Settled;
    if (known.find(series->key) == series) known.erase(series->key);
  }

  // A create has a name of its own and a patch says the whole count, so saying it twice does no harm.
  static bool may_be_tried_again(Kind kind) {
    return kind == Kind::Throttled || kind == Kind::Unreachable || kind == Kind::Unknown || kind == Kind::Failed ||
           kind == Kind::Conflict;
  }
  void hold_back(const Fault& fault) {
    // Several writes that fail together are one trouble.
    Span span = loop.now() < hold_until ? Span::zero() : trouble.next(random);
    if (fault.retry_after) span = std::max(span, std::min<Span>(*fault.retry_after, kLongestEventWait));
    hold_until = std::max(hold_until, loop.now() + span);
  }

  Request made(const Series& series) const {
    const Event& event = series.event;
    json::Members about = {
        {"apiVersion", event.resource.api_version()}, {"kind", event.resource.kind}, {"name", event.name}};
    if (!event.ns.empty()) about["namespace"] = event.ns;
    if (!event.uid.empty()) about["uid"] = event.uid;
    return create(kEvents, namespace_for(event),
                  {{"metadata", {{"name", series.name}, {"namespace", namespace_for(event)}}},
                   {"involvedObject", std::move(about)},
                   {"reason", event.reason},
                   {"message", event.message},
                   {"type", event.type == Event::Type::Warning ? "Warning" : "Normal"},
                   {"source", {{"component", component}, {"host", instance}}},
                   {"reportingComponent", component},
                   {"reportingInstance", instance},
                   {"firstTimestamp", base::rfc3339(series.first_at)},
                   {"lastTimestamp", base::rfc3339(series.last_at)},
                   {"count", series.count}});
  }

  static Request repeated(const Series& series) {
    return patch(
        kEvents, namespace_for(series.event), series.name, PatchKind::Merge,
        {{"count", series.count}, {"lastTimestamp", base::rfc3339(series.last_at)}, {"message", series.event.message}});
  }

  // "gpu-7.18a2f…": grows with time, so that no restart meets an old name, and is never given twice.
  std::string new_name(std::string_view object) {
    const auto micros = static_cast<std::uint64_t>(loop.wall().time_since_epoch().count());
    last_id = std::max(last_id + 1, (micros << 10U) + random.below(1024));
    std::string tail = fmt::format(".{:x}", last_id);
    object = object.substr(0, kNameMost - tail.size());
    while (!object.empty() && (object.back() == '.' || object.back() == '-')) object.remove_suffix(1);
    return std::string(object) + tail;
  }
};

EventRecorder::EventRecorder(Api& api, base::Loop& loop, base::Random random, std::string component,
                             std::string instance, std::size_t remembers, bool seconds_apart)
    : body_(std::make_shared<Body>(api, loop, std::move(random), std::move(component), std::move(instance), remembers,
                                   seconds_apart)) {}
EventRecorder::~EventRecorder() = default;

void EventRecorder::record(const Event& event) { body_->record(event); }
std::uint64_t EventRecorder::sent() const { return body_->sent; }
std::uint64_t EventRecorder::dropped() const { return body_->dropped; }

}  // namespace drover::kube
