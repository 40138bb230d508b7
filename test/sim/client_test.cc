// The client's logic on the embedded API server, through the simulator's faults: what the promises are worth when
// a whole store answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/cache.h"
#include "kube/event_recorder.h"
#include "kube/leader.h"
#include "kube/paced_api.h"
#include "kube/reflector.h"
#include "sim/faults.h"
#include "sim/server.h"
#include "sim/store_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using sim::FaultKind;
using testing::ElementsAre;

// A client, faults on its way, and a server with the namespace "sys".
struct Embedded {
  base::VirtualLoop loop;
  base::Random random;
  sim::Server server;
  sim::StoreApi door;
  sim::FaultyApi faults;
  PacedApi api;

  explicit Embedded(std::uint64_t seed)
      : random(seed),
        server(loop, random.fork("server")),
        door(server, loop, random.fork("door")),
        faults(door, loop, random.fork("luck"), &server),
        api(faults, loop, random.fork("pace"), {.ceiling = 200, .floor = 5, .burst = 100}) {
    ask(create(kNamespaces, "", {{"metadata", {{"name", "sys"}}}}));
  }

  // As a client without faults.
  void ask(const Request& request) {
    const auto answer = server.serve(request);
    ASSERT_TRUE(answer) << answer.error().message;
  }
  bool has_map(const std::string& name) { return server.store().find("configmaps", "sys/" + name) != nullptr; }
  void put_map(const std::string& name, const std::string& text) {
    if (has_map(name)) return ask(patch(kConfigMaps, "sys", name, PatchKind::Merge, {{"data", {{"text", text}}}}));
    ask(create(kConfigMaps, "sys", {{"metadata", {{"name", name}, {"namespace", "sys"}}}, {"data", {{"text", text}}}}));
  }
  void change_something() {
    const std::string name = "map-" + std::to_string(random.below(12));
    if (has_map(name) && random.chance(0.3)) return ask(remove(kConfigMaps, "sys", name, ""));
    put_map(name, std::to_string(random.below(1000000)));
  }
  std::map<std::string, std::string> truth() {
    std::map<std::string, std::string> all;
    server.store().each("configmaps", "sys",
                        [&](const sim::Stored& map) { all[key_of(*map)] = json::text_at(*map, {"data", "text"}); });
    return all;
  }
};

TEST(OnTheEmbeddedServer, ACacheEndsUpAsTheStoreThroughAllFaultsOfWatchesAndLists) {
  std::uint64_t strokes = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Embedded world(seed);
    Cache<std::string> cache([](const Object& map) { return std::string(json::text_at(map, {"data", "text"})); });
    Reflector reflector(world.api, world.loop, world.random.fork("reflector"), {kConfigMaps, "sys", "", ""},
                        Projection{"data"}, feed(cache, nullptr));
    for (const FaultKind kind : {FaultKind::Gone410, FaultKind::WatchCut, FaultKind::WatchStall, FaultKind::StaleWatch,
                                 FaultKind::DuplicateEvent}) {
      world.faults.add({.fault = kind, .verb = "watch", .probability = 0.03});
    }
    for (const FaultKind kind :
         {FaultKind::NeverSent, FaultKind::LostAnswer, FaultKind::Throttled, FaultKind::ServerError, FaultKind::Slow}) {
      world.faults.add({.fault = kind, .verb = "list", .probability = 0.1});
    }
    reflector.start();
    for (int i = 0; i < 100; ++i) {
      world.change_something();
      world.loop.run_for(std::chrono::milliseconds(world.random.below(world.random.chance(0.1) ? 60000 : 500)));
    }
    for (const auto& row : sim::all_faults()) strokes += world.faults.strokes(row.fault);
    world.faults.clear();
    world.loop.run_for(10min);
    std::map<std::string, std::string> held;
    cache.each([&](const std::string& key, const std::string& text) { held[key] = text; });
    ASSERT_EQ(held, world.truth()) << "seed " << seed;
  }
  EXPECT_GT(strokes, 60u * 5u);
}

