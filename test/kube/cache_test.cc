#include "kube/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kube/reflector.h"
#include "kube/version_order.h"

namespace drover::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Object pod(const std::string& name, const std::string& version, const std::string& phase = "") {
  return {{"metadata", {{"name", name}, {"namespace", "ns"}, {"resourceVersion", version}}},
          {"status", {{"phase", phase}}}};
}

// A view that cannot be made from nothing: the cache must not need one.
struct Phase {
  explicit Phase(std::string text) : text(std::move(text)) {}
  std::string text;
};

class CacheOfPhases : public testing::Test {
 protected:
  int made = 0;
  Cache<Phase> cache{[this](const Object& object) {
    ++made;
    return Phase(std::string(json::text_at(object, {"status", "phase"})));
  }};
};

TEST_F(CacheOfPhases, HoldsTheViewThatWasPutLast) {
  EXPECT_TRUE(cache.put(pod("a", "1", "Pending")));
  EXPECT_TRUE(cache.put(pod("a", "2", "Running")));
  ASSERT_NE(cache.find("ns/a"), nullptr);
  EXPECT_EQ(cache.find("ns/a")->text, "Running");
  EXPECT_EQ(cache.find("a"), nullptr);
  EXPECT_EQ(cache.size(), 1u);
}

TEST_F(CacheOfPhases, NamesEachChangedKeyOnceInOrderOfItsFirstChange) {
  cache.put(pod("b", "1"));
  cache.put(pod("a", "2"));
  cache.put(pod("b", "3"));
  cache.drop(pod("b", "4"));
  EXPECT_THAT(cache.take_changes(), ElementsAre("ns/b", "ns/a"));
  EXPECT_THAT(cache.take_changes(), IsEmpty());
}

TEST_F(CacheOfPhases, NamesAKeyAgainWhenItChangesAfterTheChangesWereTaken) {
  cache.put(pod("a", "1"));
  cache.take_changes();
  cache.put(pod("a", "2"));
  EXPECT_THAT(cache.take_changes(), ElementsAre("ns/a"));
}

TEST_F(CacheOfPhases, TakesTheSameVersionAgainForNoChangeAndMakesNoView) {
  cache.put(pod("a", "1"));
  cache.take_changes();
  EXPECT_FALSE(cache.put(pod("a", "1")));
  EXPECT_THAT(cache.take_changes(), IsEmpty());
  EXPECT_EQ(made, 1);
}

TEST_F(CacheOfPhases, TakesAnObjectWithoutVersionAlwaysForAChange) {
  cache.put(pod("a", "", "Pending"));
  EXPECT_TRUE(cache.put(pod("a", "", "Running")));
  EXPECT_EQ(cache.find("ns/a")->text, "Running");
}

TEST_F(CacheOfPhases, TakesADropOfWhatIsNotThereForNoChange) {
  EXPECT_FALSE(cache.drop(pod("a", "1")));
  EXPECT_THAT(cache.take_changes(), IsEmpty());
}

TEST_F(CacheOfPhases, LosesWhatASweepDidNotNameOnlyWhenTheSweepEnds) {
  for (const char* name : {"a", "b", "c"}) cache.put(pod(name, "1"));
  cache.take_changes();
  cache.sweep_began();
  cache.put(pod("b", "1"));
  EXPECT_EQ(cache.size(), 3u);
  EXPECT_TRUE(cache.is_sweeping());
  cache.sweep_ended();
  EXPECT_FALSE(cache.is_sweeping());
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_THAT(cache.take_changes(), ElementsAre("ns/a", "ns/c"));
}

TEST_F(CacheOfPhases, LosesNothingToASweepThatBrokeAndWasBegunAgain) {
  for (const char* name : {"a", "b"}) cache.put(pod(name, "1"));
  cache.sweep_began();
  cache.put(pod("a", "1"));
  cache.sweep_began();
  cache.put(pod("b", "1"));
  EXPECT_EQ(cache.size(), 2u);
  cache.sweep_ended();
  EXPECT_EQ(cache.find("ns/a"), nullptr);
  EXPECT_NE(cache.find("ns/b"), nullptr);
}

TEST_F(CacheOfPhases, AcceptsAnOlderVersionBecauseOrderIsTheReflectorsBusiness) {
  cache.put(pod("a", "9", "Running"));
  EXPECT_TRUE(cache.put(pod("a", "3", "Pending")));
  EXPECT_EQ(cache.find("ns/a")->text, "Pending");
}

TEST_F(CacheOfPhases, WalksInKeyOrder) {
  for (const char* name : {"c", "a", "b"}) cache.put(pod(name, "1"));
  std::vector<std::string> walked;
  cache.each([&](const std::string& key, const Phase&) { walked.push_back(key); });
  EXPECT_THAT(walked, ElementsAre("ns/a", "ns/b", "ns/c"));
}

TEST_F(CacheOfPhases, KeepsNoMoreChangesThanKeysHoweverOftenTheyChange) {
  for (int version = 1; version <= 1000; ++version) cache.put(pod("a", std::to_string(version)));
  EXPECT_EQ(cache.take_changes().size(), 1u);
}

TEST_F(CacheOfPhases, FedByAListenerCallsChangedOncePerSweepAndOncePerChange) {
  int changed = 0;
  const Listener listener = feed(cache, [&] { ++changed; });
  listener.sweep_began();
  listener.put(pod("a", "1"));
  listener.put(pod("b", "1"));
  EXPECT_EQ(changed, 0);
  listener.sweep_ended();
  EXPECT_EQ(changed, 1);
  listener.put(pod("a", "2"));
  EXPECT_EQ(changed, 2);
  listener.put(pod("a", "2"));
  EXPECT_EQ(changed, 2);
  listener.drop(pod("b", "3"));
  EXPECT_EQ(changed, 3);
}

TEST(Version, ComparesDecimalsOfAnyLengthAsNumbers) {
  EXPECT_TRUE(is_older("9", "10"));
  EXPECT_FALSE(is_older("10", "9"));
  EXPECT_FALSE(is_older("10", "10"));
  EXPECT_TRUE(is_older("99999999999999999999999999", "100000000000000000000000000"));
  EXPECT_FALSE(is_older("0010", "9"));
  EXPECT_FALSE(is_older("000", "0"));
  EXPECT_TRUE(is_older("000", "1"));
}

TEST(Version, NeverComparesWhatIsNotADecimal) {
  EXPECT_FALSE(is_older("", "1"));
  EXPECT_FALSE(is_older("1", ""));
  EXPECT_FALSE(is_older("a1", "b2"));
  EXPECT_FALSE(is_older("-1", "1"));
  EXPECT_FALSE(is_older("1.5", "2"));
}

}  // namespace
}  // namespace drover::kube
