// How often a pod that a budget holds is asked.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "act/executor.h"

namespace drover::act {
namespace {

using namespace std::chrono_literals;

TEST(WaitForBudget, AsksNoPodMoreThanSixTimesAMinute) {
  for (int pod = 0; pod < 200; ++pod) {
    const std::string uid = "uid-" + std::to_string(pod);
    int asked = 0;
    base::Span at{};
    for (; at < 60s; ++asked) at += wait_for_budget(uid, asked);
    EXPECT_LE(asked, 6) << uid;
    EXPECT_GE(asked, 3) << uid;
  }
}

TEST(WaitForBudget, NeverWaitsMuchLongerThanHalfAMinute) {
  for (const int refusals : {0, 1, 2, 9, 1000, 1 << 30}) EXPECT_LE(wait_for_budget("uid", refusals), 33s) << refusals;
}

TEST(WaitForBudget, IsTheSameForTheSamePodAndAnotherForOthers) {
  std::set<base::Span> waits;
  for (int pod = 0; pod < 100; ++pod) {
    const std::string uid = "uid-" + std::to_string(pod);
    EXPECT_EQ(wait_for_budget(uid, 1), wait_for_budget(uid, 1));
    waits.insert(wait_for_budget(uid, 1));
  }
  EXPECT_EQ(waits.size(), 100U);
}

}  // namespace
}  // namespace drover::act
