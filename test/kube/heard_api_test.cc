// Which time counts as heard: only what an answer proves, and not what a failure or a long silence makes doubtful.
#include "kube/heard_api.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/virtual_loop.h"
#include "kube/scripted_api.h"

namespace drover::kube {
namespace {

using namespace std::chrono_literals;
using Kind = Fault::Kind;

class HeardApiTest : public ::testing::Test {
 protected:
  void run(base::Span span) { loop.run_for(span); }
  void ask() {
    calls.push_back(api.call(get(kNodes, "", "n1"), [](const Result<Object>&) {}));
  }
  void ask_and_hear() {
    ask();
    below.calls.back()->answer(Object{{"kind", "Node"}});
    run(0s);
  }
  base::Span proven() const { return api.heard().proven; }

  base::VirtualLoop loop;
  ScriptedApi below{loop};
  HeardApi api{below, loop};
  std::vector<Call> calls;
};

TEST_F(HeardApiTest, TimeUpToAnAnswerIsProven) {
  run(30s);
  EXPECT_EQ(proven(), 0s);
  EXPECT_EQ(api.heard().unproven, 30s) << "no answer was wanted, and nothing says that the server is away";
  ask_and_hear();
  EXPECT_EQ(proven(), 30s);
  EXPECT_EQ(api.heard().unproven, 0s);
}

TEST_F(HeardApiTest, AConflictIsAnAnswer) {
  run(3s);
  ask();
  below.calls.back()->fail(Kind::Conflict);
  run(0s);
  EXPECT_EQ(proven(), 3s);
}

TEST_F(HeardApiTest, AGapInWhichARequestFailedDoesNotCount) {
  for (const Kind kind : {Kind::Unreachable, Kind::Unknown, Kind::Failed, Kind::Throttled}) {
    const base::Span before = proven();
    run(20s);
    ask();
    below.calls.back()->fail(kind);
    run(60s);
    EXPECT_EQ(api.heard().unproven, 0s);
    ask_and_hear();
    EXPECT_EQ(proven(), before) << static_cast<int>(kind);
    run(2s);
    ask_and_hear();
    EXPECT_EQ(proven(), before + 2s) << "and then it counts again";
    run(0s);
  }
}

TEST_F(HeardApiTest, AGapInWhichARequestStoodOpenForLongDoesNotCount) {
  run(5s);
  ask();
  run(10s);
  EXPECT_EQ(api.heard().unproven, 15s);
  run(1s);
  EXPECT_EQ(api.heard().unproven, 0s);
  below.calls.back()->answer(Object{{"kind", "Node"}});
  run(0s);
  EXPECT_EQ(proven(), 0s);
}

TEST_F(HeardApiTest, WhileOthersAreAnsweredAnOpenRequestSaysNothing) {
  ask();
  for (int i = 0; i < 10; ++i) {
    run(5s);
    ask_and_hear();
  }
  EXPECT_EQ(proven(), 50s);
}

TEST_F(HeardApiTest, ARequestThatWasGivenUpIsNotWaitedFor) {
  ask();
  calls.clear();
  run(60s);
  EXPECT_EQ(api.heard().unproven, 60s);
}

TEST_F(HeardApiTest, EventsAndBookmarksOfAWatchAreHeard) {
  Call watch = api.watch({.range = {.resource = kNodes, .ns = {}, .labels = {}, .fields = {}}, .resource_version = "1"},
                         {.event = [](const WatchEvent&) {}, .ended = [](const std::optional<Fault>&) {}});
  run(50s);
  below.watch(0).bookmark("2");
  run(0s);
  EXPECT_EQ(proven(), 50s);
  run(5s);
  below.watch(0).end(Fault{Kind::Unreachable, "gone"});
  run(5s);
  EXPECT_EQ(api.heard().unproven, 0s);
}

TEST_F(HeardApiTest, ACallMayBeGivenUpFromItsOwnAnswer) {
  Call own = api.call(get(kNodes, "", "n1"), [&own](const Result<Object>&) { own = {}; });
  below.calls.back()->answer(Object{{"kind", "Node"}});
  run(0s);
  EXPECT_TRUE(below.calls.back()->was_given_up || !below.calls.back()->is_open);
}

TEST_F(HeardApiTest, AnAnswerIsDeliveredAlsoWhenTheCallIsLetGo) {
  bool came = false;
  Call call = api.call(get(kNodes, "", "n1"), [&came](const Result<Object>&) { came = true; });
  call.let_go();
  below.calls.back()->answer(Object{{"kind", "Node"}});
  run(0s);
  EXPECT_TRUE(came);
}

}  // namespace
}  // namespace drover::kube
