// Driver pods that cannot be on their node: not scheduled, never started, or not made at all.
#include <gmock/gmock.h>

#include "core/fleet.h"

namespace drover::core::testing {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTooLarge = "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.";
constexpr std::string_view kTaint = "it does not tolerate the taint team=x:NoSchedule";

// The scheduler has not placed its driver's pod.
NodeView waiting(NodeView node) {
  node.driver.is_outdated = false;
  node.driver.is_ready = false;
  node.driver.never_ran = true;
  node.driver.is_unscheduled = true;
  node.driver.trouble = kTooLarge;
  return node;
}
// What its template says was corrected since, and nothing that its driver is made of.
NodeView corrected(NodeView node) {
  node = waiting(std::move(node));
  node.driver.is_stale = true;
  return node;
}
// Another driver is wanted since.
NodeView overtaken(NodeView node) {
  node = waiting(std::move(node));
  node.driver.is_outdated = true;
  return node;
}
// The old pod has gone, and what came in its place waits for the scheduler.
NodeView swapped(NodeView node) {
  node.driver.pod = "new-" + node.name;
  node.pods.emplace();
  return node;
}

std::string verdict_in(const Flow& flow, const FleetView& view) {
  const Decision made = core::decide(flow, view).decisions.at(0);
  return made.change ? "moves" : made.action == Action::None ? "waits" : std::string(name(made.action));
}

const Flow* const kFlows[] = {&in_place(), &prepared()};

TEST(PodThatNeverRan, IsReplacedAtOnceWhereverItsNodeStands) {
  for (const Flow* flow : kFlows) {
    for (const Phase phase : {Phase::Idle, Phase::Done, Phase::Required, Phase::Failed}) {
      for (NodeView node : {corrected(node("a", phase)), overtaken(node("a", phase))}) {
        const bool is_queued_first = phase == Phase::Done || phase == Phase::Failed;
        if (is_queued_first && node.driver.is_outdated) continue;
        if (!flow->has(Trait::StateLabel)) node.label = {};
        if (phase == Phase::Failed) node.outcome = Outcome{.failed = true, .target = "new"};
        EXPECT_EQ(verdict_in(*flow, fleet({node})), "replace-driver-pod") << flow->name() << " " << name(phase);
      }
    }
    for (NodeView node :
         {corrected(swapped(taken("a", Phase::Restart))), overtaken(swapped(taken("a", Phase::Restart)))}) {
      if (!flow->has(Trait::StateLabel)) node.label = {};
      EXPECT_EQ(verdict_in(*flow, fleet({node})), "replace-driver-pod") << flow->name();
      node.pods = {pod("late")};
      EXPECT_EQ(verdict_in(*flow, fleet({node})), "replace-driver-pod")
          << "its node has no driver that a pod could use";
    }
  }
}

TEST(PodThatNeverRan, IsLeftAloneWhileItIsWhatIsWanted) {
  for (const Phase phase : {Phase::Idle, Phase::Done, Phase::Required, Phase::Failed}) {
    NodeView node = waiting(testing::node("a", phase));
    if (phase == Phase::Failed) node.outcome = Outcome{.failed = true, .target = "new"};
    EXPECT_EQ(verdict(fleet({node})), "waits") << name(phase);
  }
  EXPECT_EQ(verdict(fleet({waiting(swapped(taken("a", Phase::Restart)))})), "waits");
}

TEST(PodThatNeverRan, WaitsUntilTheDaemonSetKnowsTheNewTemplate) {
  NodeView node = corrected(swapped(taken("a", Phase::Restart)));
  node.driver.is_settled = false;
  EXPECT_EQ(verdict(fleet({node})), "waits");
  EXPECT_EQ(reason(fleet({node})), "the driver's DaemonSet is being updated");
}

// The end of a driver's container unloads the driver.
TEST(PodThatNeverRan, IsTheOnlyOneThatIsReplacedForItsTemplate) {
  for (const Phase phase :
       {Phase::Idle, Phase::Done, Phase::Required, Phase::Failed, Phase::Restart, Phase::Validate}) {
    for (const bool is_ready : {true, false}) {
      NodeView node = is_in_flight(phase) ? current(swapped(taken("a", phase))) : current(testing::node("a", phase));
      node.driver.is_stale = true;
      node.driver.is_ready = is_ready;
      node.driver.trouble = is_ready ? "" : "CrashLoopBackOff: it fell";
      EXPECT_NE(verdict(fleet({node})), "replace-driver-pod") << name(phase);
    }
  }
}

// Back in service by itself, its next driver would never have to prove itself.
TEST(PodThatNeverRan, IsReplacedInTheQueueOnlyWhereNoFailureHoldsTheNode) {
  NodeView held = overtaken(taken("a", Phase::Failed));
  held.claim->driver_failed = true;
  held.outcome = Outcome{.failed = true, .after_swap = true, .target = "before"};
  EXPECT_EQ(verdict(fleet({held})), "failed > required");
  held.driver.is_outdated = false;
  held.driver.is_stale = true;
  held.outcome->target = "new";
  EXPECT_EQ(verdict(fleet({held})), "replace-driver-pod") << "the same driver: the node stays failed";
}

TEST(PodThatNeverRan, GoesWhileUpgradesAreOffOnlyIfItIsOnNoNode) {
  for (NodeView node : {corrected(node("a", Phase::Done)), corrected(swapped(taken("a", Phase::Restart)))}) {
    FleetView off = fleet({node});
    off.policy.is_on = false;
    if (off.nodes[0].claim) off.nodes[0].claim->deadline_paused = true;
    off.nodes[0].label = is_in_flight(node.phase) ? node.label : std::nullopt;
    EXPECT_EQ(verdict_in(in_place(), off), "replace-driver-pod");
    off.nodes[0].driver.is_unscheduled = false;
    EXPECT_NE(verdict_in(in_place(), off), "replace-driver-pod");
  }
}

TEST(PodThatNeverRan, IsLeftAloneOnANodeThatIsSkippedOrNotOurs) {
  FleetView nodes = fleet({corrected(node("a", Phase::Done))});
  nodes.nodes[0].is_skipped = true;
  EXPECT_NE(verdict(nodes), "replace-driver-pod");
  nodes.nodes[0].is_skipped = false;
  nodes.nodes[0].driver.is_host_managed = true;
  EXPECT_NE(verdict(nodes), "replace-driver-pod");
  nodes = fleet({corrected(node("a", Phase::Done))});
  nodes.nodes[0].target = {};
  EXPECT_NE(verdict(nodes), "replace-driver-pod") << "what is wanted is not known";
}

TEST(PodThatNeverRan, IsNotTakenForTheDriverThatServes) {
  NodeView node = waiting(testing::node("a", Phase::Required));
  node.is_asked_for = true;
  const MadeChange change = change_of(fleet({node}));
  EXPECT_EQ(change.phase, Phase::EvictDevicePods);
  EXPECT_EQ(change.claim->driver_pod, "");
}

TEST(Unschedulable, IsTheReasonInTheSchedulersWords) {
  const std::string words = "the scheduler finds no place for its pod: " + std::string(kTooLarge);
  EXPECT_EQ(reason(fleet({waiting(node("a", Phase::Idle))})), words);
  EXPECT_EQ(reason(fleet({waiting(node("a", Phase::Required))})), words);
  const FleetView swap = fleet({waiting(swapped(taken("a", Phase::Restart)))});
  EXPECT_EQ(reason(swap), words);
  const Decision decision = decide(swap).decisions.at(0);
  EXPECT_EQ(reason_code(swap.nodes[0], decision), Reason::Unschedulable);
}

TEST(Unschedulable, DoesNotKeepANodeFromFailingInTheEnd) {
  for (const Flow* flow : kFlows) {
    FleetView swap = fleet({waiting(swapped(taken("a", Phase::Restart)))});
    if (!flow->has(Trait::StateLabel)) swap.nodes[0].label = {};
    swap.nodes[0].spent = 30min;
    const Decision made = core::decide(*flow, swap).decisions.at(0);
    ASSERT_TRUE(made.change) << flow->name();
    EXPECT_THAT(made.change->after.outcome->reason.str(), HasSubstr("Insufficient cpu"));
    EXPECT_TRUE(made.change->after.claim) << "its driver is gone, so it is held";
  }
}

// The fault: the node was cordoned and emptied for a driver that could not come, and stayed so.
TEST(Misfit, ANodeWaitsInServiceAndHoldsUpNoOther) {
  FleetView nodes = fleet({node("a", Phase::Required), node("b", Phase::Required)});
  nodes.nodes[0].driver.misfit = kTaint;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(reason(nodes, 0), "the driver's pod does not fit the node: " + std::string(kTaint));
  EXPECT_EQ(verdict(nodes, 1), "required > cordon > wait-for-jobs > evict-device-pods");
  nodes.nodes[0].is_asked_for = true;
  EXPECT_EQ(verdict(nodes, 0), "waits") << "requested or not";
}

TEST(Misfit, ANodeThatWasTakenIsGivenBackBeforeItsSwap) {
  for (const Phase phase : {Phase::Cordon, Phase::EvictDevicePods, Phase::Drain, Phase::Restart}) {
    FleetView nodes = fleet({taken("a", phase)});
    nodes.nodes[0].driver.misfit = kTaint;
    const MadeChange change = change_of(nodes);
    EXPECT_EQ(change.phase, Phase::Required) << name(phase);
    EXPECT_EQ(change.cordoned, false) << name(phase);
    EXPECT_EQ(change.path.back().reason, Reason::Misfit);
  }
}

TEST(Misfit, ADriverThatIsThereAndWaitsForPermissionIsNotHeldUp) {
  FleetView nodes = fleet({node("a", Phase::Required)});
  nodes.nodes[0].driver.misfit = kTaint;
  nodes.nodes[0].driver.waits_for_us = true;
  nodes.nodes[0].driver.is_ready = false;
  EXPECT_EQ(verdict(nodes), "required > cordon > wait-for-jobs > evict-device-pods");
}

// The fault: "its pod does not exist yet".
TEST(Misfit, IsTheReasonWhereNoPodIsMade) {
  for (NodeView node : {node("a", Phase::Idle), swapped(taken("a", Phase::Restart))}) {
    node.driver.pod.clear();
    node.driver.is_ready = node.driver.is_outdated = false;
    node.driver.misfit = node.driver.trouble = kTaint;
    EXPECT_EQ(verdict(fleet({node})), "waits");
    EXPECT_EQ(reason(fleet({node})), "the driver's pod does not fit the node: " + std::string(kTaint));
  }
}

}  // namespace
}  // namespace drover::core::testing
