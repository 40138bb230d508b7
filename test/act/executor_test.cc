// Requests under way: one for each key, waits that grow, results for the next pass; and how often a pod that a budget
// holds is asked.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "act/executor.h"
#include "kube/scripted_api.h"

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

class AnExecutor : public ::testing::Test {
 protected:
  base::VirtualLoop loop;
  kube::ScriptedApi api{loop};
  kube::EventRecorder events{api, loop, base::Random(1), "drover", "drover-0"};
  bool is_leader = true;
  int told = 0;
  Executor executor{api, loop, base::Random(2), events, [this] { return is_leader; }, [this] { ++told; }};
  kube::Cache<observe::NodeFacts> nodes{[](const kube::Object& object) { return observe::node_facts(object); }};

  static kube::Object node(const std::string& version) {
    return {{"metadata", {{"name", "a"}, {"uid", "uid-a"}, {"resourceVersion", version}}}};
  }
  static observe::NodeFacts seen(const std::string& version) { return observe::node_facts(node(version)); }
  static Write patch(const std::string& decided_on, bool takes = false) {
    Write write{.key = "node/a",
                .request = kube::patch(kube::kNodes, "", "a", kube::PatchKind::Merge, node(decided_on)),
                .purpose = Purpose::Node,
                .subject = {.node = "a", .takes = takes, .decided_on = decided_on}};
    if (takes) write.subject.claim = "claim";
    return write;
  }
  static Write eviction() {
    return {.key = "evict/pod-1",
            .request = kube::evict("ml", "train", "pod-1"),
            .purpose = Purpose::Evict,
            .subject = {.node = "a", .ns = "ml", .pod = "pod-1"},
            .rest = kAskAgain};
  }
  void settle() { loop.run_for(1ms); }
};

TEST_F(AnExecutor, SendsOneAtATimeForAKeyAndKeepsWhatCameOfIt) {
  EXPECT_TRUE(executor.run(patch("1")));
  EXPECT_TRUE(executor.pending().is_under_way("node/a"));
  EXPECT_FALSE(executor.run(patch("1")));
  api.call(0).answer(node("2"));
  settle();
  EXPECT_EQ(told, 1);
  const std::vector<WriteResult> results = executor.take_results();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].subject.node, "a");
  EXPECT_EQ(results[0].version, "2");
  EXPECT_FALSE(results[0].fault);
  EXPECT_TRUE(executor.take_results().empty());
  EXPECT_TRUE(executor.pending().is_free("node/a"));
}

TEST_F(AnExecutor, LeavesANodeAloneUntilTheWatchShowsWhatWasWritten) {
  executor.run(patch("1"));
  api.call(0).answer(node("7"));
  settle();
  EXPECT_TRUE(executor.pending().is_behind(seen("1")));
  EXPECT_FALSE(executor.pending().is_behind(seen("7")));
  EXPECT_FALSE(executor.pending().is_behind(seen("9")));
}

TEST_F(AnExecutor, WaitsAfterAConflictUnlessTheFasterWriteWasSeen) {
  executor.run(patch("1"));
  api.call(0).fail(kube::Fault::Kind::Conflict);
  settle();
  EXPECT_FALSE(executor.pending().may_overtake(seen("1")));
  EXPECT_FALSE(executor.run(patch("1")));
  EXPECT_TRUE(executor.next_in());
  EXPECT_TRUE(executor.pending().may_overtake(seen("2")));
  EXPECT_TRUE(executor.run(patch("2")));
  EXPECT_EQ(executor.failures(), 0U);
}

// The fault: a thousand requests a second for one node, when a webhook took a label out of each.
TEST_F(AnExecutor, SendsSeldomerWhatChangesNothing) {
  std::size_t sent = 0;
  for (int tenth = 0; tenth < 600; ++tenth) {
    if (executor.run(patch("7"))) api.call(sent++).answer(node("7"));
    loop.run_for(100ms);
  }
  EXPECT_GE(sent, 3U);
  EXPECT_LE(sent, 10U) << "in a minute";
}

TEST_F(AnExecutor, CountsATakingUntilTheWatchShowsIt) {
  nodes.put(node("1"));
  executor.run(patch("1", true));
  EXPECT_TRUE(executor.has_pending_takes(nodes));
  api.call(0).answer(node("2"));
  settle();
  EXPECT_TRUE(executor.has_pending_takes(nodes));
  nodes.put(node("2"));
  EXPECT_FALSE(executor.has_pending_takes(nodes));
}

TEST_F(AnExecutor, TakesATakingForPossibleWhoseAnswerWasLost) {
  nodes.put(node("1"));
  executor.run(patch("1", true));
  api.call(0).fail(kube::Fault::Kind::Unknown);
  settle();
  EXPECT_TRUE(executor.has_pending_takes(nodes));
  loop.run_for(29s);
  EXPECT_TRUE(executor.has_pending_takes(nodes));
  loop.run_for(2s);
  EXPECT_FALSE(executor.has_pending_takes(nodes));
}

TEST_F(AnExecutor, KnowsOfEvictionsWhoseAnswerHasNotCome) {
  executor.run(eviction());
  EXPECT_TRUE(executor.pending().has_pending_evictions("a"));
  EXPECT_EQ(executor.pending().answers("evict/pod-1"), 0);
  api.call(0).fail(kube::Fault::Kind::Blocked);
  settle();
  EXPECT_FALSE(executor.pending().has_pending_evictions("a"));
  EXPECT_EQ(executor.pending().answers("evict/pod-1"), 1);
  EXPECT_FALSE(executor.run(eviction()));  // a budget is not asked again at once
  EXPECT_EQ(executor.failures(), 0U);
}

TEST_F(AnExecutor, SendsNothingWhenItDoesNotLead) {
  is_leader = false;
  EXPECT_FALSE(executor.run(patch("1")));
  is_leader = true;
  EXPECT_TRUE(executor.run(patch("1")));
}

TEST_F(AnExecutor, HasRoomForSoManyAndNoMore) {
  for (int i = 0; executor.pending().room() > 0; ++i) {
    Write write = eviction();
    write.key = "evict/" + std::to_string(i);
    ASSERT_TRUE(executor.run(std::move(write)));
  }
  EXPECT_FALSE(executor.pending().is_free("node/a"));
  EXPECT_FALSE(executor.run(patch("1")));
}

}  // namespace
}  // namespace drover::act
