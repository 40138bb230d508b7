// What the engine asks of Tenstorrent: whose a node is, what its agent is told, and what the policy says of it.
#include <gmock/gmock.h>

#include "protocol/order.h"
#include "protocol/order_for.h"
#include "protocol/record.h"
#include "vendors/tenstorrent/driver_operands.h"
#include "vendors/tenstorrent/driver_status.h"
#include "vendors/tenstorrent/ownership.h"
#include "vendors/tenstorrent/words.h"
#include "vendors/work_profile.h"

namespace drover::vendors {
namespace {

using core::Phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? *value : json::Value();
}

json::Value policy_born(const std::string& name, const std::string& born, const std::string& affinity) {
  return parsed(R"({"metadata": {"name": ")" + name + R"(", "uid": "u-)" + name + R"(", "creationTimestamp": ")" +
                born + R"("}, "spec": {"version": "2.8.0", "nodeAffinity": )" + affinity + "}}");
}

// ---- whose a node is

struct Fleet {
  json::Value old = policy_born("old", "2026-01-01T00:00:00Z", R"({"matchLabels": {"pool": "a"}})");
  json::Value young = policy_born("young", "2026-02-01T00:00:00Z", "{}");
  std::vector<PolicyObject> policies = {{.kind = 0, .object = &young}, {.kind = 0, .object = &old}};

  Owner owner(std::map<std::string, std::string, std::less<>> labels) const {
    return allot_tenstorrent(policies).owner_of([&](std::string_view key) {
      const auto at = labels.find(key);
      return at == labels.end() ? std::string_view() : std::string_view(at->second);
    });
  }
};

TEST(TenstorrentAllotment, GivesANodeOfTwoPoliciesToTheOlder) {
  const Fleet fleet;
  EXPECT_EQ(fleet.owner({{"pool", "a"}}).policy, 1U);
  EXPECT_THAT(fleet.owner({{"pool", "a"}}).rivals, ElementsAre(1U, 0U));
  EXPECT_EQ(fleet.owner({{"pool", "b"}}).policy, 0U);
  EXPECT_THAT(fleet.owner({{"pool", "b"}}).rivals, IsEmpty());
}

TEST(TenstorrentAllotment, AsksForTheLabelsThatPoliciesSelectBy) {
  EXPECT_THAT(allot_tenstorrent(Fleet().policies).label_keys, ElementsAre(kInstallModeLabel, "pool"));
}

TEST(TenstorrentAllotment, APolicyThatIsBeingDeletedHasNoNodes) {
  Fleet fleet;
  json::ensure(fleet.old, {"metadata", "deletionTimestamp"}) = "2026-03-01T00:00:00Z";
  EXPECT_EQ(fleet.owner({{"pool", "a"}}).policy, 0U);
  EXPECT_EQ(allot_tenstorrent(fleet.policies).ignored_because[1], "it is being deleted");
}

TEST(TenstorrentAllotment, APolicyWhoseSelectorCannotBeReadHasNoNodes) {
  Fleet fleet;
  json::remove(fleet.old, {"spec", "nodeAffinity"});
  EXPECT_EQ(fleet.owner({{"pool", "a"}}).policy, 0U);
}

