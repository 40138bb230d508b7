// The way of one node, decision by decision.
#include "core/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/conditions/emptying.h"
#include "core/fleet.h"

namespace drover::core::testing {
namespace {

using ::testing::HasSubstr;

// Ten thousand nodes have one each for every kind of work.
TEST(NodeView, StaysSmall) { EXPECT_LE(sizeof(NodeView), 448U); }

// At rest.

TEST(AtRest, AnEmptyFleetIsNoTrouble) {
  const Plan plan = decide(fleet({}));
  EXPECT_TRUE(plan.decisions.empty());
  EXPECT_EQ(plan.slots.managed, 0);
}

TEST(AtRest, NothingIsDoneOrBegunWhileTheTargetIsUnknown) {
  for (const Phase phase : {Phase::Idle, Phase::Required}) {
    FleetView nodes = fleet({current(node("a", phase))});
    nodes.nodes[0].target = {};
    nodes.policy.trouble = "spec.driver.version is missing";
    EXPECT_EQ(verdict(nodes), "waits") << name(phase);
    EXPECT_EQ(reason(nodes), "the target driver cannot be determined: spec.driver.version is missing");
    nodes.nodes[0] = current(node("a", Phase::Required));
    nodes.nodes[0].target = {};
    nodes.nodes[0].is_asked_for = true;
    nodes.policy.trouble.clear();
    EXPECT_EQ(verdict(nodes), "waits") << "requested or not";
    EXPECT_FALSE(decide(nodes).slots.is_admitted[0]) << "and no slot is kept for it";
  }
}

TEST(AtRest, ADriverThatIsNotReadyIsNotDone) {
  FleetView nodes = fleet({current(node("a", Phase::Idle))});
  nodes.nodes[0].outcome = Outcome{.target = "new"};
  nodes.nodes[0].driver.is_ready = false;
  EXPECT_EQ(verdict(nodes), "waits");
}

// What is said of its pods may be older than the news that it is gone.
TEST(AtRest, ANodeThatIsNotReadyIsNotDone) {
  FleetView nodes = fleet({current(node("a", Phase::Idle))});
  nodes.nodes[0].is_ready = false;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_THAT(reason(nodes), HasSubstr("the node is not ready"));
}

// The same where the version is put back that it had when it was last heard of.
TEST(AtRest, ANodeThatIsNotReadyWaitsAlsoWhenNothingIsToChange) {
  FleetView nodes = fleet({current(node("a", Phase::Required))});
  nodes.nodes[0].outcome = Outcome{.target = "new"};
  EXPECT_EQ(verdict(nodes), "required > done");
  nodes.nodes[0].is_ready = false;
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.policy.is_on = false;
  EXPECT_EQ(verdict(nodes), "relabel") << "to no state at all";
  nodes.policy.is_on = true;
  nodes.nodes[0] = current(taken("a", Phase::EvictDevicePods));
  nodes.nodes[0].is_ready = false;
  EXPECT_EQ(verdict(nodes), "evict-device-pods > required") << "and is given back";
}

TEST(AtRest, ANodeThatWaitsIsHeldOnlyForADriverThatFailed) {
  FleetView nodes = fleet({taken("a", Phase::Required)});
  nodes.nodes[0].preflight.state = PreflightView::State::Unasked;  // so that it waits
  nodes.nodes[0].claim->driver_failed = true;
  EXPECT_TRUE(!decide(nodes).decisions[0].change || decide(nodes).decisions[0].change->after.claim);
  nodes.nodes[0].claim->driver_failed = false;
  EXPECT_FALSE(change_of(nodes).claim);
  EXPECT_EQ(change_of(nodes).cordoned, false);
}

TEST(AtRest, AFailedNodeKeepsNoGateClosed) {
  FleetView nodes = fleet({taken("a", Phase::Failed)});
  nodes.nodes[0].outcome = Outcome{.failed = true, .after_swap = true, .target = "new"};
  nodes.nodes[0].claim->gates = {{"deploy", "true"}};
  const Plan plan = decide(nodes);
  ASSERT_TRUE(plan.decisions[0].change);
  EXPECT_EQ(change_of(nodes, plan.decisions[0]).gates_to_restore.at("deploy"), "true");
}

TEST(AtRest, AnOutdatedDriverIsToBeUpgraded) {
  EXPECT_EQ(verdict(fleet({node("a", Phase::Done), node("b", Phase::Required)}), 0), "done > required");
}

TEST(AtRest, ANodeNamesItsWishBeforeItIsCountedForASlot) {
  EXPECT_EQ(verdict(fleet({node("a", Phase::Idle)})), "idle > required");
}

TEST(AtRest, ANodeWithTheWantedDriverIsDone) {
  EXPECT_EQ(verdict(fleet({current(node("a", Phase::Idle))})), "idle > done");
  EXPECT_EQ(verdict(fleet({current(node("a", Phase::Done))})), "waits");
}

TEST(AtRest, AHostsOwnDriverIsLeftAlone) {
  FleetView nodes = fleet({node("a", Phase::Idle)});
  nodes.nodes[0].driver.is_host_managed = true;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_EQ(decide(nodes).slots.managed, 0);
}

TEST(AtRest, AFirstDriverNeedsNoSlotAndNoCordon) {
  FleetView nodes = fleet({node("a", Phase::Idle)});
  nodes.nodes[0].driver = {.wanted = "550", .pod = "p", .is_first = true};
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_EQ(reason(nodes), "the first driver is being installed: no driver is loaded yet");
  nodes.nodes[0].driver.is_ready = true;
  EXPECT_EQ(verdict(nodes), "idle > done");
}

// Its DaemonSet's controller would make the old pod again, as fast as it is deleted.
TEST(AtRest, AFirstDriverIsReplacedOnceItsDaemonSetIsUpdated) {
  FleetView nodes = fleet({node("a", Phase::Idle)});
  nodes.nodes[0].driver = {.wanted = "550", .pod = "p", .is_first = true, .is_outdated = true, .is_settled = false};
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_THAT(reason(nodes), HasSubstr("the driver's DaemonSet is being updated"));
  nodes.nodes[0].driver.is_settled = true;
  EXPECT_EQ(verdict(nodes), "replace-driver-pod");
}

// Of a fleet that is taken over, or of a person: what does not serve here may have served, and is not waited for.
TEST(AtRest, ANodeThatSaysDoneWithoutARecordIsUpgradedAlsoWhenItsDriverDoesNotServe) {
  FleetView nodes = fleet({node("a", Phase::Done)});
  nodes.nodes[0].driver = {.wanted = "550", .pod = "p", .is_first = true, .is_outdated = true};
  EXPECT_EQ(verdict(nodes), "done > required");
  nodes.nodes[0].driver.is_outdated = false;
  EXPECT_EQ(reason(nodes), "the first driver is being installed: no driver is loaded yet");
}

TEST(AtRest, APersonsWishCountsWhateverTheDriver) {
  FleetView nodes = fleet({current(node("a", Phase::Done))});
  nodes.nodes[0].is_asked_for = true;
  EXPECT_EQ(verdict(nodes), "done > required");
}

TEST(AtRest, AnUnknownLabelIsNotActedOn) {
  FleetView nodes = fleet({node("a", Phase::Idle)});
  nodes.nodes[0].odd_label = "upgrade-maybe";
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_THAT(reason(nodes), HasSubstr("\"upgrade-maybe\""));
}

TEST(AtRest, ALabelThatWasRemovedIsPutBack) {
  FleetView nodes = fleet({current(node("a", Phase::Done))});
  nodes.nodes[0].label.reset();
  EXPECT_EQ(verdict(nodes), "relabel");
  EXPECT_EQ(change_of(nodes).label, Phase::Done);
}

TEST(AtRest, WithUpgradesOffNoLabelIsShownExceptOnNodesThatWeHold) {
  FleetView nodes = fleet({node("a", Phase::Done), taken("b", Phase::Validate)});
  nodes.policy.is_on = false;
  nodes.nodes[1].claim->deadline_paused = true;
  EXPECT_EQ(verdict(nodes, 0), "relabel");
  EXPECT_EQ(change_of(nodes, 0).label, std::nullopt);
  EXPECT_EQ(verdict(nodes, 1), "waits");
}

TEST(AtRest, ANodeThatIsTakenOverIsWrittenDownBeforeAnythingElse) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].claim_is_written = false;
  nodes.nodes[0].pods = {pod("train")};
  EXPECT_EQ(verdict(nodes), "relabel");
  EXPECT_EQ(change_of(nodes).claim, nodes.nodes[0].claim);
}

