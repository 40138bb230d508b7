// A Reflector and a Cache against a small server with every kind of bad luck, thousands of times.
//
// The server is a slow, plain model: a history of everything that ever happened. What the listener is told about one
// object must be a walk forwards through that object's history, and when the bad luck ends the cache must hold exactly
// what the server holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/cache.h"
#include "kube/reflector.h"
#include "kube/scripted_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using Kind = Fault::Kind;

class ModelServer final : public Api {
 public:
  ModelServer(base::VirtualLoop& loop, base::Random random) : loop_(loop), random_(random) {}

  bool lucky = false;  // nothing goes wrong any more
  struct Moment {
    std::uint64_t version;
    std::string name;
    bool exists;  // afterwards
  };
  std::vector<Moment> history;

  void change_something() {
    const std::string name(1, static_cast<char>('a' + random_.below(6)));
    const bool exists = world_at(version()).contains(name);
    history.push_back({version() + 1 + random_.below(3), name, !exists || random_.chance(0.6)});
    for (const auto& watch : watches_) {
      if (auto open = watch.lock()) catch_up(open);
    }
    if (!lucky && random_.chance(0.05)) forgotten_ = version() - random_.below(3);
  }

  std::uint64_t version() const { return history.empty() ? 1 : history.back().version; }
  // Name to version, as of a moment.
  std::map<std::string, std::uint64_t> world_at(std::uint64_t moment) const {
    std::map<std::string, std::uint64_t> world;
    for (const Moment& m : history) {
      if (m.version > moment) break;
      m.exists ? static_cast<void>(world[m.name] = m.version) : static_cast<void>(world.erase(m.name));
    }
    return world;
  }

  [[nodiscard]] Call call(Request, Answer) override { return {}; }

  [[nodiscard]] Call list(ListRequest, ListSink sink) override {
    auto open = std::make_shared<Open>();
    open->list = std::move(sink);
    say(open, [this, open] { answer_list(open); });
    return Call(open);
  }

  [[nodiscard]] Call watch(WatchRequest request, WatchSink sink) override {
    auto open = std::make_shared<Open>();
    open->watch = std::move(sink);
    open->next = std::stoull(request.resource_version);
    say(open, [this, open] {
      if (open->next < forgotten_ || bad_luck(0.05)) return expire(open);
      if (bad_luck(0.1)) return end(open, a_fault());
      if (bad_luck(0.1)) return end(open, std::nullopt);
      // A server that begins too early says again what is known.
      if (bad_luck(0.2)) open->next -= std::min<std::uint64_t>(open->next, random_.below(8));
      open->is_connected = true;
      watches_.push_back(open);
      catch_up(open);
    });
    tick(open);
    return Call(open);
  }

 private:
  struct Open final : Call::Ticket {
    ListSink list;
    WatchSink watch;
    bool over = false;
    bool is_connected = false;
    bool is_stuck = false;          // half-open: says nothing more, never ends
    std::uint64_t next = 0;         // watch: events after this one are still to be sent
    base::Instant said_until = {};  // what is said later arrives later
    void cancel() override { over = true; }
  };
  using OpenPtr = std::shared_ptr<Open>;

  bool bad_luck(double chance) { return !lucky && random_.chance(chance); }
  Fault a_fault() {
    constexpr Kind kKinds[] = {Kind::Unreachable, Kind::Failed, Kind::Throttled, Kind::Unknown, Kind::Malformed};
    Fault fault{kKinds[random_.below(5)], "bad luck"};
    if (fault.kind == Kind::Throttled) fault.retry_after = 1s;
    return fault;
  }
  void say(const OpenPtr& open, std::function<void()> what) {
    const base::Span delay = std::chrono::milliseconds(random_.below(lucky ? 20 : 400));
    open->said_until = std::max(open->said_until, loop_.now() + delay);
    loop_
        .after(open->said_until - loop_.now(),
               [open, what = std::move(what)] {
                 if (!open->over) what();
               })
        .let_go();
  }

  void answer_list(const OpenPtr& open) {
    std::uint64_t moment = version();
    // A replica that lags; but not right after it said 410, when its word counts.
    const bool lags = !said_expired_ && lags_in_a_row_ < 3 && !history.empty() && bad_luck(0.3);
    lags_in_a_row_ = lags ? lags_in_a_row_ + 1 : 0;
    if (lags) moment = history[random_.below(history.size())].version;
    const auto world = world_at(moment);
    const bool breaks = bad_luck(0.3);
    std::size_t items = breaks ? random_.below(world.size() + 1) : world.size();
    for (const auto& [name, item_version] : world) {
      if (items-- == 0) break;
      say(open, [open, item = pod(name, std::to_string(item_version))] { open->list.item(item); });
    }
    if (breaks) {
      say(open, [this, open] {
        open->over = true;
        Fault fault = a_fault();
        if (random_.chance(0.2)) {
          said_expired_ = true;
          fault.kind = Kind::Expired;
        }
        open->list.done(std::unexpected(fault));
      });
      return;
    }
    say(open, [this, open, moment] {
      open->over = true;
      said_expired_ = false;
      open->list.done(ListEnd{std::to_string(moment)});
    });
  }

