// Deadlines, whatever the API server, the leaders and their clocks do.
#include <gmock/gmock.h>

#include "kube/leader.h"
#include "patchy_api.h"
#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words

struct OneNode {
  OneNode() {
    door.on_passing = [this](const kube::Request& request) {
      if (request.verb == kube::Verb::Delete && request.ns == "ml") ++deleted;
      if (request.subresource == "eviction") ++evicted;
    };
  }
  // A pod that its budget holds is in the way on nvidia-1; it is deleted when the policy's limit is over.
  void begin_to_empty(std::string_view limit = "100") {
    stage.create_policy(cluster_policy("535.129.03", fmt::format(R"("podDeletion": {{"timeoutSeconds": {}}})", limit)));
    start(stage.world.loop, "first");
    ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
    stage.create_budget("train", 1);
    stage.run_training("train", 1, 1);
    stage.world.run_for(30s);
    stage.set_version("550.54.15");
    ASSERT_TRUE(stage.world.run_until([&] { return stage.state("nvidia-1") == "pod-deletion-required"; }, 5min));
  }
  void start(base::Loop& loop, const std::string& identity) {
    Settings settings{.vendors = {{.profile = &vendors::nvidia_driver(), .operands = {}}}};
    if (has_lease) settings.lease = kube::LeaseTerms{.ns = "gpu-operator", .name = "drover", .identity = identity};
    is_lost = false;
    stage.drover = std::make_unique<Operator>(door, loop, stage.world.cluster.random(identity), std::move(settings),
                                              [this] { is_lost = true; });
    stage.drover->start();
  }
  // As the chart runs it: a leader that loses its lease ends, and is started again.
  void end_if_lost() {
    if (is_lost) stage.kill_operator();
  }
  void be_away_for(base::Span span) {
    door.is_away = true;
    for (base::Span passed{}; passed < span; passed += 1s) {
      stage.world.run_for(1s);
      end_if_lost();
    }
    door.is_away = false;
  }

  Stage stage{{.nodes = "nvidia=1"}};
  PatchyApi door{stage.luck, stage.world.loop};
  int deleted = 0;  // in `ml`
  int evicted = 0;
  bool has_lease = false;
  bool is_lost = false;
};
class Time : public ::testing::Test, public OneNode {};

TEST_F(Time, AnOutageDoesNotCountAgainstALimit) {
  begin_to_empty();
  stage.world.run_for(10s);
  be_away_for(80s);
  stage.world.run_for(60s);
  EXPECT_EQ(deleted, 0) << "70 s of 100 s were spent with an API server that could be reached";
  stage.world.run_for(75s);  // the time between the last answer and the first one after it is lost, too
  EXPECT_EQ(deleted, 1);
}

TEST_F(Time, WhatADeletionWentAroundIsToldWhereItsOwnerLooks) {
  begin_to_empty();
  stage.world.run_for(40s);
  const auto condition = [&] {
    for (const json::Value& one : json::array_at(*stage.node("nvidia-1"), {"status", "conditions"})) {
      if (json::text_at(one, {"type"}) == "NvidiaDriverBlocked") return std::string(json::text_at(one, {"message"}));
    }
    return std::string();
  };
  EXPECT_THAT(condition(), ::testing::HasSubstr("blocked by PodDisruptionBudget ml/train")) << "kubectl describe node";
  const auto events = [&](std::string_view kind) {
    std::string text;
    stage.world.store().each("events", "ml", [&](const sim::Stored& event) {
      if (json::text_at(*event, {"involvedObject", "kind"}) == kind)
        text += std::string(json::text_at(*event, {"message"})) + "\n";
    });
    return text;
  };
  EXPECT_THAT(events("PodDisruptionBudget"), ::testing::HasSubstr("It keeps pods on nvidia-1"));
  stage.world.run_for(90s);
  ASSERT_EQ(deleted, 1);
  EXPECT_THAT(events("Pod"), ::testing::HasSubstr("PodDisruptionBudget ml/train blocked its eviction"));
  EXPECT_THAT(events("PodDisruptionBudget"), ::testing::HasSubstr("It no longer keeps"));
  stage.world.run_for(20s);
  EXPECT_EQ(condition(), "") << "it is there only while it holds";
  const json::Array forced = json::array_at(*stage.policy(), {"status", "forcedDeletions"});
  ASSERT_EQ(forced.size(), 1U);
  EXPECT_EQ(json::text_at(forced[0], {"budget"}), "ml/train");
}