json::Array terms_of(const json::Value& set) {
  return json::array_at(set, {"spec", "template", "spec", "affinity", "nodeAffinity",
                              "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
}

TEST(TenstorrentAllotment, TheYoungersDaemonSetLeavesTheOldersNodesOut) {
  const Fleet fleet;
  const auto reading = read_driver_policy(fleet.young);
  const json::Value alone = render_builder(reading, {.ns = "tt"});
  const json::Value beside = render_builder(reading, {.ns = "tt"}, older_selectors(fleet.policies, 0));
  ASSERT_EQ(terms_of(beside).size(), 1U);
  EXPECT_THAT(json::text_of(terms_of(beside)), HasSubstr(R"({"key":"pool","operator":"NotIn","values":["a"]})"));
  EXPECT_THAT(json::text_of(terms_of(alone)), ::testing::Not(HasSubstr("pool")));
  EXPECT_EQ(json::text_at(alone, {"metadata", "annotations", kTemplateHash}),
            json::text_at(beside, {"metadata", "annotations", kTemplateHash}))
      << "who else has nodes makes no other pod";
}

TEST(TenstorrentAllotment, NotBothOfTwoLabelsIsOneOrTheOther) {
  Fleet fleet;
  fleet.old = policy_born("old", "2026-01-01T00:00:00Z", R"({"matchLabels": {"pool": "a", "zone": "1"}})");
  const json::Value set =
      render_builder(read_driver_policy(fleet.young), {.ns = "tt"}, older_selectors(fleet.policies, 0));
  EXPECT_EQ(terms_of(set).size(), 2U);
}

TEST(TenstorrentAllotment, WhoeverMeansAllNodesLeavesNoneToTheYounger) {
  Fleet fleet;
  fleet.old = policy_born("old", "2026-01-01T00:00:00Z", "{}");
  const json::Value set =
      render_builder(read_driver_policy(fleet.young), {.ns = "tt"}, older_selectors(fleet.policies, 0));
  EXPECT_THAT(json::text_of(terms_of(set)),
              HasSubstr(R"({"key":"driver.tenstorrent.com/skip","operator":"In","values":["true"]})"));
}

TEST(TenstorrentAllotment, PoliciesThatCannotMeetSayNothingOfEachOther) {
  Fleet fleet;
  fleet.young = policy_born("young", "2026-02-01T00:00:00Z", R"({"matchLabels": {"pool": "b"}})");
  const json::Value set =
      render_builder(read_driver_policy(fleet.young), {.ns = "tt"}, older_selectors(fleet.policies, 0));
  EXPECT_THAT(json::text_of(terms_of(set)), ::testing::Not(HasSubstr("NotIn\",\"values\":[\"a\"]")));
}

// ---- what an agent is told

TEST(TenstorrentOrder, SaysWhatTheSituationAsksFor) {
  const core::Claim claim{.id = "c", .policy = "p", .phase = Phase::Restart, .target = "digest"};
  const auto order = [](protocol::Situation situation) {
    situation.agent_prepares = true;
    return protocol::order_for(situation);
  };
  EXPECT_EQ(order({.phase = Phase::Done, .version = "2.8.0"}), "");
  EXPECT_EQ(order({.phase = Phase::Required, .version = "2.8.0"}), "");
  EXPECT_THAT(order({.phase = Phase::Required, .version = "2.8.0", .is_to_prepare = true}),
              HasSubstr(R"("prepare":"2.8.0")"));
  EXPECT_EQ(order({.phase = Phase::Done, .version = "2.8.0", .is_to_prepare = true}), "") << "it is over";
  EXPECT_THAT(order({.phase = Phase::Done, .is_paused = true}), HasSubstr(R"("paused":true)"));
  EXPECT_THAT(order({.claim = &claim, .phase = Phase::Drain, .is_paused = true}), HasSubstr(R"("mayLoad":false)"));
  const auto may =
      protocol::parse_order(order({.claim = &claim, .phase = Phase::Restart, .is_paused = true, .version = "2.8.0"}));
  ASSERT_TRUE(may);
  EXPECT_TRUE(may->may_load && !may->is_paused) << "what has begun is finished";
  EXPECT_EQ(may->id, "c");
  EXPECT_EQ(may->target, "digest");
}

TEST(TenstorrentOrder, IsReadBack) {
  const protocol::Situation asked{
      .agent_prepares = true, .phase = Phase::Required, .version = "2.8.0", .is_to_prepare = true};
  EXPECT_EQ(protocol::asked_to_prepare(protocol::order_for(asked)), "2.8.0");
  EXPECT_EQ(protocol::asked_to_prepare(""), "");
  EXPECT_EQ(protocol::asked_to_prepare("{"), "");
}

TEST(TenstorrentOrder, OtherVendorsAgentsAreToldOnlyWhenTheyMayLoad) {
  EXPECT_EQ(protocol::order_for({.phase = Phase::Required, .is_paused = true, .is_to_prepare = true}), "");
}

// ---- what the policy says

core::NodeView node(Phase phase) {
  core::NodeView node;
  node.name = "tt-1";
  node.phase = phase;
  node.driver = {.wanted = "2.8.0", .pod = "p", .is_ready = true, .loaded = "2.8.0"};
  return node;
}

std::string told(const core::NodeView& node, bool is_on = true) {
  core::Policy policy_born;
  policy_born.is_on = is_on;
  const StateAndReason state = state_of(node, policy_born);
  return std::string(state.state) + "/" + std::string(state.reason);
}

TEST(TenstorrentStatus, HasAStateAndAReasonForEverything) {
  EXPECT_EQ(told(node(Phase::Done)), "Done/Ready");
  EXPECT_EQ(told(node(Phase::Cordon)), "Cordoning/Cordoning");
  EXPECT_EQ(told(node(Phase::Drain)), "Draining/Draining");
  EXPECT_EQ(told(node(Phase::Restart)), "Upgrading/Installing");
  EXPECT_EQ(told(node(Phase::Uncordon)), "Uncordoning/Uncordoning");
  EXPECT_EQ(told(node(Phase::Required)), "Pending/Waiting");
  EXPECT_EQ(told(node(Phase::Required), false), "Pending/Paused");
  core::NodeView one = node(Phase::Required);
  one.preflight.state = core::PreflightView::State::Missing;
  EXPECT_EQ(told(one), "Pending/CannotPrepare");
  one = node(Phase::Done);
  one.driver.is_host_managed = true;
  EXPECT_EQ(told(one), "HostManaged/HostManagedKMD");
  one = node(Phase::Idle);
  one.driver.is_ready = false;
  EXPECT_EQ(told(one), "Upgrading/Installing");
  one.driver.trouble = "ImagePullBackOff: no such image";
  EXPECT_EQ(told(one), "Failed/BuilderImagePullFailed");
  one.driver.trouble = "CrashLoopBackOff: back-off";
  EXPECT_EQ(told(one), "Failed/BuilderCrashLoop");
  one = node(Phase::Restart);
  one.driver.is_ready = false;
  one.driver.held_by = "held by tt-smi";
  EXPECT_EQ(told(one), "Failed/BuilderCrashLoop");
  one = node(Phase::Failed);
  one.outcome = core::Outcome{
      .failed = true, .code = core::Reason::DrainTimeout, .reason = "the drain ran out of time: 10m of 10m"};
  EXPECT_EQ(told(one), "Failed/DrainTimeout");
}

TEST(TenstorrentStatus, CountsAndKeepsTheTimesOfWhatDidNotChange) {
  core::Policy policy_born;
  const core::NodeView done = node(Phase::Done);
  core::NodeView waiting = node(Phase::Required);
  waiting.name = "tt-2";
  waiting.driver.is_outdated = true;
  core::NodeView hosts = node(Phase::Idle);
  hosts.name = "tt-3";
  hosts.driver.is_host_managed = true;
  const json::Value before = parsed(R"({"nodes": [
      {"name": "tt-1", "state": "Done", "reason": "Ready", "lastTransitionTime": "then"},
      {"name": "tt-2", "state": "Done", "reason": "Ready", "lastTransitionTime": "then"}]})");
  StatusRows rows{
      .policy = &policy_born, .daemon_set = "ttdrv-default", .version = "2.8.0", .now = "now", .before = &before};
  rows.nodes = {{.node = &done, .message = "x"}, {.node = &waiting, .message = "no slot is free"}, {.node = &hosts}};
  json::Members status;
  fill_tenstorrent_status(rows, status);
  EXPECT_EQ(json::text_of(status["summary"]),
            R"({"matched":3,"desired":3,"ready":2,"available":2,"failed":0,"upToDate":2,"inProgress":0})");
  const json::Array& nodes = status["nodes"].get_array();
  EXPECT_EQ(json::text_at(nodes[0], {"lastTransitionTime"}), "then");
  EXPECT_EQ(json::text_at(nodes[1], {"lastTransitionTime"}), "now");
  EXPECT_EQ(json::text_at(nodes[1], {"message"}), "no slot is free");
  EXPECT_EQ(json::text_at(nodes[0], {"currentVersion"}), "2.8.0");
}

// ---- taking over

TEST(TenstorrentTakeover, APodOfTheVendorsOperatorCarriesTheDriverThatItsVariableNames) {
  const json::Value pod = parsed(R"({"spec": {"containers": [{"name": "builder",
      "env": [{"name": "TT_KMD_VERSION", "value": "2.8.0"}]}]}})");
  EXPECT_EQ(kmd_digest_of_pod(pod), kmd_digest("2.8.0"));
  EXPECT_EQ(kmd_digest_of_pod(parsed(R"({"spec": {"containers": [{"name": "web"}]}})")), "");
}

TEST(TenstorrentRecord, AClaimWithoutACordonIsReadBack) {
  protocol::Record record;
  record.held = protocol::ClaimRecord{.kind = "tenstorrent/driver", .node = "n", .claim = {.id = "c", .policy = "p"}};
  record.held->claim.cordon = core::Claim::Cordon::None;
  record.held->claim.gates["gate"] = core::kAbsent;
  const auto back = protocol::parse_record(text_of(record));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->held->claim, record.held->claim);
}

}  // namespace
}  // namespace drover::vendors
