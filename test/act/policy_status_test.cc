// What a policy says of itself, in the words of its vendor.
#include "act/policy_status.h"

#include <gmock/gmock.h>

#include "core/fleet.h"
#include "vendors/nvidia/module.h"
#include "vendors/tenstorrent/module.h"

namespace drover::act {
namespace {

using core::Phase;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace core::testing;  // NOLINT(google-build-using-namespace): fleets in few words

json::Value status_of(const core::FleetView& fleet, const vendors::WorkProfile& profile,
                      const StatusFacts& facts = {}) {
  return policy_status(fleet, core::decide(profile.flow, fleet), profile, facts, {});
}

// "True/AllReady: all 3 nodes …"
std::string condition(const json::Value& status, std::string_view type) {
  for (const json::Value& one : json::array_at(status, {"conditions"})) {
    if (json::text_at(one, {"type"}) != type) continue;
    return std::string(json::text_at(one, {"status"})) + "/" + std::string(json::text_at(one, {"reason"})) + ": " +
           std::string(json::text_at(one, {"message"}));
  }
  return "absent";
}

// With everything that a node of either vendor needs to be done.
core::NodeView done(const char* name) {
  core::NodeView one = current(node(name));
  one.driver.loaded = "550";
  return one;
}
core::NodeView hosts_own(const char* name) {
  core::NodeView one = node(name, Phase::Idle);
  one.driver.is_host_managed = true;
  return one;
}

TEST(PolicyStatus, SaysWhatToSwitchOffInTheWordsOfTheVendorWhoseOperatorRuns) {
  const StatusFacts facts{.about = {.competing_operator = "Deployment ns/its-operator"}};
  const std::string nvidia =
      condition(status_of(fleet({done("n1")}), vendors::nvidia_driver(), facts), "ConflictingOperator");
  EXPECT_THAT(nvidia, AllOf(HasSubstr("ns/its-operator"), HasSubstr("driver.enabled=false in its ClusterPolicy")));
  const std::string other =
      condition(status_of(fleet({done("n1")}), vendors::tenstorrent_driver(), facts), "ConflictingOperator");
  EXPECT_THAT(other, AllOf(HasSubstr("ns/its-operator"), HasSubstr("scale it to zero"),
                           HasSubstr("TenstorrentDriverPolicy"), Not(HasSubstr("ClusterPolicy"))));
}

TEST(PolicyStatus, ListsTheLastForcedDeletionsAcrossRestarts) {
  json::Value policy = json::parse(R"({"status": {"forcedDeletions": [
      {"pod": "ml/before", "node": "n0", "at": "2026-11-15T10:00:00Z"}]}})")
                           .value();
  StatusFacts facts{.policy = &policy};
  for (int i = 0; i < 19; ++i) facts.forced.push_back({.pod = "ml/p" + std::to_string(i), .node = "n1", .at = "t"});
  facts.forced.back().budget = "ml/train";
  const auto forced = [&] {
    return json::array_at(status_of(fleet({done("n1")}), vendors::nvidia_driver(), facts), {"forcedDeletions"});
  };
  ASSERT_EQ(forced().size(), 20U);
  EXPECT_EQ(json::text_at(forced().front(), {"pod"}), "ml/before");
  EXPECT_EQ(json::text_at(forced().back(), {"budget"}), "ml/train");
  facts.forced.push_back({.pod = "ml/last", .node = "n1", .at = "t"});
  EXPECT_EQ(json::text_at(forced().front(), {"pod"}), "ml/p0");
  json::ensure(policy, {"status", "forcedDeletions"}) = json::Value(forced());
  EXPECT_EQ(forced().size(), 20U) << "what the status says already is not added again";
}

TEST(PolicyStatus, ListsADoneNodeWhoseDriverNoLongerServes) {
  core::NodeView broken = done("n1");
  broken.driver.is_ready = false;
  broken.driver.loaded = {};
  broken.driver.unready_for = 1min;
  const json::Value status = status_of(fleet({broken, done("n2")}), vendors::nvidia_driver());
  const json::Array& nodes = json::array_at(status, {"nodes"});
  ASSERT_EQ(nodes.size(), 1U);
  EXPECT_EQ(json::text_at(nodes[0], {"name"}), "n1");
  EXPECT_EQ(json::text_at(nodes[0], {"code"}), "DriverNotReady");
  EXPECT_EQ(json::int_at(status, {"rollout", "startNodes"}), 0) << "and no rollout begins with it";
}

TEST(PolicyStatus, SaysOfAHaltedRolloutHowANodeIsTriedAgain) {
  core::NodeView failed = node("n1", Phase::Failed);
  failed.outcome = core::Outcome{.failed = true, .after_swap = true, .target = "new", .reason = "it did not load"};
  failed.claim = core::Claim{.id = "c", .policy = "policy", .phase = Phase::Failed};
  EXPECT_THAT(condition(status_of(fleet({failed}), vendors::nvidia_driver()), "RolloutHalted"),
              AllOf(HasSubstr("True/"), HasSubstr("by its state label")));
  EXPECT_THAT(condition(status_of(fleet({failed}), vendors::tenstorrent_driver()), "RolloutHalted"),
              AllOf(HasSubstr("True/"), HasSubstr("drover.dev/upgrade-requested=true"), Not(HasSubstr("state label"))));
}