  void catch_up(const OpenPtr& open) {
    if (!open->is_connected || open->is_stuck || open->over) return;
    for (const Moment& m : history) {
      if (m.version <= open->next) continue;
      open->next = m.version;
      const auto kind = m.exists ? WatchEvent::Kind::Modified : WatchEvent::Kind::Deleted;
      const int times = bad_luck(0.1) ? 2 : 1;
      for (int i = 0; i < times; ++i) send(open, kind, pod(m.name, std::to_string(m.version)));
      if (bad_luck(0.05)) return end(open, a_fault());
      if (bad_luck(0.05)) return end(open, std::nullopt);
      if (bad_luck(0.02)) return expire(open);
      if (bad_luck(0.02)) {
        open->is_stuck = true;
        return;
      }
    }
  }
  void send(const OpenPtr& open, WatchEvent::Kind kind, Object object) {
    say(open, [open, kind, object = std::move(object)] { open->watch.event({kind, object}); });
  }
  void end(const OpenPtr& open, std::optional<Fault> fault) {
    open->is_stuck = true;
    say(open, [open, fault = std::move(fault)] {
      open->over = true;
      open->watch.ended(fault);
    });
  }
  void expire(const OpenPtr& open) {
    said_expired_ = true;
    end(open, Fault{Kind::Expired, "too old"});
  }
  // A bookmark every ten seconds, sometimes twice.
  void tick(const OpenPtr& open) {
    loop_
        .after(10s,
               [this, weak = std::weak_ptr(open)] {
                 auto open = weak.lock();
                 if (!open || open->over) return;
                 for (int i = bad_luck(0.3) ? 2 : 1; open->is_connected && !open->is_stuck && i > 0; --i) {
                   send(open, WatchEvent::Kind::Bookmark, pod("", std::to_string(open->next)));
                 }
                 tick(open);
               })
        .let_go();
  }

  base::VirtualLoop& loop_;
  base::Random random_;
  std::vector<std::weak_ptr<Open>> watches_;
  std::uint64_t forgotten_ = 0;
  bool said_expired_ = false;
  int lags_in_a_row_ = 0;
};

struct WatchStory {
  base::VirtualLoop loop;
  ModelServer server;
  Cache<std::string> cache{[](const Object& object) { return std::string(version_of(object)); }};
  std::map<std::string, std::size_t> told_up_to;  // by name: where in the history we are
  std::string complaint;
  std::uint64_t tellings = 0;

  explicit WatchStory(std::uint64_t seed) : server(loop, base::Random(seed).fork("server")) {}

  // The moment told must not lie before the last one told of the same object, and must be true.
  void check(const Object& object, bool exists) {
    ++tellings;
    const std::string name(name_of(object));
    const std::uint64_t moment = std::stoull(std::string(version_of(object)));
    for (std::size_t i = told_up_to[name]; i < server.history.size(); ++i) {
      const auto& m = server.history[i];
      if (m.name != name || m.version != moment) continue;
      if (m.exists != exists) break;
      told_up_to[name] = i;
      return;
    }
    complaint += name + "@" + std::to_string(moment) + (exists ? " put" : " drop") + " is out of order or never was; ";
  }

  Listener checked() {
    Listener inner = feed(cache, nullptr);
    return {.sweep_began = inner.sweep_began,
            .put =
                [this, inner](const Object& object) {
                  check(object, true);
                  inner.put(object);
                },
            .drop =
                [this, inner](const Object& object) {
                  check(object, false);
                  inner.drop(object);
                },
            .sweep_ended = inner.sweep_ended};
  }

  void live(std::uint64_t seed) {
    base::Random random(seed);
    ReflectorTuning tuning;
    tuning.silence = 25s;
    // Without it, nothing but the promises themselves can heal.
    tuning.relist_every = seed % 2 == 0 ? std::optional<base::Span>(40s) : std::nullopt;
    Reflector reflector(server, loop, random.fork("reflector"), Range{kPods, "ns", "", ""}, {}, checked(), tuning);
    reflector.start();
    for (int i = 0; i < 60; ++i) {
      loop.run_for(std::chrono::milliseconds(random.chance(0.1) ? random.below(20000) : random.below(500)));
      server.change_something();
    }
    server.lucky = true;
    loop.run_for(100s);
    std::map<std::string, std::string> held, truth;
    cache.each([&](const std::string& key, const std::string& version) { held[key] = version; });
    for (const auto& [name, version] : server.world_at(server.version())) truth["ns/" + name] = std::to_string(version);
    if (held != truth) complaint += "the cache differs from the server after 100 s of quiet; ";
    if (!reflector.is_synced()) complaint += "not synced; ";
  }
};

TEST(ReflectorAndCache, TellTheTruthInOrderAndEndUpRightWhateverGoesWrong) {
  std::uint64_t tellings = 0;
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    WatchStory story(seed);
    story.live(seed);
    tellings += story.tellings;
    ASSERT_EQ(story.complaint, "") << "seed " << seed;
  }
  EXPECT_GT(tellings, 2000u * 60u);
}

}  // namespace
}  // namespace drover::kube