// Its turn.

TEST(Required, TakesTheNodeInOneWrite) {
  const MadeChange change = change_of(fleet({node("a", Phase::Required)}));
  EXPECT_EQ(change.phase, Phase::EvictDevicePods);
  EXPECT_EQ(change.cordoned, true);
  EXPECT_EQ(change.tainted, true);
  ASSERT_TRUE(change.claim);
  EXPECT_EQ(change.claim->id, "claim-a");
  EXPECT_EQ(change.claim->cordon, Claim::Cordon::Ours);
  EXPECT_EQ(change.claim->driver_pod, "old-a");
  EXPECT_EQ(change.claim->phase, Phase::EvictDevicePods);
}

TEST(Required, DoesNotTouchTheCordonThatItFinds) {
  FleetView nodes = fleet({node("a", Phase::Required)});
  nodes.nodes[0].is_cordoned = true;
  nodes.nodes.push_back(node("b", Phase::Required));
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.cordoned, std::nullopt);
  ASSERT_TRUE(change.claim);
  EXPECT_EQ(change.claim->cordon, Claim::Cordon::Found);
}

TEST(Required, StaysWhereTheSkipLabelIs) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[0].is_skipped = true;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(starts(nodes), 1);  // and does not use up the slot
}

TEST(Required, IsDoneWhenTheVersionIsPutBack) {
  EXPECT_EQ(verdict(fleet({current(node("a", Phase::Required))})), "required > done");
}

