#include "kube/paced_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/scripted_api.h"
#include "kube/token_bucket.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;
using Kind = Fault::Kind;

class APacedApi : public testing::Test {
 protected:
  base::VirtualLoop loop;
  ScriptedApi server{loop};
  std::unique_ptr<PacedApi> api = paced({.ceiling = 10, .floor = 1, .burst = 5});
  std::vector<Call> held;
  std::vector<std::string> answers;

  std::unique_ptr<PacedApi> paced(Pace pace) { return std::make_unique<PacedApi>(server, loop, base::Random(1), pace); }
  Call ask(const std::string& name) {
    return api->call(get(kPods, "ns", name), [this, name](Result<Object> outcome) {
      answers.push_back(name + (outcome ? " ok" : " " + std::string(base::word(outcome.error().kind))));
    });
  }
  void ask_many(int count) {
    for (int i = 0; i < count; ++i) held.push_back(ask(std::to_string(i)));
  }
  void run(base::Span span) { loop.run_for(span); }
};

TEST_F(APacedApi, LetsABurstPassAtOnceAndThenKeepsTheRate) {
  ask_many(100);
  run(0s);
  EXPECT_EQ(server.calls.size(), 5u);
  EXPECT_EQ(api->waiting(), 95u);
  run(1s);
  EXPECT_EQ(server.calls.size(), 15u);
  run(3s);
  EXPECT_EQ(server.calls.size(), 45u);
}

TEST_F(APacedApi, SavesUpNoMoreThanABurst) {
  run(1h);
  ask_many(100);
  run(0s);
  EXPECT_EQ(server.calls.size(), 5u);
}

