#include "kube/reflector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/virtual_loop.h"
#include "kube/scripted_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using Kind = Fault::Kind;

class AReflector : public testing::Test {
 protected:
  base::VirtualLoop loop;
  ScriptedApi api{loop};
  std::vector<std::string> told;
  std::vector<Fault> troubles;
  ReflectorTuning tuning;
  std::unique_ptr<Reflector> reflector;
  std::string destroy_at;  // the telling that destroys the reflector

  void start() {
    reflector = std::make_unique<Reflector>(
        api, loop, base::Random(1), Range{kPods, "ns", "app=web", ""}, Projection{"status.phase"},
        Listener{.sweep_began = [this] { tell("began"); },
                 .put = [this](const Object& o) { tell("put " + key_of(o) + "@" + std::string(version_of(o))); },
                 .drop = [this](const Object& o) { tell("drop " + key_of(o) + "@" + std::string(version_of(o))); },
                 .sweep_ended = [this] { tell("ended"); },
                 .trouble =
                     [this](const Fault& fault) {
                       troubles.push_back(fault);
                       if (destroy_at == "trouble") reflector.reset();
                     }},
        tuning);
    reflector->start();
    run(0s);
  }
  void tell(std::string what) {
    told.push_back(what);
    if (what == destroy_at) reflector.reset();
  }
  void run(base::Span span) { loop.run_for(span); }

  // Listed one pod at version 10 and watching.
  void start_watching() {
    start();
    api.list(0).item(pod("a", "5")).done("10");
    run(0s);
    told.clear();
    ASSERT_EQ(api.watches.size(), 1u);
  }
  // A bookmark a minute.
  void stay_quiet_until_the_next_list(const std::string& version) {
    const std::size_t lists = api.lists.size();
    for (int minute = 0; minute < 120 && api.lists.size() == lists; ++minute) {
      api.watches.back()->bookmark(version);
      run(1min);
    }
    ASSERT_EQ(api.lists.size(), lists + 1);
  }
  std::vector<double> gaps(const std::vector<std::shared_ptr<ScriptedApi::Asked>>& asked) {
    std::vector<double> seconds;
    for (std::size_t i = 1; i < asked.size(); ++i) {
      seconds.push_back(std::chrono::duration<double>(asked[i]->asked_at - asked[i - 1]->asked_at).count());
    }
    return seconds;
  }
};

