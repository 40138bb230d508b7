#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace drover::base {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kMoment{std::chrono::sys_days{std::chrono::year{2026} / 11 / 15} + 16h + 22min + 4s + 123456us};

TEST(Time, IsWrittenAsKubernetesWritesIt) {
  EXPECT_EQ(rfc3339(kMoment), "2026-11-15T16:22:04Z");
  EXPECT_EQ(rfc3339_micro(kMoment), "2026-11-15T16:22:04.123456Z");
}

TEST(Time, ReadsFractionsOfAnyLengthAndOffsets) {
  EXPECT_EQ(parse_rfc3339("2026-11-15T16:22:04.123456Z").value(), kMoment);
  EXPECT_EQ(parse_rfc3339("2026-11-15T16:22:04.123456789Z").value(), kMoment);
  EXPECT_EQ(parse_rfc3339("2026-11-15T16:22:04.1Z").value(), kMoment - 23456us);
  EXPECT_EQ(parse_rfc3339("2026-11-15T18:22:04.123456+02:00").value(), kMoment);
  EXPECT_EQ(parse_rfc3339("2026-11-15T11:52:04.123456-04:30").value(), kMoment);
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* text : {"", "now", "2026-11-15", "2026-11-15T16:22:04", "2026-02-30T00:00:00Z",
                           "2026-11-15T24:00:00Z", "2026-11-15T16:22:04Zz", "2026-11-15T16:22:04+2:00"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

RC_GTEST_PROP(Time, GivesBackWhatItWasGiven, ()) {
  const WallTime at{std::chrono::microseconds(*rc::gen::inRange<std::int64_t>(0, 4'000'000'000'000'000))};
  RC_ASSERT(parse_rfc3339(rfc3339_micro(at)).value() == at);
}

TEST(Span, IsShownInTwoUnitsAtMost) {
  EXPECT_EQ(human(0s), "0s");
  EXPECT_EQ(human(850ms), "850ms");
  EXPECT_EQ(human(12s), "12s");
  EXPECT_EQ(human(4min), "4m");
  EXPECT_EQ(human(4min + 30s), "4m30s");
  EXPECT_EQ(human(1h + 3min + 9s), "1h3m");
  EXPECT_EQ(human(52h), "2d4h");
  EXPECT_EQ(human(-90s), "-1m30s");
}

TEST(Span, ReadsWhatFlagsAndPeopleWrite) {
  EXPECT_EQ(parse_span("300").value(), 300s);
  EXPECT_EQ(parse_span("1m30s").value(), 90s);
  EXPECT_EQ(parse_span("250ms").value(), 250ms);
  EXPECT_EQ(parse_span("2h").value(), 2h);
}

TEST(Span, RefusesWhatIsNoSpan) {
  for (const char* text : {"", "x", "5x", "-5s", "1m30", "99999999999999999999s", "s", "1000000000d"}) {
    EXPECT_FALSE(parse_span(text)) << text;
  }
}

}  // namespace
}  // namespace drover::base
