// Several candidates for one lease, with everything that can happen to machines and networks: whatever happens, no
// moment has two leaders; and when it stops happening, there is one. Once against a lease in its plainest form, once
// against the embedded API server.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/leader.h"
#include "sim/server.h"
#include "sim/store_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using Kind = Fault::Kind;

// One machine: its clock began at another moment and runs a little fast or slow, its wall clock is anything, and the
// process can be paused while time goes on.
class Machine final : public base::Loop {
 public:
  Machine(base::VirtualLoop& world, double speed, base::Span head_start)
      : world_(world), speed_(speed), head_start_(head_start) {}

  base::Instant now() const override {
    return base::Instant(scaled(world_.now().time_since_epoch(), speed_) + head_start_);
  }
  base::WallTime wall() const override { return world_.wall() + wall_error; }
  [[nodiscard]] base::Timer after(base::Span span, std::function<void()> then) override {
    auto due = std::make_shared<Due>();
    due->then = std::move(then);
    arm(due, scaled(span, 1 / speed_));
    return base::Timer(due);
  }
  void post(std::function<void()> then) override { after(0s, std::move(then)).let_go(); }

  void pause_for(base::Span span) { paused_until_ = std::max(paused_until_, world_.now() + span); }
  std::chrono::microseconds wall_error{};

 private:
  struct Due final : base::Timer::Ticket {
    std::function<void()> then;
    void cancel() override { then = nullptr; }
  };
  static base::Span scaled(base::Span span, double factor) {
    return base::Span(static_cast<base::Span::rep>(static_cast<double>(span.count()) * factor));
  }
  void arm(const std::shared_ptr<Due>& due, base::Span span) {
    world_
        .after(span,
               [this, due] {
                 if (!due->then) return;
                 if (world_.now() < paused_until_) return arm(due, paused_until_ - world_.now());
                 std::exchange(due->then, nullptr)();
               })
        .let_go();
  }

  base::VirtualLoop& world_;
  double speed_;
  base::Span head_start_;
  base::Instant paused_until_{};
};

// The lease at the server. Requests take effect when they arrive, in whatever order that is.
struct LeaseServer {
  std::optional<Object> lease;
  int version = 0;

  Result<Object> serve(const Request& request) {
    if (request.verb == Verb::Get) {
      if (!lease) return base::fault(Kind::NotFound, "none");
      return *lease;
    }
    if (request.verb == Verb::Create && lease) return base::fault(Kind::AlreadyExists, "there");
    if (request.verb == Verb::Replace && (!lease || version_of(*lease) != version_of(request.body))) {
      return base::fault(Kind::Conflict, "changed");
    }
    lease = request.body;
    json::ensure(*lease, {"metadata", "resourceVersion"}) = std::to_string(++version);
    return *lease;
  }
};

// What a server does with a request at the moment it arrives.
using Serve = std::function<Result<Object>(const Request&)>;

// The way from one machine to the server and back.
class Road final : public Api {
 public:
  Road(Serve serve, base::VirtualLoop& world, Machine& machine, base::Random random)
      : serve_(std::move(serve)), world_(world), machine_(machine), random_(random) {}

  bool good = false;
  bool cut = false;

  [[nodiscard]] Call call(Request request, Answer answer) override {
    auto under_way = std::make_shared<UnderWay>();
    under_way->answer = std::move(answer);
    if (cut && random_.chance(0.5)) {
      back(under_way, base::fault(Kind::Unreachable, "cut"));
      return Call(under_way);
    }
    if (cut && random_.chance(0.5)) return Call(under_way);  // swallowed
    // From here on it may arrive, even after the caller has cancelled it.
    world_
        .after(delay(),
               [this, under_way, request = std::move(request)] {
                 auto outcome = serve_(request);
                 if (!good && (cut || random_.chance(0.1))) {
                   if (random_.chance(0.3)) return;
                   outcome = base::fault(random_.chance(0.7) ? Kind::Unknown : Kind::Failed, "answer lost");
                 }
                 back(under_way, std::move(outcome));
               })
        .let_go();
    return Call(under_way);
  }
  [[nodiscard]] Call list(ListRequest, ListSink) override { return {}; }
  [[nodiscard]] Call watch(WatchRequest, WatchSink) override { return {}; }

 private:
  struct UnderWay final : Call::Ticket {
    Answer answer;
    void cancel() override { answer = nullptr; }
  };
  base::Span delay() {
    if (good || random_.chance(0.8)) return std::chrono::milliseconds(random_.below(50));
    return std::chrono::milliseconds(random_.below(random_.chance(0.2) ? 40000 : 4000));
  }
  void back(const std::shared_ptr<UnderWay>& under_way, Result<Object> outcome) {
    machine_
        .after(delay(),
               [under_way, outcome = std::move(outcome)] {
                 if (auto answer = std::exchange(under_way->answer, nullptr)) answer(outcome);
               })
        .let_go();
  }

  Serve serve_;
  base::VirtualLoop& world_;
  Machine& machine_;
  base::Random random_;
};

