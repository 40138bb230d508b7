// The way back: before the swap as it was, after it with the new driver or held.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/decide.h"
#include "core/fleet.h"

namespace drover::core::testing {
namespace {

using ::testing::HasSubstr;

// Giving it back before the swap.

struct Unwinding {
  std::string_view name;
  void (*make)(FleetView&);
  std::string_view to;
};

constexpr Unwinding kUnwindings[] = {
    {"PolicyDeleted", [](FleetView& f) { f.policy.is_ending = true; }, "idle"},
    {"Deselected", [](FleetView& f) { f.nodes[0].is_selected = false; }, "idle"},
    {"SkipLabel", [](FleetView& f) { f.nodes[0].is_skipped = true; }, "required"},
    {"PolicyNotReadable", [](FleetView& f) { f.nodes[0].target = "", f.nodes[0].driver.is_outdated = false; },
     "required"},
    {"VersionPutBack", [](FleetView& f) { f.nodes[0].driver.is_outdated = false; }, "done"},
};

class UnwindTest : public ::testing::TestWithParam<std::tuple<Unwinding, Phase, Claim::Cordon>> {};

TEST_P(UnwindTest, TheNodeIsAsItWas) {
  const auto& [how, phase, cordon] = GetParam();
  FleetView nodes = fleet({taken("a", phase, cordon)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.policy.drain = Removal{.at_most = 300s};
  how.make(nodes);
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(name(change.phase), how.to);
  EXPECT_FALSE(change.claim);
  EXPECT_EQ(change.tainted, false);
  EXPECT_EQ(change.cordoned, cordon == Claim::Cordon::Ours ? std::optional(false) : std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(All, UnwindTest,
                         ::testing::Combine(::testing::ValuesIn(kUnwindings),
                                            ::testing::Values(Phase::Cordon, Phase::WaitForJobs, Phase::EvictDevicePods,
                                                              Phase::Drain, Phase::Restart),
                                            ::testing::Values(Claim::Cordon::Ours, Claim::Cordon::Found)));

TEST(Unwind, APersonWhoUncordonsHasTheNode) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].is_cordoned = false;
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Required);
  EXPECT_TRUE(change.gives_back_to_person);
  EXPECT_EQ(change.cordoned, std::nullopt);
  EXPECT_FALSE(change.claim);
}

TEST(Unwind, AnOldDriverIsNeverReplacedOnAnOpenNode) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].is_cordoned = false;
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Required);
  EXPECT_TRUE(change.gives_back_to_person);
  EXPECT_FALSE(change.claim);
}

TEST(Unwind, ANodeWhoseOldDriverIsGoneGoesOn) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].driver.pod = "new-a";
  nodes.nodes[0].driver.is_outdated = false;
  nodes.nodes[0].driver.is_ready = false;
  nodes.policy.is_ending = true;
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Outcome, IsAboutTheDriverThatWasTriedWhenAnotherIsWantedByNow) {
  FleetView nodes = fleet({taken("a", Phase::Validate)});
  nodes.nodes[0].claim->target = "tried";
  nodes.nodes[0].spent = 1h;
  const MadeChange change = change_of(nodes);
  ASSERT_TRUE(change.outcome);
  EXPECT_TRUE(change.outcome->failed);
  EXPECT_EQ(change.outcome->target, "tried");
  EXPECT_EQ(change.phase, Phase::Required) << "another version is wanted";
}

TEST(Outcome, KnowsTheTargetThatChangedBeforeTheSwap) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].claim->target = "older";
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Restart);
  EXPECT_EQ(change.claim->target, "new");
}

TEST(Required, IsNotDoneWhileThereIsNoDriver) {
  FleetView nodes = fleet({current(node("a", Phase::Required))});
  EXPECT_EQ(verdict(nodes), "required > done");
  nodes.nodes[0].driver.is_ready = false;
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.nodes[0].driver.pod = "";
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(LooseEnds, AClaimIsOwnedByThePolicyThatDecides) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].claim->policy = "one that was deleted";
  EXPECT_EQ(change_of(nodes).claim->policy, "policy");
}

TEST(Validator, IsReplacedWhenItIsOlderThanTheDriver) {
  FleetView nodes = fleet({current(taken("a", Phase::Validate))});
  nodes.nodes[0].validator.is_stale = true;
  EXPECT_EQ(verdict(nodes), "replace-validator");
}

