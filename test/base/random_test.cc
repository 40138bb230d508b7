#include "base/random.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace drover::base {
namespace {

using namespace std::chrono_literals;

TEST(Random, TheSameSeedGivesTheSameNumbers) {
  Random one(7);
  Random two(7);
  Random other(8);
  std::string a;
  std::string b;
  std::string c;
  for (int i = 0; i < 10; ++i) {
    a += one.uuid();
    b += two.uuid();
    c += other.uuid();
  }
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(Random, DrawsTheNumbersOfTheStandardsMersenneTwister) {
  for (const std::uint64_t seed : {0ULL, 1ULL, 5489ULL, ~0ULL}) {
    MersenneTwister ours(seed);
    std::mt19937_64 standard(seed);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(ours.next(), standard()) << "seed " << seed << ", number " << i;
  }
}

TEST(Random, AForkDependsOnTheLabelAndNotOnWhatWasDrawnBefore) {
  Random fresh(7);
  Random used(7);
  used.below(100);
  EXPECT_EQ(fresh.fork("nodes").uuid(), used.fork("nodes").uuid());
  EXPECT_NE(fresh.fork("nodes").uuid(), fresh.fork("pods").uuid());
}

TEST(Random, UuidsLookLikeVersionFour) {
  Random random(1);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = random.uuid();
    ASSERT_EQ(uuid.size(), 36U);
    ASSERT_EQ(uuid[14], '4');
    ASSERT_NE(std::string("89ab").find(uuid[19]), std::string::npos) << uuid;
    ASSERT_TRUE(seen.insert(uuid).second);
  }
}

TEST(Random, JitterStaysWithinItsFraction) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Span span = random.jitter(10s, 0.2);
    ASSERT_GE(span, 8s);
    ASSERT_LT(span, 12s);
  }
}

TEST(Backoff, DoublesUpToTheMostAndStartsAnewAfterSuccess) {
  Random random(1);
  Backoff backoff(1s, 5s, 0);
  EXPECT_EQ(backoff.next(random), 1s);
  EXPECT_EQ(backoff.next(random), 2s);
  EXPECT_EQ(backoff.next(random), 4s);
  EXPECT_EQ(backoff.next(random), 5s);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(backoff.next(random), 5s);
  backoff.reset();
  EXPECT_EQ(backoff.next(random), 1s);
}

}  // namespace
}  // namespace drover::base