struct Candidate {
  Machine machine;
  Road road;
  base::Random random;
  int lives = 0;
  int wins = 0;
  int losses = 0;
  bool must_restart = false;
  std::unique_ptr<LeaderElection> election;

  Candidate(Serve serve, base::VirtualLoop& world, base::Random seed)
      : machine(world, 0.95 + seed.unit() * 0.1, std::chrono::seconds(seed.below(100000))),
        road(std::move(serve), world, machine, seed.fork("road")),
        random(seed.fork("election")) {}

  void live(const std::string& name) {
    must_restart = false;
    wins = losses = 0;
    const LeaseTerms terms{.ns = "sys", .name = "drover", .identity = name + "-" + std::to_string(++lives)};
    election = std::make_unique<LeaderElection>(
        road, machine, random.fork(terms.identity), terms, [this] { ++wins; },
        [this] {
          ++losses;
          must_restart = true;
        });
    election->start();
  }
};

struct Contest {
  base::VirtualLoop& world;
  base::Random random;
  std::vector<std::unique_ptr<Candidate>> candidates;
  std::string complaint;
  base::Span led{};

  Contest(base::VirtualLoop& world, const Serve& serve, std::uint64_t seed) : world(world), random(seed) {
    const std::size_t count = 2 + random.below(3);
    for (std::size_t i = 0; i < count; ++i) {
      candidates.push_back(std::make_unique<Candidate>(serve, world, random.fork("machine " + std::to_string(i))));
      candidates.back()->live("machine-" + std::to_string(i));
    }
  }

  int leaders() const {
    return static_cast<int>(std::ranges::count_if(candidates, [](const auto& c) { return c->election->is_leader(); }));
  }
  void look_at_all() {
    if (leaders() > 1) complaint += "two leaders at once; ";
    for (const auto& c : candidates) {
      if (c->wins > 1 || c->losses > c->wins) complaint += "won twice, or lost without having won; ";
      if (c->losses > 0 && c->election->is_leader()) complaint += "leader after having lost; ";
    }
  }
  void run_for(base::Span span) {
    const auto end = world.now() + span;
    while (complaint.empty() && world.next_at() && *world.next_at() <= end) {
      const auto before = world.now();
      const bool had_leader = leaders() == 1;
      world.step();
      if (had_leader) led += world.now() - before;
      look_at_all();
    }
    if (complaint.empty()) world.run_for(end - world.now());
  }
  void something_happens() {
    Candidate& c = *candidates[random.below(candidates.size())];
    switch (random.below(6)) {
      case 0: c.machine.pause_for(std::chrono::seconds(random.below(40))); break;
      case 1: c.road.cut = true; break;
      case 2:
      case 3: c.road.cut = false; break;
      case 4: c.machine.wall_error = std::chrono::seconds(random.below(7200)) - 1h; break;
      case 5:
        if (random.chance(0.3)) c.election->resign([&c] { c.must_restart = true; });
        break;
    }
  }
  void live() {
    for (int i = 0; i < 40; ++i) {
      something_happens();
      run_for(std::chrono::milliseconds(random.below(12000)));
      restart_the_fallen();
    }
    for (const auto& c : candidates) {
      c->road.good = true;
      c->road.cut = false;
    }
    for (int i = 0; i < 20; ++i) {
      run_for(10s);
      restart_the_fallen();
    }
    if (leaders() != 1) complaint += "no leader after 200 s of quiet; ";
  }
  void restart_the_fallen() {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i]->must_restart) candidates[i]->live("machine-" + std::to_string(i));
    }
  }
};

class Leaders : public testing::Test {
 protected:
  Leaders() {
    log::redirect([](std::string_view) {});
  }
  ~Leaders() override { log::redirect({}); }
};

TEST_F(Leaders, AreNeverTwoAtOnceAndInTheEndOneWhateverHappensToTheirMachinesAndRoads) {
  base::Span led{};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    base::VirtualLoop world;
    LeaseServer server;
    Contest contest(world, [&server](const Request& request) { return server.serve(request); }, seed);
    contest.live();
    ASSERT_EQ(contest.complaint, "") << "seed " << seed;
    led += contest.led;
  }
  // The promise is not kept by never leading.
  EXPECT_GT(led, 300 * 150s);
}

TEST_F(Leaders, AreNeverTwoAtOnceOnTheEmbeddedServerEither) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    base::VirtualLoop world;
    sim::Server server(world, base::Random(seed).fork("server"));
    const Serve serve = [&server](const Request& request) -> Result<Object> {
      auto answer = server.serve(request);
      if (!answer) return std::unexpected(sim::fault_of(answer.error(), request));
      return **answer;
    };
    ASSERT_TRUE(serve(create(kNamespaces, "", {{"metadata", {{"name", "sys"}}}})));
    Contest contest(world, serve, seed);
    contest.live();
    ASSERT_EQ(contest.complaint, "") << "seed " << seed;
    const auto lease = serve(get(kLeases, "sys", "drover"));
    ASSERT_TRUE(lease);
    EXPECT_GT(json::int_at(*lease, {"spec", "leaseTransitions"}), 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace drover::kube
