// The flow of drivers that are prepared on the node: what it does at every turn, from plain facts.
#include <gtest/gtest.h>

#include "core/conditions/agent.h"
#include "core/fleet.h"

namespace drover::core::testing {
namespace {

using State = PreflightView::State;

FleetView of(NodeView node) {
  FleetView view = fleet({std::move(node)});
  view.policy.device_pods = Removal{.takes_local_data = true, .at_most = 600s};
  view.policy.drain = Removal{.takes_local_data = true, .at_most = 600s};
  return view;
}

Decision decision(const FleetView& view, std::size_t index = 0) {
  return core::decide(prepared(), view).decisions.at(index);
}

MadeChange change(const FleetView& view) { return change_of(view, decision(view)); }

// "required > cordon > drain", the work, or "waits".
std::string verdict_of(const FleetView& view, std::size_t index = 0) {
  const Decision made = decision(view, index);
  if (made.change && !made.change->path.empty()) {
    std::string path(name(made.change->path.front().from));
    for (const Step& step : made.change->path) path += " > " + std::string(name(step.to));
    return path;
  }
  if (made.change) return "put right";
  return made.action == Action::None ? "waits" : std::string(name(made.action));
}

std::string because(const FleetView& view) { return std::string(decision(view).rule->because); }

NodeView draining(std::vector<PodView> pods) {
  NodeView node = taken("tt-1", Phase::Drain);
  node.label = {};
  node.pods = std::move(pods);
  return node;
}

// The old pod has gone, the new one is there.
NodeView loading() {
  NodeView node = taken("tt-1", Phase::Restart);
  node.label = {};
  node.driver = {.wanted = "2.8.0", .pod = "new-tt-1", .is_settled = true};
  return node;
}

TEST(WhenPrepared, NoNodeIsTakenBeforeTheDriverIsPrepared) {
  NodeView waiting = node("tt-1", Phase::Required);
  for (const State state : {State::Unasked, State::Running, State::Missing}) {
    waiting.preflight.state = state;
    EXPECT_EQ(verdict_of(of(waiting)), "prove-image");
  }
  waiting.preflight.state = State::Passed;
  EXPECT_EQ(verdict_of(of(waiting)), "required > cordon > drain");
}

TEST(WhenPrepared, CordonTaintAndGatesAreOneMove) {
  NodeView waiting = node("tt-1", Phase::Required);
  waiting.gates = {{base::InternedString("gate"), base::InternedString(kAbsent)}};
  const MadeChange made = change(of(waiting));
  EXPECT_EQ(made.cordoned, true);
  EXPECT_EQ(made.tainted, true);
  EXPECT_EQ(made.gates_to_pause, std::vector<std::string>{"gate"});
  EXPECT_EQ(made.claim->gates.at("gate"), kAbsent);
}

TEST(WhenPrepared, ANodeIsGivenBackWithItsGatesInOneMove) {
  NodeView node = loading();
  node.claim->gates = {{"gate", "true"}, {"other", std::string(kAbsent)}};
  node.driver.is_ready = true;
  const MadeChange made = change(of(node));
  EXPECT_EQ(made.phase, Phase::Done);
  EXPECT_EQ(made.cordoned, false);
  EXPECT_EQ(made.gates_to_restore, node.claim->gates);
  EXPECT_FALSE(made.claim);
}

TEST(WhenPrepared, WithoutDrainTheNodeStaysOpen) {
  FleetView view = of(node("tt-1", Phase::Required));
  view.policy.cordons = false;
  view.policy.device_pods.reset();
  view.policy.drain.reset();
  const MadeChange made = change(view);
  EXPECT_EQ(made.phase, Phase::Restart);
  EXPECT_FALSE(made.cordoned);
  EXPECT_EQ(made.claim->cordon, Claim::Cordon::None);
}

TEST(WhenPrepared, ANodeThatWasLeftOpenIsShutWhenItIsToBeEmptiedAfterAll) {
  NodeView node = draining({pod("train")});
  node.claim->cordon = Claim::Cordon::None;
  node.is_cordoned = false;
  node.is_tainted = false;
  const MadeChange made = change(of(node));
  EXPECT_EQ(made.cordoned, true);
  EXPECT_EQ(made.claim->cordon, Claim::Cordon::Ours);
}

// Its pods were listed while others could still be scheduled: they say nothing any more.
TEST(WhenPrepared, PodsThatWereSeenBeforeThatCordonDoNotCount) {
  NodeView node = draining({});
  node.claim->cordon = Claim::Cordon::None;
  node.is_cordoned = false;
  node.is_tainted = false;
  const MadeChange made = change(of(node));
  EXPECT_EQ(made.cordoned, true);
  EXPECT_EQ(made.phase, Phase::Drain);
}

TEST(WhenPrepared, WhoUsesTheDeviceGoesFirstThenEverybodyElse) {
  PodView web = pod("web");
  web.uses_device = false;
  EXPECT_EQ(verdict_of(of(draining({pod("train"), web}))), "evict-device-pods");
  EXPECT_EQ(verdict_of(of(draining({web}))), "evict-all");
  EXPECT_EQ(verdict_of(of(draining({}))), "drain > restart");
}

TEST(WhenPrepared, WithoutTheSecondPassOtherPodsStay) {
  PodView web = pod("web");
  web.uses_device = false;
  FleetView view = of(draining({web}));
  view.policy.drain.reset();
  EXPECT_EQ(verdict_of(view), "drain > restart");
}

TEST(WhenPrepared, OneTimeIsForBothPasses) {
  PodView web = pod("web");
  web.uses_device = false;
  for (const PodView& left : {pod("train"), web}) {
    NodeView node = draining({left});
    node.spent = 599s;
    EXPECT_NE(verdict_of(of(node)), "drain > failed");
    node.spent = 600s;
    const FleetView view = of(node);
    EXPECT_EQ(verdict_of(view), "drain > failed");
    EXPECT_EQ(change(view).cordoned, false) << "the driver is untouched: the node goes back";
    EXPECT_FALSE(change(view).outcome->after_swap);
  }
}

TEST(WhenPrepared, ADaemonThatTakesNoNoIsLeftToTheGatesAndThenToTheAgent) {
  PodView daemon = pod("exporter");
  daemon.is_daemon = daemon.returns = true;
  NodeView node = draining({daemon});
  EXPECT_EQ(because(of(node)), "pods that use the device are leaving");
  node.spent = kGateGrace;
  EXPECT_EQ(verdict_of(of(node)), "drain > restart");
}

TEST(WhenPrepared, ABarePodThatUsesTheDeviceFailsTheNodeAndNamesTheFlag) {
  PodView bare = pod("bare");
  bare.owner.clear();
  const FleetView view = of(draining({bare}));
  EXPECT_EQ(verdict_of(view), "drain > failed");
  EXPECT_NE(change(view).path.back().because.find("set spec.…drain.force=true"), std::string::npos);
}

TEST(WhenPrepared, WhoHoldsTheDeviceIsWaitedForWithoutLimit) {
  NodeView node = loading();
  node.driver.held_by = "held by tt-smi";
  node.spent = std::chrono::hours(5);
  EXPECT_EQ(because(of(node)), "the device is held");
  EXPECT_EQ(verdict_of(of(node)), "put right") << "the clock is stopped";
  EXPECT_TRUE(change(of(node)).claim->deadline_paused);
  node.claim->deadline_paused = true;
  EXPECT_EQ(verdict_of(of(node)), "waits");
  node.driver.may_not_force = true;
  EXPECT_EQ(verdict_of(of(node)), "replace-driver-pod");
  node.driver.held_by = {};
  node.claim->deadline_paused = false;
  EXPECT_EQ(verdict_of(of(node)), "restart > failed") << "whose pod is not blocked is not replaced";
}

TEST(WhenPrepared, ADriverThatDidNotLoadFailsAtOnceAndANewPodIsAnotherTry) {
  NodeView node = loading();
  node.driver.refusal = "invalid module format";
  const MadeChange made = change(of(node));
  EXPECT_EQ(made.phase, Phase::Failed);
  EXPECT_TRUE(made.outcome->after_swap);
  EXPECT_FALSE(made.cordoned) << "it stays cordoned";

  NodeView failed = node;
  failed.phase = Phase::Failed;
  failed.is_tainted = false;
  failed.claim = made.claim;
  failed.outcome = made.outcome;
  failed.driver.waits_for_us = true;
  EXPECT_EQ(verdict_of(of(failed)), "waits") << "the very pod that failed";
  failed.driver.pod = "newer-tt-1";
  EXPECT_EQ(change(of(failed)).path.front().to, Phase::Required);
}

TEST(WhenPrepared, APodThatAskedWhenTheDrainFailedDoesNotBringTheNodeBackByAskingOn) {
  NodeView node = draining({pod("train")});
  node.spent = 700s;
  node.driver.pod = "new-tt-1";
  node.driver.waits_for_us = true;
  const MadeChange made = change(of(node));
  ASSERT_EQ(made.phase, Phase::Failed);
  EXPECT_FALSE(made.claim) << "it is given back";

  NodeView failed = node;
  failed.phase = Phase::Failed;
  failed.is_cordoned = false;
  failed.is_tainted = false;
  failed.claim = made.claim;
  failed.outcome = made.outcome;
  EXPECT_EQ(verdict_of(of(failed)), "waits") << "the very pod that was not given permission";
  failed.driver.pod = "newer-tt-1";
  EXPECT_EQ(change(of(failed)).path.front().to, Phase::Required) << "it was deleted";
}

TEST(WhenPrepared, ThePermissionNamesWhatIsWantedNow) {
  NodeView node = loading();
  node.claim->target = "older";
  const MadeChange made = change(of(node));
  EXPECT_EQ(made.claim->target, node.target);
}

TEST(WhenPrepared, NoNodeHasALabelThatCouldBeWrong) {
  NodeView done = node("tt-1");
  done.driver.is_outdated = false;
  done.label = {};
  EXPECT_EQ(verdict_of(of(done)), "waits");
}

TEST(WhenPrepared, APolicyThatIsGoneGivesBackANodeWhosePodAndDaemonSetAreGoneToo) {
  FleetView view = of(loading());
  view.policy.is_ending = true;
  EXPECT_EQ(verdict_of(view), "waits") << "the new pod may still finish";
  view.nodes[0].driver.pod.clear();
  EXPECT_EQ(verdict_of(view), "waits") << "the DaemonSet makes the pod that finishes";
  view.nodes[0].driver.carrier_is_gone = true;
  EXPECT_EQ(verdict_of(view), "restart > idle");
}

TEST(WhenPrepared, AHostThatTakesItsDriverBackGetsItsNodeBack) {
  for (NodeView node : {draining({pod("train")}), loading()}) {
    node.driver.is_host_managed = true;
    const FleetView view = of(node);
    EXPECT_EQ(change(view).phase, Phase::Idle) << name(node.phase);
    EXPECT_EQ(change(view).cordoned, false);
  }
}

NodeView stale(std::string name) {
  NodeView done = node(std::move(name));
  done.driver.is_outdated = false;
  done.driver.is_stale = true;
  done.label = {};
  return done;
}

TEST(Renewal, GoesOneByOneAndTakesNoNodeAway) {
  FleetView view = fleet({stale("a"), stale("b"), stale("c")});
  EXPECT_EQ(verdict_of(view, 0), "replace-driver-pod");
  EXPECT_EQ(verdict_of(view, 1), "waits");
  view.nodes[0].driver = {.wanted = "2.8.0", .is_settled = true};  // its pod has gone
  EXPECT_EQ(verdict_of(view, 1), "waits");
  view.nodes[0].driver = {.wanted = "2.8.0", .pod = "new", .is_ready = true};
  EXPECT_EQ(verdict_of(view, 1), "replace-driver-pod");
  EXPECT_EQ(verdict_of(view, 2), "waits");
}

TEST(Renewal, BeginsWithWhoIsInTroubleAndIsNotHeldUpByHim) {
  FleetView view = fleet({stale("a"), stale("b")});
  view.nodes[1].driver.is_ready = false;
  EXPECT_EQ(verdict_of(view, 0), "waits");
  EXPECT_EQ(verdict_of(view, 1), "replace-driver-pod");
}

TEST(Renewal, WaitsWhileUpgradesAreOff) {
  FleetView view = fleet({stale("a")});
  view.policy.is_on = false;
  EXPECT_EQ(verdict_of(view), "waits");
}

TEST(Renewal, IsForTheHostsOwnToo) {
  FleetView view = fleet({stale("a")});
  view.nodes[0].driver.is_host_managed = true;
  EXPECT_EQ(verdict_of(view), "replace-driver-pod");
}

}  // namespace
}  // namespace drover::core::testing
