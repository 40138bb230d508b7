// Virtual time: order, cancelling, running to a moment.
#include "base/virtual_loop.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace drover::base {
namespace {

using namespace std::chrono_literals;

TEST(VirtualLoop, RunsByTimeAndThenByTheOrderOfAsking) {
  VirtualLoop loop;
  std::string order;
  loop.after(2s, [&] { order += "c"; }).let_go();
  loop.after(1s, [&] { order += "a"; }).let_go();
  loop.after(1s, [&] { order += "b"; }).let_go();
  loop.run_for(3s);
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(loop.now().time_since_epoch(), 3s);
}

TEST(VirtualLoop, NeverCallsFromInsideTheCallThatAsked) {
  VirtualLoop loop;
  bool ran = false;
  loop.post([&] { ran = true; });
  loop.after(-5s, [&] { ran = true; }).let_go();
  EXPECT_FALSE(ran);
  EXPECT_TRUE(loop.step());
  EXPECT_TRUE(ran);
}

TEST(VirtualLoop, ADestroyedTimerDoesNotFire) {
  VirtualLoop loop;
  bool ran = false;
  {
    const Timer timer = loop.after(1s, [&] { ran = true; });
  }
  Timer other = loop.after(1s, [&] { ran = true; });
  other = loop.after(5s, [] {});
  loop.run_for(2s);
  EXPECT_FALSE(ran);
}

TEST(VirtualLoop, ATimerMayDestroyItselfWhileItRuns) {
  VirtualLoop loop;
  Timer timer;
  int runs = 0;
  timer = loop.after(1s, [&] {
    ++runs;
    timer.cancel();
  });
  loop.run_for(5s);
  EXPECT_EQ(runs, 1);
}

TEST(VirtualLoop, RunsWhatIsDueAtTheVeryEnd) {
  VirtualLoop loop;
  int runs = 0;
  loop.after(1s, [&] { ++runs; }).let_go();
  loop.run_for(1s);
  EXPECT_EQ(runs, 1);
}

TEST(VirtualLoop, StopsAsSoonAsTheConditionHolds) {
  VirtualLoop loop;
  int runs = 0;
  for (int i = 1; i <= 5; ++i) loop.after(i * 1s, [&] { ++runs; }).let_go();
  EXPECT_TRUE(loop.run_until([&] { return runs == 2; }, 10s));
  EXPECT_EQ(loop.now().time_since_epoch(), 2s);
  EXPECT_FALSE(loop.run_until([&] { return runs == 9; }, 10s));
  EXPECT_EQ(loop.now().time_since_epoch(), 12s);
}

TEST(VirtualLoop, TheWallClockJumpsButInstantsDoNot) {
  VirtualLoop loop;
  loop.run_for(10s);
  loop.jump_wall(-1h);
  EXPECT_EQ(loop.wall(), VirtualLoop::kDawn + 10s - 1h);
  EXPECT_EQ(loop.now().time_since_epoch(), 10s);
}

TEST(VirtualLoop, CallbacksMayAskForMore) {
  VirtualLoop loop;
  int ticks = 0;
  std::function<void()> tick = [&] {
    if (++ticks < 1000) loop.after(1s, tick).let_go();
  };
  loop.post(tick);
  loop.run_for(2000s);
  EXPECT_EQ(ticks, 1000);
  EXPECT_EQ(loop.callbacks_run(), 1000u);
}

}  // namespace
}  // namespace drover::base
