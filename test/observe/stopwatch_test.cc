// What counts against a limit, whatever clocks and leaders do.
#include "observe/stopwatch.h"

#include <gtest/gtest.h>

namespace drover::observe {
namespace {

using namespace std::chrono_literals;

const base::WallTime kStart = base::parse_rfc3339("2026-11-15T12:00:00Z").value();
constexpr base::Span kQuarter = 75s;

// A claim that the leader before us wrote 40 s before this process began.
protocol::ClaimRecord claim_of_another(base::Span spent = 60s) {
  protocol::ClaimRecord held{.kind = "k", .node = "n", .claim = {.id = "c", .policy = "p"}, .since = kStart - 100s};
  held.claim.phase = core::Phase::Drain;
  held.claim.spent = spent;
  held.at = kStart - 40s;
  return held;
}

Stopwatch::Clocks at(base::Span heard, base::WallTime wall = kStart, base::Span unproven = {}) {
  return {.heard = {.proven = heard, .unproven = unproven}, .wall = wall};
}

TEST(Stopwatch, CountsOnFromTheRecordByTheTimeThatTheServerWasHeard) {
  Stopwatch watch;
  const auto held = claim_of_another();
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(0s)).spent, 100s);
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(10s, kStart + 1h)).spent, 110s) << "the wall clock may jump";
  EXPECT_EQ(watch.look("n", held, false, kQuarter, at(30s)).spent, 110s) << "paused, or not ready";
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(31s)).spent, 111s);
}

TEST(Stopwatch, TimeThatNoAnswerHasProvenIsShownAndNotKept) {
  Stopwatch watch;
  const auto held = claim_of_another();
  (void)watch.look("n", held, true, kQuarter, at(0s));
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(0s, kStart, 50s)).spent, 150s);
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(1s)).spent, 101s) << "the server had been away";
}

TEST(Stopwatch, OfTheTimeBetweenTwoProcessesAQuarterOfTheLimitCountsAtMost) {
  for (const std::chrono::hours ahead : {1h, 24h}) {
    Stopwatch watch;
    EXPECT_EQ(watch.look("n", claim_of_another(), true, kQuarter, at(0s, kStart + ahead)).spent, 60s + kQuarter);
  }
  Stopwatch watch;
  EXPECT_EQ(watch.look("n", claim_of_another(), true, kQuarter, at(0s, kStart - 1h)).spent, 60s) << "a clock behind";
}

TEST(Stopwatch, WithALeaseOnlyTheOldLeadersOwnClockCounts) {
  Stopwatch watch;
  Stopwatch::Clocks clocks = at(0s, kStart + 1h);
  clocks.leader_before_until = kStart - 35s;
  EXPECT_EQ(watch.look("n", claim_of_another(), true, kQuarter, clocks).spent, 65s);
}

TEST(Stopwatch, WhatThisProcessWroteHasNoGapWhateverTheLeaderBeforeSaid) {
  Stopwatch watch;
  Stopwatch::Clocks clocks = at(0s);
  clocks.leader_before_until = kStart + 1h;  // its clock was ahead
  auto held = claim_of_another();
  (void)watch.look("m", held, true, kQuarter, clocks);
  held.claim.spent = 0s;
  held.since = held.at = kStart + 5s;
  clocks.wall = kStart + 5s;
  const auto reading = watch.look("n", held, true, kQuarter, clocks);
  EXPECT_EQ(reading.spent, 0s);
  EXPECT_FALSE(reading.is_restored);
}

TEST(Stopwatch, APauseThatAnEarlierLeaderSawDoesNotCount) {
  Stopwatch watch;
  auto held = claim_of_another();
  held.claim.deadline_paused = true;
  EXPECT_EQ(watch.look("n", held, false, kQuarter, at(0s)).spent, 60s);
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(5s)).spent, 65s) << "it ended";
}

TEST(Stopwatch, WhatAnotherLeaderWroteIsToBeWrittenOnce) {
  Stopwatch watch;
  auto held = claim_of_another();
  EXPECT_TRUE(watch.look("n", held, true, kQuarter, at(0s)).is_restored);
  held.claim.spent = 100s;
  held.at = kStart + 1s;
  const auto after = watch.look("n", held, true, kQuarter, at(2s, kStart + 2s));
  EXPECT_FALSE(after.is_restored);
  EXPECT_EQ(after.spent, 102s) << "what we wrote ourselves is not read back";
  Stopwatch other;
  (void)other.look("m", claim_of_another(), true, kQuarter, at(0s));
  EXPECT_FALSE(other.look("n", held, true, kQuarter, at(2s, kStart + 2s)).is_restored) << "this process wrote it";
}

TEST(Stopwatch, ANewPhaseBeginsAtZero) {
  Stopwatch watch;
  auto held = claim_of_another();
  (void)watch.look("n", held, true, kQuarter, at(0s));
  held.claim.phase = core::Phase::Restart;
  held.claim.spent = 0s;
  held.since = held.at = kStart + 5s;
  EXPECT_EQ(watch.look("n", held, true, kQuarter, at(5s, kStart + 5s)).spent, 0s);
}

}  // namespace
}  // namespace drover::observe