TEST(LooseEnds, GatesThatNoClaimRemembersAreOpened) {
  FleetView nodes = fleet({current(node("a", Phase::Done))});
  nodes.nodes[0].lost_gates = {{"plugin", "true"}};
  EXPECT_EQ(change_of(nodes).gates_to_restore, nodes.nodes[0].lost_gates);
}

TEST(LooseEnds, GatesThatWereLostWithTheRecordAreKeptClosedThroughTheSwap) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].claim->driver_pod = "";
  nodes.nodes[0].claim_is_written = false;
  nodes.nodes[0].gates = {{"dcgm", "true"}};
  nodes.nodes[0].lost_gates = {{"plugin", "true"}};
  const MadeChange change = change_of(nodes);
  EXPECT_TRUE(change.gates_to_restore.empty());
  EXPECT_THAT(change.gates_to_pause, ::testing::ElementsAre("dcgm"));
  EXPECT_EQ(change.claim->gates.size(), 2U);
}

TEST(Unwind, AHeldNodeStaysCordoned) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].is_skipped = nodes.nodes[0].is_held = true;
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.cordoned, std::nullopt);
  EXPECT_FALSE(change.claim);
}

TEST(Pause, GivesBackWhatWasNotDisturbedAndKeepsWhatWas) {
  FleetView nodes = fleet({taken("a", Phase::WaitForJobs), taken("b", Phase::EvictDevicePods),
                           taken("c", Phase::EvictDevicePods), taken("d", Phase::Restart)});
  nodes.policy.is_on = false;
  nodes.policy.jobs.is_wanted = true;
  nodes.nodes[1].pods = nodes.nodes[2].pods = {pod("train")};
  nodes.nodes[1].claim->deadline_paused = true;
  nodes.nodes[2].is_untouched = nodes.nodes[3].is_untouched = true;
  EXPECT_EQ(verdict(nodes, 0), "wait-for-jobs > required");
  EXPECT_EQ(verdict(nodes, 1), "waits");
  EXPECT_EQ(verdict(nodes, 2), "evict-device-pods > required");
  EXPECT_EQ(verdict(nodes, 3), "restart > required");
  EXPECT_FALSE(change_of(nodes, 2).without_controller) << "a pause does not ask for an upgrade without the controller";
}

TEST(Pause, IsWrittenDownWhenItBeginsAndWhenItEnds) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.policy.is_on = false;
  EXPECT_TRUE(change_of(nodes).claim->deadline_paused);
  nodes.nodes[0].claim->deadline_paused = true;
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.policy.is_on = true;
  EXPECT_FALSE(change_of(nodes).claim->deadline_paused);
}

TEST(Pause, DoesNotStopWhatGivesTheNodeBack) {
  FleetView nodes = fleet({taken("a", Phase::Validate)});
  nodes.policy.is_on = false;
  nodes.nodes[0].validator.has_passed = true;
  EXPECT_EQ(verdict(nodes), "validate > uncordon > done");
}

TEST(Pause, DoesNotLetTheOldDriverGo) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.policy.is_on = false;
  nodes.nodes[0].claim->deadline_paused = true;
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.policy.is_on = true;
  nodes.nodes[0].claim->deadline_paused = false;
  EXPECT_EQ(verdict(nodes), "replace-driver-pod");
}

// The swap, and after it.

TEST(Restart, WaitsUntilTheDaemonSetKnowsTheNewTemplate) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].driver.is_settled = false;
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Restart, DeletesTheOldPodOnce) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  EXPECT_EQ(verdict(nodes), "replace-driver-pod");
  nodes.nodes[0].driver.is_going = true;
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.nodes[0].driver.pod.clear();
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Restart, GoesBackForAPodThatCameAndGivesUpWhenTheyKeepComing) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].pods = {pod("late")};
  nodes.nodes[0].claim->gates = {{"gate", "true"}};
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::EvictDevicePods);
  EXPECT_EQ(change.claim->gates.size(), 1U) << "what was paused is still to be restored";

  nodes.nodes[0].pods->front().generation = 4;
  EXPECT_EQ(verdict(nodes), "restart > failed");
  EXPECT_THAT(change_of(nodes).outcome->reason, HasSubstr("late came after 3 others"));
  EXPECT_FALSE(change_of(nodes).outcome->after_swap) << "the version is not to blame";
  EXPECT_FALSE(change_of(nodes).claim) << "the old driver serves: the node is given back";

  nodes.nodes[0].pods.reset();
  EXPECT_EQ(verdict(nodes), "waits") << "the pods are not known";
}