TEST(Required, RespectsAPersonWhoGaveTheNodeBackForTenMinutes) {
  FleetView nodes = fleet({node("a", Phase::Required)});
  nodes.nodes[0].given_back_for = 4min;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_EQ(decide(nodes).look_again_in, 6min);
  nodes.nodes[0].given_back_for = 10min;
  EXPECT_EQ(starts(nodes), 1);
}

TEST(Required, ADeadNodeIsPassedOver) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[0].is_ready = false;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(starts(nodes), 1);
}

TEST(Required, AHeldNodeThatIsTriedAgainStaysOurs) {
  FleetView nodes = fleet({taken("a", Phase::Required)});
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.claim->cordon, Claim::Cordon::Ours);
  EXPECT_EQ(change.cordoned, std::nullopt);
}

// Making it empty.

TEST(WaitForJobs, WaitsForWhatTheUserNamed) {
  FleetView nodes = fleet({taken("a", Phase::WaitForJobs)});
  nodes.policy.jobs.is_wanted = true;
  nodes.nodes[0].pods = {pod("train")};
  nodes.nodes[0].pods->front().is_waited_for = true;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_THAT(reason(nodes), HasSubstr("waiting for jobs"));
  nodes.nodes[0].pods->front().is_finished = true;
  EXPECT_EQ(verdict(nodes), "wait-for-jobs > evict-device-pods > restart");
}

TEST(WaitForJobs, GoesOnWhenTheyTakeTooLong) {
  FleetView nodes = fleet({taken("a", Phase::WaitForJobs)});
  nodes.policy.jobs = {.is_wanted = true, .at_most = 30s};
  nodes.nodes[0].pods = {pod("train")};
  nodes.nodes[0].pods->front().is_waited_for = true;
  nodes.nodes[0].spent = nodes.nodes[0].claim->spent = 25s;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_EQ(decide(nodes).look_again_in, 5s);
  nodes.nodes[0].spent = 35s;
  EXPECT_EQ(verdict(nodes), "wait-for-jobs > evict-device-pods");
}

TEST(WaitForJobs, LeadsToTheDrainWhereDevicePodsAreLeftToIt) {
  FleetView nodes = fleet({taken("a", Phase::WaitForJobs)});
  nodes.policy.device_pods.reset();
  nodes.policy.drain = Removal{.at_most = 300s};
  nodes.nodes[0].pods = {pod("train")};
  EXPECT_EQ(verdict(nodes), "wait-for-jobs > evict-device-pods > drain");
}

TEST(EvictDevicePods, EvictsNoPodWhereDevicePodsAreLeftToTheDrain) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.policy.device_pods.reset();
  nodes.policy.drain = Removal{.at_most = 300s};
  nodes.nodes[0].pods = {pod("train")};
  EXPECT_EQ(verdict(nodes), "evict-device-pods > drain");
  EXPECT_EQ(decide(nodes).decisions[0].action, Action::None);
}

TEST(EvictDevicePods, NoPodGoesWhereOneMayNot) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train"), pod("notebook")};
  nodes.nodes[0].pods->back().owner.clear();
  EXPECT_EQ(verdict(nodes), "evict-device-pods > failed");
  nodes.policy.device_pods->takes_bare_pods = true;
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
}

TEST(EvictDevicePods, LooksAtThePodsBeforeItBelievesThatThereAreNone) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods.reset();
  EXPECT_EQ(verdict(nodes), "waits");
  nodes.nodes[0].pods.emplace();
  EXPECT_EQ(verdict(nodes), "evict-device-pods > restart");
}