TEST_F(APacedApi, KeepsTheOrderOfAsking) {
  ask_many(12);
  run(10s);
  ASSERT_EQ(server.calls.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(server.call(i).request.name, std::to_string(i));
}

TEST_F(APacedApi, GivesOutcomesOnAsTheyAreAndRepeatsNothing) {
  held.push_back(ask("a"));
  held.push_back(ask("b"));
  server.call(0).answer(pod("a", "1"));
  server.call(1).fail(Kind::Throttled);
  run(1min);
  EXPECT_THAT(answers, ElementsAre("a ok", "b throttled"));
  EXPECT_EQ(server.calls.size(), 2u);
}

TEST_F(APacedApi, HalvesTheRateOnceForARoundOfThrottledAnswers) {
  ask_many(5);
  for (std::size_t i = 0; i < 5; ++i) server.call(i).fail(Kind::Throttled);
  run(1ms);
  EXPECT_DOUBLE_EQ(api->rate(), 5);
  run(10s);
  held.push_back(ask("later"));
  server.call(5).fail(Kind::Throttled);
  run(0s);
  EXPECT_DOUBLE_EQ(api->rate(), 2.5);
}

TEST_F(APacedApi, SpendsNoSavedBurstOnceItIsThrottled) {
  held.push_back(ask("a"));
  server.call(0).fail(Kind::Throttled);
  run(0s);
  ask_many(20);
  run(1s);
  EXPECT_THAT(server.calls.size(), AllOf(Ge(6u), Le(8u)));
}

TEST_F(APacedApi, HoldsEverythingBackAsLongAsTheServerAskedAndNotMuchLonger) {
  held.push_back(ask("a"));
  server.call(0).fail(Kind::Throttled, 20s);
  run(0s);
  held.push_back(ask("b"));
  held.push_back(api->list({}, {}));
  held.push_back(api->watch({}, {}));
  run(20s - 1ms);
  EXPECT_EQ(server.calls.size(), 1u);
  EXPECT_EQ(server.lists.size() + server.watches.size(), 0u);
  run(2s + 1ms);
  EXPECT_EQ(server.calls.size(), 2u);
  run(1s);
  EXPECT_EQ(server.lists.size(), 1u);
  EXPECT_EQ(server.watches.size(), 1u);
}

TEST_F(APacedApi, IsHeldBackTenMinutesAtMostByAnyWish) {
  held.push_back(ask("a"));
  server.call(0).fail(Kind::Throttled, 100000h);
  run(0s);
  held.push_back(ask("b"));
  run(11min + 1s);
  EXPECT_EQ(server.calls.size(), 2u);
}

TEST_F(APacedApi, NeverFallsBelowTheFloor) {
  for (std::size_t i = 0; i < 20; ++i) {
    held.push_back(ask("x"));
    run(2s);
    server.call(i).fail(Kind::Throttled);
    run(2s);
  }
  EXPECT_DOUBLE_EQ(api->rate(), 1);
}

TEST_F(APacedApi, RisesToTheCeilingInAMinuteOfGoodTrafficAndNoFurther) {
  for (std::size_t i = 0; i < 20; ++i) {
    held.push_back(ask("x"));
    run(2s);
    server.call(i).fail(Kind::Throttled);
    run(2s);
  }
  server.answers = [](const Request&) { return pod("x", "1"); };
  ask_many(1000);
  run(30s);
  EXPECT_THAT(api->rate(), DoubleNear(6, 1));
  run(40s);
  EXPECT_DOUBLE_EQ(api->rate(), 10);
}

TEST_F(APacedApi, SlowsALittleWhenTheServerBreaks) {
  held.push_back(ask("a"));
  server.call(0).fail(Kind::Failed);
  run(0s);
  EXPECT_DOUBLE_EQ(api->rate(), 9);
}

TEST_F(APacedApi, LearnsNothingFromAServerItDidNotReach) {
  held.push_back(ask("a"));
  held.push_back(ask("b"));
  server.call(0).fail(Kind::Failed);
  run(1s);
  held.push_back(ask("c"));
  held.push_back(ask("d"));
  server.call(2).fail(Kind::Unreachable);
  server.call(3).fail(Kind::Unknown);
  run(1s);
  EXPECT_DOUBLE_EQ(api->rate(), 9);
}

TEST_F(APacedApi, TakesABudgetsNoForContentment) {
  held.push_back(ask("a"));
  server.call(0).fail(Kind::Failed);
  run(1s);
  held.push_back(ask("b"));
  server.call(1).fail(Kind::Blocked);
  run(1s);
  EXPECT_GT(api->rate(), 9);
}

TEST_F(APacedApi, LetsTheLeasePassBy) {
  ask_many(20);
  Request lease = get(kLeases, "ns", "leader");
  lease.lane = Lane::Lease;
  held.push_back(api->call(lease, [this](Result<Object>) { answers.push_back("lease"); }));
  EXPECT_EQ(server.calls.back()->request.name, "leader");
  EXPECT_EQ(api->waiting(), 15u);
  server.calls.back()->fail(Kind::Throttled, 1min);
  run(1s);
  EXPECT_THAT(answers, ElementsAre("lease"));
  EXPECT_DOUBLE_EQ(api->rate(), 10);
}

TEST_F(APacedApi, TakesOneTokenForAListAndOneForAWatch) {
  for (int i = 0; i < 3; ++i) {
    held.push_back(api->list({}, {.item = [](Object) {}, .done = [](Result<ListEnd>) {}}));
    held.push_back(api->watch({}, {.event = [](WatchEvent) {}, .ended = [](std::optional<Fault>) {}}));
  }
  run(0s);
  EXPECT_EQ(server.lists.size() + server.watches.size(), 5u);
  for (int i = 0; i < 100; ++i) server.watch(0).bookmark(std::to_string(i));
  run(100ms);
  EXPECT_EQ(server.watches.size(), 3u);
}

TEST_F(APacedApi, LearnsFromListsAndWatchesToo) {
  held.push_back(api->list({}, {.item = [](Object) {}, .done = [](Result<ListEnd>) {}}));
  server.list(0).break_off(Kind::Throttled);
  run(1s);
  EXPECT_DOUBLE_EQ(api->rate(), 5);
  held.push_back(api->watch({}, {.event = [](WatchEvent) {}, .ended = [](std::optional<Fault>) {}}));
  server.watch(0).end(Kind::Throttled);
  run(1s);
  EXPECT_DOUBLE_EQ(api->rate(), 2.5);
}

TEST_F(APacedApi, LetsWhatWasGivenUpInLineNeverGo) {
  ask_many(7);
  EXPECT_EQ(api->waiting(), 2u);
  held[5].cancel();
  EXPECT_EQ(api->waiting(), 1u);
  run(100ms);
  ASSERT_EQ(server.calls.size(), 6u);
  EXPECT_EQ(server.call(5).request.name, "6");
}

TEST_F(APacedApi, GivesUpWhatIsUnderWayWhenTheCallerDoes) {
  {
    auto call = ask("a");
  }
  EXPECT_TRUE(server.call(0).was_given_up);
}

TEST_F(APacedApi, StillDeliversTheAnswerOfACallThatWasLetGo) {
  ask("now").let_go();
  server.call(0).answer(pod("a", "1"));
  ask_many(4);
  ask("queued").let_go();
  run(1s);
  server.call(5).answer(pod("a", "1"));
  run(1s);
  EXPECT_THAT(answers, ElementsAre("now ok", "queued ok"));
}

TEST_F(APacedApi, MayBeDestroyedWithALineAndInsideAnAnswer) {
  held.push_back(api->call(get(kPods, "ns", "a"), [this](Result<Object>) {
    held.clear();
    api.reset();
    answers.push_back("answered");
  }));
  ask_many(50);
  server.call(0).answer(pod("a", "1"));
  run(1min);
  EXPECT_THAT(answers, ElementsAre("answered"));
  EXPECT_EQ(server.calls.size(), 5u);
}

TEST(TokenBucket, GivesExactlyItsRateOverALongTime) {
  base::Instant now{};
  TokenBucket bucket(3, 1, now);
  int taken = 0;
  while (now < base::Instant{} + 1000s) {
    now = bucket.next_at(now);
    ASSERT_TRUE(bucket.take(now));
    ++taken;
  }
  EXPECT_THAT(taken, AllOf(Ge(3000), Le(3002)));
}

TEST(TokenBucket, GivesNothingDuringAPauseAndOneTokenAfterIt) {
  TokenBucket bucket(1, 100, base::Instant{});
  bucket.pause(base::Instant{} + 10s);
  EXPECT_FALSE(bucket.take(base::Instant{} + 9s));
  EXPECT_EQ(bucket.next_at(base::Instant{} + 9s), base::Instant{} + 10s);
  EXPECT_TRUE(bucket.take(base::Instant{} + 10s));
  EXPECT_FALSE(bucket.take(base::Instant{} + 10s));
}

}  // namespace
}  // namespace drover::kube