TEST(Restart, LeavesPodsAloneThatTheUserLeavesAlone) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.policy.device_pods.reset();
  EXPECT_EQ(verdict(nodes), "replace-driver-pod");
}

TEST(Restart, ReplacesACurrentPodTooOnRequest) {
  FleetView nodes = fleet({current(taken("a", Phase::Restart))});
  nodes.nodes[0].claim->was_asked_for = true;
  EXPECT_EQ(verdict(nodes), "replace-driver-pod");
  nodes.nodes[0].driver.pod = "new";
  EXPECT_EQ(verdict(nodes), "restart > validate");
}

TEST(Restart, APodThatCameBackOldIsDeletedAgain) {
  FleetView nodes = fleet({taken("a", Phase::Restart)});
  nodes.nodes[0].driver.pod = "another";
  EXPECT_EQ(verdict(nodes), "replace-driver-pod");
}

TEST(Restart, SaysWhatIsWrongWithTheNewPodAndFailsInTheEnd) {
  FleetView nodes = fleet({current(taken("a", Phase::Restart))});
  nodes.nodes[0].driver.pod = "new";
  nodes.nodes[0].driver.is_ready = false;
  nodes.nodes[0].driver.trouble = "CrashLoopBackOff: exit 1";
  nodes.nodes[0].spent = nodes.nodes[0].claim->spent = 29min;
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.nodes[0].spent = 30min;
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Failed);
  EXPECT_TRUE(change.outcome->after_swap);
  EXPECT_EQ(change.cordoned, std::nullopt) << "held: its driver does not work";
  ASSERT_TRUE(change.claim);
  EXPECT_EQ(change.claim->phase, Phase::Failed);
}

TEST(Restart, PausesTheSiblingsAndValidateLetsThemBack) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].gates = {{"deploy.plugin", "true"}};
  MadeChange change = change_of(nodes);
  EXPECT_THAT(change.gates_to_pause, ::testing::ElementsAre("deploy.plugin"));
  EXPECT_EQ(change.claim->gates.at("deploy.plugin"), "true");

  nodes = fleet({current(taken("a", Phase::Restart))});
  nodes.nodes[0].claim->gates = {{"deploy.plugin", "true"}};
  nodes.nodes[0].driver.pod = "new";
  change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Validate);
  EXPECT_EQ(change.gates_to_restore.at("deploy.plugin"), "true");
  EXPECT_EQ(change.tainted, false);
  EXPECT_TRUE(change.claim->gates.empty());
}

TEST(Validate, EndsInService) {
  FleetView nodes = fleet({current(taken("a", Phase::Validate))});
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.nodes[0].validator.has_passed = true;
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Done);
  EXPECT_EQ(change.cordoned, false);
  EXPECT_FALSE(change.claim);
  EXPECT_EQ(change.outcome, (Outcome{.target = "new"}));
}

TEST(Validate, ANodeThatWasCordonedBeforeUsStaysCordoned) {
  FleetView nodes = fleet({current(taken("a", Phase::Validate, Claim::Cordon::Found))});
  nodes.nodes[0].validator.has_passed = true;
  EXPECT_EQ(change_of(nodes).cordoned, std::nullopt);
}

TEST(Validate, RunsOutOfTimeAlsoWithoutAValidator) {
  FleetView nodes = fleet({current(taken("a", Phase::Validate))});
  nodes.nodes[0].spent = 10min;
  EXPECT_EQ(verdict(nodes), "validate > failed");
}

TEST(AfterTheSwap, ACordonThatAPersonTookOffIsNoLongerOurs) {
  FleetView nodes = fleet({current(taken("a", Phase::Validate))});
  nodes.nodes[0].is_cordoned = false;
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Validate);
  EXPECT_EQ(change.claim->cordon, Claim::Cordon::Found);
  EXPECT_EQ(change.cordoned, std::nullopt);
}