TEST_F(AReflector, ListsTheNewestAndWatchesFromThere) {
  start();
  EXPECT_FALSE(reflector->is_synced());
  EXPECT_EQ(api.list(0).list.resource_version, "");
  EXPECT_EQ(api.list(0).list.range.labels, "app=web");
  EXPECT_FALSE(api.list(0).list.projection.keeps_everything());
  api.list(0).item(pod("a", "5")).item(pod("b", "7")).done("10");
  run(0s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@5", "put ns/b@7", "ended"));
  EXPECT_TRUE(reflector->is_synced());
  EXPECT_EQ(reflector->resource_version(), "10");
  EXPECT_EQ(api.watch(0).watch.resource_version, "10");
  EXPECT_EQ(api.watch(0).watch.range.labels, "app=web");
  EXPECT_FALSE(api.watch(0).watch.projection.keeps_everything());
}

TEST_F(AReflector, TellsOfAnEmptyListToo) {
  start();
  api.list(0).done("3");
  run(0s);
  EXPECT_THAT(told, ElementsAre("began", "ended"));
}

TEST_F(AReflector, TellsTheItemsOfItsFirstListAsTheyCome) {
  start();
  api.list(0).item(pod("a", "5"));
  run(1s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@5"));
}

TEST_F(AReflector, TellsEventsInOrder) {
  start_watching();
  api.watch(0).event(WatchEvent::Kind::Added, pod("b", "11")).put(pod("a", "12")).gone(pod("b", "13"));
  run(0s);
  EXPECT_THAT(told, ElementsAre("put ns/b@11", "put ns/a@12", "drop ns/b@13"));
  EXPECT_EQ(reflector->resource_version(), "13");
}

TEST_F(AReflector, GoesOnFromABookmark) {
  start_watching();
  api.watch(0).bookmark("90").end(Kind::Unreachable);
  run(1s);
  EXPECT_EQ(api.watch(1).watch.resource_version, "90");
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(AReflector, GoesOnFromTheLastEventAfterABrokenWatch) {
  for (const Kind kind : {Kind::Unreachable, Kind::Unknown, Kind::Failed, Kind::Malformed, Kind::Throttled}) {
    SCOPED_TRACE(base::word(kind));
    api.lists.clear();
    api.watches.clear();
    start_watching();
    api.watch(0).put(pod("a", "11")).end(kind);
    run(1s);
    EXPECT_EQ(api.watch(1).watch.resource_version, "11");
    EXPECT_EQ(api.lists.size(), 1u);
  }
}

// Its definition may have gone and come back: what was there is not there any more, and no watch tells.
TEST_F(AReflector, ListsAgainWhenTheServerDoesNotKnowTheKind) {
  start_watching();
  api.watch(0).end(Kind::NotFound);
  run(1s);
  ASSERT_EQ(api.lists.size(), 2u);
  api.list(1).done("20");
  run(0s);
  EXPECT_THAT(told, ElementsAre("began", "ended"));
}

TEST_F(AReflector, ListsTheNewestAtOnceWhenTheWatchExpired) {
  start_watching();
  const auto before = loop.now();
  api.watch(0).end(Kind::Expired);
  run(0s);
  EXPECT_EQ(api.list(1).asked_at, before);
  EXPECT_EQ(api.list(1).list.resource_version, "");
}

TEST_F(AReflector, WaitsBetweenListsWhenEveryWatchExpires) {
  start();
  for (int i = 0; i < 200; ++i) {
    if (!api.lists.empty() && api.lists.back()->is_open) api.lists.back()->done("10");
    if (!api.watches.empty() && api.watches.back()->is_open) api.watches.back()->end(Kind::Expired);
    run(1s);
  }
  EXPECT_THAT(api.lists.size(), Le(20u));
}

TEST_F(AReflector, ListsAgainInOnePageWhenAPageExpired) {
  start();
  EXPECT_GT(api.list(0).list.page, 0);
  api.list(0).item(pod("a", "5")).break_off(Kind::Expired);
  run(1s);
  EXPECT_EQ(api.list(1).list.resource_version, "");
  EXPECT_EQ(api.list(1).list.page, 0);
}

TEST_F(AReflector, TellsNoEndOfASweepThatBroke) {
  start();
  api.list(0).item(pod("a", "5")).break_off(Kind::Unknown);
  run(1s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@5"));
  EXPECT_FALSE(reflector->is_synced());
  api.list(1).item(pod("a", "5")).done("10");
  run(0s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@5", "began", "put ns/a@5", "ended"));
}

TEST_F(AReflector, DropsAListThatIsOlderThanWhatWasSeenAndAsksAgain) {
  tuning.relist_every = 1h;
  start_watching();
  api.watch(0).put(pod("a", "50"));
  stay_quiet_until_the_next_list("50");
  api.list(1).item(pod("phantom", "6")).item(pod("a", "5")).done("9");
  run(1s);
  EXPECT_THAT(told, ElementsAre("put ns/a@50"));
  ASSERT_EQ(api.lists.size(), 3u);
  EXPECT_THAT(troubles.back().message, HasSubstr("version 9, but 50 was already seen"));
  api.list(2).item(pod("a", "50")).done("51");
  run(0s);
  EXPECT_THAT(told, ElementsAre("put ns/a@50", "began", "put ns/a@50", "ended"));
  EXPECT_EQ(api.watches.back()->watch.resource_version, "51");
}

TEST_F(AReflector, DropsAListThatIsOlderThanTheItemsOfOneThatBroke) {
  start();
  api.list(0).item(pod("a", "20")).break_off(Kind::Unreachable);
  run(1s);
  api.list(1).item(pod("a", "15")).done("16");
  run(1s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@20"));
  EXPECT_EQ(api.lists.size(), 3u);
}

TEST_F(AReflector, BelievesAnOlderListAfter410) {
  start_watching();
  api.watch(0).put(pod("a", "50")).end(Kind::Expired);
  run(0s);
  api.list(1).item(pod("a", "5")).done("9");
  run(0s);
  EXPECT_THAT(told, ElementsAre("put ns/a@50", "began", "put ns/a@5", "ended"));
  EXPECT_EQ(api.watch(1).watch.resource_version, "9");
}

TEST_F(AReflector, StillBelievesAnOlderListAfter410WhenTheFirstTryBroke) {
  start_watching();
  api.watch(0).put(pod("a", "50")).end(Kind::Expired);
  run(0s);
  api.list(1).break_off(Kind::Unreachable);
  run(1s);
  api.list(2).done("9");
  run(0s);
  EXPECT_EQ(reflector->resource_version(), "9");
}

TEST_F(AReflector, BelievesAServerThatInsistsOnAnOlderHistory) {
  start_watching();
  api.watch(0).bookmark("500");
  run(0s);
  // The database was restored: our version lies in its future.
  std::size_t stale = 0;
  for (int i = 0; i < 600 && reflector->resource_version() == "500"; ++i) {
    if (api.watches.back()->is_open) api.watches.back()->end(Kind::Throttled, 1s);
    if (api.lists.back()->is_open) {
      api.lists.back()->item(pod("old", "90")).done("100");
      ++stale;
    }
    run(1s);
  }
  EXPECT_EQ(stale, 11u);
  EXPECT_THAT(told, ElementsAre("began", "put ns/old@90", "ended"));
  EXPECT_EQ(api.watches.back()->watch.resource_version, "100");
}

TEST_F(AReflector, DropsEventsThatAreOlderThanWhatWasSeen) {
  start_watching();
  api.watch(0).put(pod("a", "20")).put(pod("a", "15")).gone(pod("a", "16")).put(pod("a", "20"));
  run(0s);
  EXPECT_THAT(told, ElementsAre("put ns/a@20", "put ns/a@20"));
}

TEST_F(AReflector, UsesOpaqueVersionsWithoutComparingThem) {
  start();
  api.list(0).item(pod("a", "zz")).done("epoch-9");
  run(0s);
  api.watch(0).put(pod("a", "aa")).put(pod("a", "epoch-1")).end(Kind::Unreachable);
  run(1s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@zz", "ended", "put ns/a@aa", "put ns/a@epoch-1"));
  EXPECT_EQ(api.watch(1).watch.resource_version, "epoch-1");
}

TEST_F(AReflector, ComparesVersionsThatNoMachineWordHolds) {
  start();
  api.list(0).done("100000000000000000000000000000");
  run(0s);
  api.watch(0).put(pod("a", "99999999999999999999999999999")).put(pod("b", "100000000000000000000000000001"));
  run(0s);
  EXPECT_THAT(told, ElementsAre("began", "ended", "put ns/b@100000000000000000000000000001"));
}

TEST_F(AReflector, TakesASilentWatchForDeadAndGoesOnFromTheLastVersion) {
  start_watching();
  api.watch(0).bookmark("11");
  run(89s);
  EXPECT_EQ(api.watches.size(), 1u);
  run(2s);
  ASSERT_EQ(api.watches.size(), 2u);
  EXPECT_TRUE(api.watch(0).was_given_up);
  EXPECT_EQ(api.watch(1).watch.resource_version, "11");
  EXPECT_THAT(troubles, IsEmpty()) << "it may be that nothing happened";
}

TEST_F(AReflector, LeavesAWatchThatNeverSpokeToTheServersOwnEnd) {
  start_watching();
  run(5min);
  EXPECT_EQ(api.watches.size(), 1u) << "a server has nothing to say about a range in which nothing happens";
  run(3min);
  EXPECT_EQ(api.watches.size(), 2u) << "but it should have ended the watch by now";
}

TEST_F(AReflector, KeepsAWatchThatSpeaksBeforeItIsTakenForDead) {
  start_watching();
  for (int i = 0; i < 20; ++i) {
    run(80s);
    api.watch(0).bookmark(std::to_string(11 + i));
  }
  run(0s);
  EXPECT_EQ(api.watches.size(), 1u);
  EXPECT_THAT(troubles, IsEmpty());
  EXPECT_EQ(reflector->heard_at(), loop.now());
}

TEST_F(AReflector, AsksAgainWhenAListStalls) {
  start();
  api.list(0).item(pod("a", "5"));
  run(95s);
  EXPECT_TRUE(api.list(0).was_given_up);
  ASSERT_EQ(api.lists.size(), 2u);
  EXPECT_THAT(told, Not(Contains("ended")));
}

TEST_F(AReflector, WatchesAgainAtOnceAfterACleanEnd) {
  start_watching();
  run(60s);
  api.watch(0).bookmark("11");
  run(30s);
  const auto before = loop.now();
  api.watch(0).end();
  run(0s);
  EXPECT_EQ(api.watch(1).asked_at, before);
  EXPECT_EQ(api.watch(1).watch.resource_version, "11");
  EXPECT_THAT(troubles, IsEmpty());
}

TEST_F(AReflector, WaitsLongerAndLongerWhenTheServerEndsEachWatchAtOnceWithoutNews) {
  start_watching();
  for (int i = 0; i < 10000 && loop.now().time_since_epoch() < 10min; ++i) {
    if (api.watches.back()->is_open) api.watches.back()->end();
    if (api.lists.back()->is_open) api.lists.back()->done("10");
    run(100ms);
  }
  EXPECT_THAT(api.watches.size(), Le(40u));
  EXPECT_THAT(api.watches.size(), Ge(20u));
  EXPECT_EQ(troubles.size(), api.watches.size() - (api.watches.back()->is_open ? 1 : 0));
}

TEST_F(AReflector, ListsAgainWhenSeveralWatchesEndedWithoutNews) {
  start_watching();
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(api.lists.size(), 1u);
    api.watch(i).end();
    run(5s);
  }
  EXPECT_EQ(api.lists.size(), 2u);
}

TEST_F(AReflector, TakesABookmarkOfTheSameVersionForNoNews) {
  start_watching();
  for (std::size_t i = 0; i < 5; ++i) {
    api.watch(i).bookmark("10").end();
    run(5s);
  }
  EXPECT_EQ(api.lists.size(), 2u);
}

TEST_F(AReflector, WaitsLongerAfterEachFailureUpToTheMost) {
  start();
  for (int i = 0; i < 12; ++i) {
    api.lists.back()->break_off(Kind::Unreachable);
    run(40s);
  }
  EXPECT_EQ(troubles.size(), 12u);
  api.lists.clear();
  api.watches.clear();
  reflector.reset();
  start();
  const std::size_t tries = 10;
  while (api.lists.size() <= tries) {
    if (api.lists.back()->is_open) api.lists.back()->break_off(Kind::Unreachable);
    loop.step();
  }
  const auto waits = gaps(api.lists);
  double nominal = 0.2;
  for (std::size_t i = 0; i < tries; ++i) {
    EXPECT_THAT(waits[i], testing::AllOf(Ge(nominal * 0.8), Le(nominal * 1.2))) << "wait " << i;
    nominal = std::min(nominal * 2, 30.0);
  }
}

TEST_F(AReflector, WaitsLittleAgainAfterNews) {
  start_watching();
  for (int i = 0; i < 8; ++i) {
    api.watches.back()->end(Kind::Unreachable);
    run(40s);
  }
  api.watches.back()->bookmark("11").end(Kind::Unreachable);
  const std::size_t before = api.watches.size();
  run(250ms);
  EXPECT_EQ(api.watches.size(), before + 1);
}

TEST_F(AReflector, WaitsAtLeastAsLongAsTheServerAsked) {
  start();
  api.list(0).break_off(Kind::Throttled, 20s);
  run(19s);
  EXPECT_EQ(api.lists.size(), 1u);
  run(2s);
  EXPECT_EQ(api.lists.size(), 2u);
}

TEST_F(AReflector, WaitsTenMinutesAtMostWhateverTheServerAsked) {
  start();
  api.list(0).break_off(Kind::Throttled, 1000000h);
  run(10min + 1s);
  EXPECT_EQ(api.lists.size(), 2u);
}

TEST_F(AReflector, WaitsTheMostWhenForbiddenAndSaysSoEachTime) {
  start();
  for (std::size_t i = 0; i < 3; ++i) {
    api.list(i).break_off(Kind::Forbidden);
    run(20s);
    ASSERT_EQ(api.lists.size(), i + 1);
    run(17s);
    ASSERT_EQ(api.lists.size(), i + 2);
  }
  EXPECT_EQ(troubles.size(), 3u);
  EXPECT_EQ(troubles.back().kind, Kind::Forbidden);
}

TEST_F(AReflector, ListsAgainEverySoOftenThoughNothingSeemsWrong) {
  start_watching();
  stay_quiet_until_the_next_list("50");
  EXPECT_THAT(loop.now().time_since_epoch(), testing::AllOf(Ge(54min), Le(67min)));
  EXPECT_TRUE(api.watch(0).was_given_up);
  api.list(1).item(pod("a", "99")).done("99");
  run(0s);
  EXPECT_THAT(told, ElementsAre("began", "put ns/a@99", "ended"));
  EXPECT_EQ(api.watch(1).watch.resource_version, "99");
}

TEST_F(AReflector, NeverListsAgainWhenThatIsOff) {
  tuning.relist_every = std::nullopt;
  start_watching();
  for (int minute = 0; minute < 1000; ++minute) {
    api.watches.back()->bookmark(std::to_string(11 + minute));
    run(1min);
  }
  EXPECT_EQ(api.lists.size(), 1u);
}

TEST_F(AReflector, RefusesAListWithoutVersion) {
  start();
  api.list(0).done("");
  run(1s);
  EXPECT_THAT(api.watches, IsEmpty());
  EXPECT_EQ(api.lists.size(), 2u);
  EXPECT_EQ(troubles.at(0).kind, Kind::Malformed);
}

TEST_F(AReflector, GivesUpItsCallsAndTellsNothingOnceItIsDestroyed) {
  start_watching();
  api.watch(0).put(pod("a", "11"));
  reflector.reset();
  run(1h);
  EXPECT_TRUE(api.watch(0).was_given_up);
  EXPECT_THAT(told, IsEmpty());
  EXPECT_EQ(api.lists.size(), 1u);
}

TEST_F(AReflector, StartedTwiceListsOnce) {
  start();
  reflector->start();
  run(1s);
  EXPECT_EQ(api.lists.size(), 1u);
}

class DestroyedInside : public AReflector, public testing::WithParamInterface<const char*> {};

TEST_P(DestroyedInside, ItsOwnCallbackIsSilentFromThereOn) {
  destroy_at = GetParam();
  start();
  api.list(0).item(pod("a", "5")).item(pod("b", "5")).done("10");
  run(0s);
  if (reflector) {
    api.watch(0).put(pod("a", "11")).gone(pod("a", "12")).end(Kind::Failed);
    run(0s);
  }
  EXPECT_EQ(reflector, nullptr);
  const auto told_before = told.size();
  run(2h);
  EXPECT_EQ(told.size(), told_before);
  if (destroy_at != "trouble") {
    EXPECT_EQ(told.back(), destroy_at);
  }
  EXPECT_EQ(api.lists.size(), 1u);
  EXPECT_LE(api.watches.size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(EachTelling, DestroyedInside,
                         testing::Values("began", "put ns/a@5", "ended", "put ns/a@11", "drop ns/a@12", "trouble"));

TEST_F(AReflector, MayBeDestroyedWhileItTellsAListThatWasHeldBack) {
  start_watching();
  destroy_at = "put ns/a@60";
  stay_quiet_until_the_next_list("50");
  api.lists.back()->item(pod("a", "60")).item(pod("b", "60")).done("60");
  run(0s);
  EXPECT_EQ(reflector, nullptr);
  EXPECT_EQ(told.back(), "put ns/a@60");
}

}  // namespace
}  // namespace drover::kube