TEST(PolicyStatus, DoesNotCallNodesAbsentWhoseHostBringsTheDriver) {
  EXPECT_THAT(condition(status_of(fleet({hosts_own("n1"), hosts_own("n2")}), vendors::nvidia_driver()), "Ready"),
              HasSubstr("True/HostManaged: all 2 nodes"));
  EXPECT_THAT(condition(status_of(fleet({}), vendors::nvidia_driver()), "Ready"), HasSubstr("False/NoNodes"));
}

TEST(PolicyStatus, SaysWhoHasNodesThatSeveralPoliciesSelect) {
  const StatusFacts facts{.about = {.disputed = std::vector<std::string>{"n1"}}};
  EXPECT_THAT(condition(status_of(fleet({done("n1")}), vendors::nvidia_driver(), facts), "NodeSelectorConflict"),
              HasSubstr("n1: other policies select them too; they stay as they are"));
  EXPECT_THAT(condition(status_of(fleet({done("n1")}), vendors::tenstorrent_driver(), facts), "NodeSelectorConflict"),
              HasSubstr("n1: other policies select them too; the oldest of them has them"));
}

TEST(PolicyStatus, SpellsTenstorrentsConditionsAsItsOperatorDoes) {
  const auto told = [](const core::FleetView& fleet, std::string_view type) {
    const std::string all = condition(status_of(fleet, vendors::tenstorrent_driver()), type);
    return all.substr(0, all.find(':'));
  };
  EXPECT_EQ(told(fleet({done("n1")}), "Ready"), "True/AllReady");
  EXPECT_EQ(told(fleet({done("n1")}), "Progressing"), "False/Idle");
  EXPECT_EQ(told(fleet({hosts_own("n1")}), "Ready"), "True/AllReady");
  EXPECT_EQ(told(fleet({}), "Ready"), "True/NoMatchingNodes");
  core::FleetView rolling = fleet({done("n1"), taken("n2", Phase::Drain)});
  EXPECT_EQ(told(rolling, "Ready"), "False/Installing");
  EXPECT_EQ(told(rolling, "Progressing"), "True/Rolling");
  rolling.policy.is_on = false;
  EXPECT_EQ(told(rolling, "Ready"), "Unknown/Paused");
  EXPECT_EQ(told(rolling, "Progressing"), "False/Paused");
  EXPECT_EQ(told(fleet({current(node("n1")), node("n2", Phase::Idle)}), "Ready"), "False/Installing");
}

TEST(PolicyStatus, KeepsTheTimeOfAConditionThatIsStillUnknown) {
  core::FleetView paused = fleet({node("n1", Phase::Required)});
  paused.policy.is_on = false;
  const json::Value before = json::Members{
      {"status",
       json::Members{{"conditions", json::Array{json::Members{
                                        {"type", "Ready"}, {"status", "Unknown"}, {"lastTransitionTime", "then"}}}}}}};
  const json::Value after = status_of(paused, vendors::tenstorrent_driver(), {.policy = &before});
  EXPECT_EQ(json::text_at(json::array_at(after, {"conditions"}).front(), {"lastTransitionTime"}), "then");
}

// Their operator writes Ready; two writers would take turns for ever.
TEST(PolicyStatus, OnlySaysThatAnotherOperatorRunsAndLeavesTheRestAsItIs) {
  const json::Value policy = {
      {"status",
       {{"state", "ready"},
        {"conditions", json::Array{json::Members{{"type", "Ready"}, {"status", "True"}, {"reason", "Theirs"}}}}}}};
  const json::Value status = status_of(fleet({node("n1", Phase::Required)}), vendors::nvidia_driver(),
                                       {.policy = &policy, .about = {.competing_operator = "Deployment ns/theirs"}});
  EXPECT_EQ(condition(status, "Ready"), "True/Theirs: ");
  EXPECT_THAT(condition(status, "ConflictingOperator"), HasSubstr("True/Running"));
  EXPECT_EQ(json::text_at(status, {"state"}), "ready");
  EXPECT_EQ(json::find(status, {"summary"}), nullptr);
}

TEST(PolicyStatus, KeepsTheConditionsOfOthers) {
  const json::Value policy = {
      {"status",
       {{"conditions", json::Array{json::Members{{"type", "Upgradeable"}, {"status", "True"}, {"reason", "Theirs"}},
                                   json::Members{{"type", "Ready"}, {"status", "False"}, {"reason", "Old"}}}}}}};
  const json::Value status = status_of(fleet({done("n1")}), vendors::nvidia_driver(), {.policy = &policy});
  EXPECT_EQ(condition(status, "Upgradeable"), "True/Theirs: ");
  EXPECT_THAT(condition(status, "Ready"), HasSubstr("True/AllServing"));
}

}  // namespace
}  // namespace drover::act