TEST(EvictDevicePods, AsksAndWaits) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.nodes[0].pods->front().held_by = "ml/train";
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
  EXPECT_THAT(reason(nodes), HasSubstr("ml/train (blocked by PodDisruptionBudget ml/train)"));
  nodes.nodes[0].pods->front().is_going = true;
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
}

TEST(EvictDevicePods, ARefusedPodFailsTheNodeAndGivesItBack) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.nodes[0].pods->front().owner.clear();
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Failed);
  EXPECT_EQ(change.cordoned, false);
  EXPECT_EQ(change.tainted, false);
  EXPECT_FALSE(change.claim);
  EXPECT_TRUE(change.outcome->failed);
  EXPECT_FALSE(change.outcome->after_swap);
  EXPECT_THAT(change.outcome->reason,
              HasSubstr("ml/train: pod has no controller; delete it or set spec.…drain.force=true"));
}

TEST(EvictDevicePods, ARefusedPodIsLeftToTheDrainWhereThatIsOn) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.nodes[0].pods->front().owner.clear();
  nodes.policy.drain = Removal{.takes_bare_pods = true, .at_most = 300s};
  EXPECT_EQ(verdict(nodes), "evict-device-pods > drain");
}

TEST(EvictDevicePods, DeletesWhenTheTimeIsOverAndFailsWhenThatDoesNotHelp) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.nodes[0].spent = 301s;
  EXPECT_EQ(verdict(nodes), "delete-device-pods");
  nodes.nodes[0].tried = false;  // this process has not asked yet
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
  nodes.nodes[0].tried = true;
  nodes.nodes[0].spent = 300s + kLastGrace;
  EXPECT_EQ(verdict(nodes), "evict-device-pods > failed");
  nodes.policy.drain = Removal{.at_most = 300s};
  EXPECT_EQ(verdict(nodes), "evict-device-pods > drain");
}

TEST(EvictDevicePods, WithoutALimitItIsNeverOver) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  nodes.policy.device_pods->at_most.reset();
  nodes.nodes[0].spent = 1000h;
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
}

TEST(Drain, IsPassedWhenOff) {
  FleetView nodes = fleet({taken("a", Phase::EvictDevicePods)});
  nodes.policy.device_pods.reset();
  EXPECT_EQ(verdict(nodes), "evict-device-pods > drain > restart");
}

TEST(Drain, SwitchedOffInTheMiddleLooksAtDevicePodsOnceMore) {
  FleetView nodes = fleet({taken("a", Phase::Drain)});
  EXPECT_EQ(verdict(nodes), "drain > evict-device-pods > restart");
  nodes.nodes[0].pods = {pod("train")};
  EXPECT_EQ(verdict(nodes), "drain > evict-device-pods");
}

TEST(Drain, IsOverWhenOnlyPodsOfDaemonSetsAndOfTheKubeletAreLeft) {
  FleetView nodes = fleet({taken("a", Phase::Drain)});
  nodes.policy.drain = Removal{.at_most = 300s};
  nodes.nodes[0].pods = {pod("exporter"), pod("proxy")};
  for (PodView& one : *nodes.nodes[0].pods) one.uses_device = false;
  nodes.nodes[0].pods->front().is_daemon = true;
  nodes.nodes[0].pods->back().is_mirror = true;
  EXPECT_EQ(verdict(nodes), "drain > restart");
  nodes.nodes[0].pods->push_back(pod("web"));
  EXPECT_EQ(verdict(nodes), "evict-all");
}

TEST(Drain, TakesWhatTheFirstPassLeft) {
  FleetView nodes = fleet({taken("a", Phase::Drain)});
  nodes.policy.drain = Removal{.at_most = 300s};
  nodes.nodes[0].pods = {pod("web")};
  nodes.nodes[0].pods->front().uses_device = false;
  EXPECT_EQ(verdict(nodes), "evict-all");
  nodes.nodes[0].spent = 301s;
  EXPECT_EQ(verdict(nodes), "drain > restart") << "other pods stay when the time is over";
  nodes.nodes[0].pods->front().uses_device = true;
  EXPECT_EQ(verdict(nodes), "delete-device-pods");
  nodes.nodes[0].spent = 300s + kLastGrace;
  EXPECT_EQ(verdict(nodes), "drain > failed");
  const Plan plan = decide(nodes);
  EXPECT_NE(plan.decisions.front().change->after.outcome->reason.str().find("ml/web"), std::string::npos)
      << "it names what would not go: " << plan.decisions.front().change->after.outcome->reason.str();
}

}  // namespace
}  // namespace drover::core::testing