TEST_F(Time, AnOutageThatEndsTheLeaderDoesNotCountEither) {
  has_lease = true;
  begin_to_empty();
  stage.world.run_for(10s);
  be_away_for(80s);
  ASSERT_EQ(stage.drover, nullptr) << "the lease was lost";
  start(stage.world.loop, "second");
  // Of what the record does not say a quarter of the limit counts at most.
  stage.world.run_for(60s);
  EXPECT_EQ(deleted, 0);
  stage.world.run_for(60s);
  EXPECT_EQ(deleted, 1) << "and the limit still comes, although leaders change";
}

TEST_F(Time, ManyFailoversReachTheLimitAllTheSame) {
  has_lease = true;
  begin_to_empty();
  for (int i = 0; i < 8 && deleted == 0; ++i) {
    stage.world.run_for(40s);
    stage.kill_operator();
    stage.world.run_for(20s);
    start(stage.world.loop, fmt::format("leader-{}", i));
  }
  EXPECT_EQ(deleted, 1);
}

TEST_F(Time, ALeaderWhoseClockIsAnHourAheadSpendsNoLimit) {
  for (const bool with_lease : {true, false}) {
    OneNode other;
    other.has_lease = with_lease;
    other.begin_to_empty();
    other.stage.world.run_for(10s);
    other.stage.kill_operator();
    WrongClock ahead(other.stage.world.loop, 1h);
    other.stage.world.run_for(20s);
    other.start(ahead, "ahead");
    other.stage.world.run_for(50s);
    EXPECT_EQ(other.deleted, 0) << with_lease;
    WrongClock behind(other.stage.world.loop, -1h);
    other.stage.kill_operator();
    other.start(behind, "behind");
    other.stage.world.run_for(2min);
    EXPECT_EQ(other.deleted, 1) << with_lease;
    other.stage.kill_operator();
  }
}

TEST_F(Time, AWrongClockLosesNoNodeThatIsNotReadyForAMoment) {
  begin_to_empty("0");
  stage.kill_operator();
  WrongClock ahead(stage.world.loop, 1h);
  start(ahead, "ahead");
  stage.world.run_for(5s);
  stage.ask(kube::patch(kube::kNodes, "", "nvidia-1", kube::PatchKind::Strategic,
                        parsed(R"({"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}})"), "status"));
  stage.world.run_for(2s);
  EXPECT_EQ(stage.state("nvidia-1"), "pod-deletion-required");
  stage.kill_operator();
}

TEST_F(Time, APodThatComesBackPastTheSchedulerIsNotEvictedForEver) {
  stage.create_policy(cluster_policy("535.129.03", R"("podDeletion": {"timeoutSeconds": 0})"));
  start(stage.world.loop, "first");
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.run_training("train", 1, 1);
  stage.ask(kube::patch(kube::kDeployments, "ml", "train", kube::PatchKind::Strategic,
                        parsed(R"({"spec": {"template": {"spec": {"nodeName": "nvidia-1"}}}})")));
  stage.world.run_for(1min);
  stage.set_version("550.54.15");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.state("nvidia-1") == "upgrade-failed"; }, 30min));
  stage.world.run_for(10s);  // the policy's status follows
  EXPECT_LE(evicted, 8);
  EXPECT_FALSE(stage.is_cordoned("nvidia-1")) << "it failed before its swap";
  EXPECT_EQ(stage.driver_on("nvidia-1"), "535.129.03");
  EXPECT_THAT(json::text_of(*stage.policy()), ::testing::HasSubstr("ReplicaSet ml/train"));
}

}  // namespace
}  // namespace drover::operate