TEST(OnTheEmbeddedServer, ARecordersEventIsMadeOnceAndCountsItsRepeatsThoughAnswersGetLost) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Embedded world(seed);
    for (const FaultKind kind :
         {FaultKind::LostAnswer, FaultKind::Throttled, FaultKind::ServerError, FaultKind::NeverSent}) {
      world.faults.add({.fault = kind, .resource = "events", .probability = 0.15, .span = 2s});
    }
    EventRecorder recorder(world.api, world.loop, world.random.fork("events"), "drover", "drover-0");
    const Event about_a_node{.resource = kNodes,
                             .ns = "",
                             .name = "gpu-7",
                             .uid = "u7",
                             .type = Event::Type::Warning,
                             .reason = "DrainBlocked",
                             .message = "held by budget ml/train"};
    for (int i = 0; i < 20; ++i) {
      recorder.record(about_a_node);
      world.loop.run_for(7s);
    }
    world.faults.clear();
    world.loop.run_for(5min);
    EXPECT_EQ(recorder.dropped(), 0u);
    std::vector<std::int64_t> counts;
    world.server.store().each("events", "default", [&](const sim::Stored& event) {
      EXPECT_EQ(json::text_at(*event, {"involvedObject", "name"}), "gpu-7");
      counts.push_back(json::int_at(*event, {"count"}));
    });
    ASSERT_THAT(counts, ElementsAre(20)) << "seed " << seed;
  }
}

TEST(OnTheEmbeddedServer, SeveralCandidatesWithFaultsAreNeverTwoLeaders) {
  log::redirect([](std::string_view) {});
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Embedded world(seed);
    for (const FaultKind kind :
         {FaultKind::LostAnswer, FaultKind::NeverSent, FaultKind::Conflict, FaultKind::ServerError, FaultKind::Slow}) {
      world.faults.add({.fault = kind, .resource = "leases.coordination.k8s.io", .probability = 0.2, .span = 6s});
    }
    int lives = 0;
    std::vector<std::unique_ptr<LeaderElection>> candidates(3);
    std::vector<bool> has_lost(3, true);
    int wins = 0;
    for (int second = 0; second < 600; ++second) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!has_lost[i]) continue;
        has_lost[i] = false;
        const LeaseTerms terms{.ns = "sys", .name = "drover", .identity = "candidate-" + std::to_string(++lives)};
        candidates[i] = std::make_unique<LeaderElection>(
            world.api, world.loop, world.random.fork(terms.identity), terms, [&] { ++wins; },
            [&has_lost, i] { has_lost[i] = true; });
        candidates[i]->start();
      }
      const auto end = world.loop.now() + 1s;
      while (world.loop.next_at() && *world.loop.next_at() <= end) {
        world.loop.step();
        int leaders = 0;
        for (const auto& candidate : candidates) leaders += candidate->is_leader() ? 1 : 0;
        ASSERT_LE(leaders, 1) << "seed " << seed;
      }
      world.loop.run_for(end - world.loop.now());
    }
    EXPECT_GE(wins, 1) << "seed " << seed;
  }
  log::redirect({});
}

TEST(OnTheEmbeddedServer, ALeaderThatResignsHandsTheLeaseToTheNext) {
  log::redirect([](std::string_view) {});
  Embedded world(1);
  std::string said;
  const auto candidate = [&](const std::string& who) {
    return std::make_unique<LeaderElection>(
        world.api, world.loop, world.random.fork(who), LeaseTerms{.ns = "sys", .name = "drover", .identity = who},
        [&said, who] { said += who + " won. "; }, [&said, who] { said += who + " lost. "; });
  };
  const auto first = candidate("a");
  const auto second = candidate("b");
  first->start();
  world.loop.run_for(1s);
  second->start();
  world.loop.run_for(1min);
  EXPECT_TRUE(first->is_leader());
  EXPECT_FALSE(second->is_leader());
  EXPECT_EQ(second->holder(), "a");
  first->resign([&] { said += "a is done. "; });
  world.loop.run_for(5s);
  EXPECT_TRUE(second->is_leader());
  EXPECT_EQ(said, "a won. a is done. b won. ");
  const auto lease = world.server.store().find("leases.coordination.k8s.io", "sys/drover");
  ASSERT_TRUE(lease);
  EXPECT_EQ(json::text_at(*lease, {"spec", "holderIdentity"}), "b");
  EXPECT_EQ(json::int_at(*lease, {"spec", "leaseTransitions"}), 1);
  log::redirect({});
}

}  // namespace
}  // namespace drover::kube