TEST(AfterTheSwap, SkipPolicyAndVersionComeTooLate) {
  FleetView nodes = fleet({current(taken("a", Phase::Validate))});
  nodes.nodes[0].is_skipped = true;
  nodes.policy.is_ending = true;
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Failed, IsLeftByAPersonOrAnotherVersionOnly) {
  FleetView nodes = fleet({current(taken("a", Phase::Failed))});
  nodes.nodes[0].outcome = Outcome{.failed = true, .after_swap = true, .target = "new"};
  EXPECT_EQ(verdict(nodes), "waits") << "a driver that became ready afterwards does not count";
  nodes.nodes[0].target = "newer";
  nodes.nodes[0].driver.is_outdated = true;
  EXPECT_EQ(verdict(nodes), "failed > required");
}

TEST(Failed, APersonsWordIsKeptWhileUpgradesAreOff) {
  FleetView nodes = fleet({current(taken("a", Phase::Failed))});
  nodes.nodes[0].outcome = Outcome{.failed = true, .after_swap = true, .target = "new"};
  nodes.nodes[0].is_asked_for = true;
  nodes.policy.is_on = false;
  EXPECT_EQ(verdict(nodes), "failed > required");
  EXPECT_TRUE(change_of(nodes).is_asked_for);
}

TEST(Failed, IsNotLeftWhileTheTargetIsUnknown) {
  FleetView nodes = fleet({current(taken("a", Phase::Failed))});
  nodes.nodes[0].outcome = Outcome{.failed = true, .after_swap = true, .target = "new"};
  nodes.nodes[0].target = {};
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Failed, LeftByAnotherOperatorIsRecordedAndIsNotAFailureOfTheVersion) {
  for (const bool held : {false, true}) {
    FleetView nodes = fleet({held ? current(taken("a", Phase::Failed)) : current(node("a", Phase::Failed))});
    const MadeChange change = change_of(nodes);
    EXPECT_EQ(change.phase, Phase::Failed);
    ASSERT_TRUE(change.outcome);
    EXPECT_TRUE(change.outcome->failed);
    EXPECT_FALSE(change.outcome->after_swap);
    EXPECT_EQ(change.claim.has_value(), held);
    nodes.nodes[0].outcome = change.outcome;
    EXPECT_EQ(verdict(nodes), "waits");
    nodes.nodes[0].target = "newer";
    nodes.nodes[0].driver.is_outdated = true;
    EXPECT_EQ(verdict(nodes), "failed > required");
  }
}

TEST(AfterTheSwap, AMachineThatDiesFailsAndFreesItsSlot) {
  for (const Phase phase : {Phase::Restart, Phase::Validate}) {
    FleetView nodes = fleet({current(taken("a", phase))});
    nodes.nodes[0].driver.pod = "new";
    nodes.nodes[0].driver.is_ready = false;
    nodes.nodes[0].is_ready = false;
    nodes.nodes[0].claim->deadline_paused = true;
    nodes.nodes[0].unready_for = 9min;
    EXPECT_EQ(verdict(nodes), "waits") << name(phase);
    nodes.nodes[0].unready_for = 10min;
    const MadeChange change = change_of(nodes);
    EXPECT_EQ(change.phase, Phase::Failed) << name(phase);
    EXPECT_TRUE(change.outcome->after_swap) << "a driver that kills its machine looks the same";
  }
}

TEST(Failed, ANodeThatAPersonUncordonedIsHisToCordon) {
  FleetView nodes = fleet({current(taken("a", Phase::Failed))});
  nodes.nodes[0].outcome = Outcome{.failed = true, .after_swap = true, .target = "new"};
  nodes.nodes[0].is_cordoned = false;
  EXPECT_EQ(change_of(nodes).claim->cordon, Claim::Cordon::Found);
}

TEST(Reason, AWaitNamesWhatItIsForAndItsLimit) {
  FleetView nodes = fleet({taken("a", Phase::WaitForJobs)});
  nodes.policy.jobs = {.is_wanted = true, .at_most = 10min};
  nodes.nodes[0].spent = 4min;
  nodes.nodes[0].pods->push_back(pod("job"));
  nodes.nodes[0].pods->back().is_waited_for = true;
  EXPECT_EQ(reason_of(in_place(), nodes, count_slots(nodes), 0),
            "waiting for jobs: 1 still running, ml/job among them; 4m of 10m");
}

}  // namespace
}  // namespace drover::core::testing
