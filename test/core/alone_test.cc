// Upgrades without the controller: a driver's own init container asks, and is served.
#include <gmock/gmock.h>

#include "core/fleet.h"

namespace drover::core::testing {
namespace {

using ::testing::HasSubstr;

FleetView off(std::vector<NodeView> nodes) {
  FleetView fleet = testing::fleet(std::move(nodes));
  fleet.policy.is_on = false;
  fleet.policy.rolling_update = true;
  fleet.policy.device_pods = Removal{.forces = false};
  fleet.policy.drain = Removal{.forces = false};
  return fleet;
}

// It waits for its turn.
NodeView rolling(std::string name) {
  NodeView one = node(std::move(name), Phase::Required);
  one.label.reset();
  one.without_controller = true;
  return one;
}

// Its new pod has come, and its init container waits.
NodeView asking(std::string name, Scope scope = Scope::DevicePods) {
  NodeView one = current(rolling(std::move(name)));
  one.driver.pod = "new-" + one.name;
  one.driver.is_ready = false;
  one.driver.waits_for_us = true;
  one.driver.asks_for = scope;
  return one;
}

NodeView served(std::string name, Phase phase, Scope scope = Scope::DevicePods) {
  NodeView one = taken(std::move(name), phase);
  one.label.reset();
  one.driver = asking(one.name, scope).driver;
  one.claim->driver_pod.clear();
  one.claim->requested_scope = scope;
  return one;
}

// What `drover explain` says of a node, in one text.
std::string explanation(const FleetView& fleet, std::size_t index) {
  std::string text;
  for (const Considered& one : explain(in_place(), fleet, count_slots(fleet), index)) text += one.detail + "\n";
  return text;
}

TEST(Alone, AnOutdatedDriverWaitsForItsTurnWithoutALabel) {
  FleetView nodes = off({node("a")});
  nodes.nodes[0].label.reset();
  EXPECT_EQ(verdict(nodes), "done > required");
  const MadeChange change = change_of(nodes);
  EXPECT_TRUE(change.without_controller);
  EXPECT_TRUE(change.is_without_controller);
  EXPECT_EQ(change.label, std::nullopt);
  EXPECT_FALSE(change.cordoned);
}

TEST(Alone, OneDriverAfterTheOtherIsReplaced) {
  FleetView nodes = off({rolling("a"), rolling("b")});
  EXPECT_EQ(verdict(nodes, 0), "replace-driver-pod");
  EXPECT_EQ(verdict(nodes, 1), "waits");
  nodes.nodes[0].driver.is_going = true;
  nodes.nodes[0].driver.is_ready = false;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(verdict(nodes, 1), "waits");
  nodes.nodes[0].driver = {.wanted = "550", .pod = "new-a"};
  EXPECT_EQ(verdict(nodes, 1), "waits") << "the new one is not ready";
  EXPECT_THAT(reason(nodes, 1), HasSubstr("the driver of a is not ready yet"));
  nodes.nodes[0].driver.is_ready = true;
  EXPECT_EQ(verdict(nodes, 0), "required > done");
  EXPECT_EQ(verdict(nodes, 1), "replace-driver-pod");
}

// The fault: a new version made the driver that was still coming up an outdated one, which kept no other one waiting.
TEST(Alone, NoDriverIsReplacedWhileAnOutdatedOneDoesNotServe) {
  FleetView nodes = off({rolling("a"), rolling("b")});
  nodes.nodes[0].driver.is_ready = false;
  nodes.nodes[0].phase = Phase::Failed;  // its turn has not come again yet
  EXPECT_EQ(verdict(nodes, 1), "waits");
  EXPECT_THAT(reason(nodes, 1), HasSubstr("the driver of a is not ready yet"));
  nodes.nodes[0].phase = Phase::Required;
  EXPECT_EQ(verdict(nodes, 0), "replace-driver-pod") << "it comes first";
  nodes.nodes[0].is_skipped = true;
  EXPECT_EQ(verdict(nodes, 1), "replace-driver-pod") << "nobody waits for one that is left alone";
}

TEST(Alone, NothingIsReplacedBeforeItsImageIsThereAndItsTemplateKnown) {
  FleetView nodes = off({rolling("a")});
  nodes.nodes[0].preflight.state = PreflightView::State::Unasked;
  EXPECT_EQ(verdict(nodes), "prove-image");
  nodes.nodes[0].preflight.state = PreflightView::State::Passed;
  nodes.nodes[0].driver.is_settled = false;
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Alone, ADriverThatAsksIsServedWithItsOwnFlags) {
  FleetView nodes = off({asking("a")});
  EXPECT_EQ(verdict(nodes), "required > cordon > wait-for-jobs > evict-device-pods");
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.claim->requested_scope, Scope::DevicePods);
  EXPECT_TRUE(change.claim->driver_pod.empty()) << "it is not the one that serves";
  EXPECT_EQ(change.cordoned, true);
  EXPECT_EQ(change.label, std::nullopt);
}

TEST(Alone, ADriverThatAPersonReplacedIsServedToo) {
  FleetView nodes = off({asking("a")});
  nodes.policy.rolling_update = false;  // OnDelete
  nodes.nodes[0].phase = Phase::Done;
  nodes.nodes[0].without_controller = false;
  EXPECT_EQ(verdict(nodes), "done > required");
  nodes.nodes[0].phase = Phase::Required;
  EXPECT_EQ(verdict(nodes), "required > cordon > wait-for-jobs > evict-device-pods");
}

TEST(Alone, WithOnDeleteNothingIsReplacedByUs) {
  FleetView nodes = off({node("a"), rolling("b")});
  nodes.policy.rolling_update = false;
  nodes.nodes[0].label.reset();
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(verdict(nodes, 1), "waits");
}

TEST(Alone, WhileAnUpgradeIsPausedNothingChangesByItself) {
  FleetView nodes = off({node("a"), node("b", Phase::Required)});
  nodes.nodes[0].label.reset();
  nodes.nodes[1].label.reset();
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(verdict(nodes, 1), "waits");
  EXPECT_EQ(count_slots(nodes).paused, &nodes.nodes[1]);
  EXPECT_THAT(explanation(nodes, 0), HasSubstr("an upgrade is paused, and b waits for it; resume it first"));
}

TEST(Alone, WhoCameToWaitForAControllerLaterHoldsUpWhoeverIsInLine) {
  FleetView nodes = off({rolling("a"), node("b", Phase::Required)});
  nodes.nodes[1].label.reset();
  nodes.nodes[1].is_asked_for = true;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_THAT(reason(nodes, 0), HasSubstr("b waits for it"));
}

TEST(Alone, WhomAControllerCouldNotUpgradeEitherDoesNotWaitForIt) {
  FleetView nodes = off({node("a"), node("b", Phase::Required), node("c", Phase::Required)});
  for (NodeView& one : nodes.nodes) one.label.reset();
  nodes.nodes[1].is_skipped = true;
  nodes.nodes[2].cannot_unload = true;
  EXPECT_EQ(verdict(nodes, 0), "done > required");
  EXPECT_EQ(verdict(nodes, 1), "waits");
  EXPECT_EQ(verdict(nodes, 2), "waits");
}

TEST(Alone, WhoHasNoDriverThatWorksIsNext) {
  FleetView nodes = off({rolling("a"), rolling("b")});
  nodes.nodes[1].driver.is_ready = false;  // another version was wanted while it asked
  nodes.nodes[1].device_pods = 5;
  EXPECT_EQ(verdict(nodes, 0), "waits");
  EXPECT_EQ(verdict(nodes, 1), "replace-driver-pod");
}

TEST(Alone, ItsClockRunsAndTheBudgetOnlyDelays) {
  FleetView nodes = off({served("a", Phase::EvictDevicePods)});
  nodes.nodes[0].pods = {pod("train")};
  EXPECT_EQ(verdict(nodes), "evict-device-pods");
  nodes.policy.device_pods->at_most = 5min;
  nodes.policy.drain.reset();
  nodes.nodes[0].spent = 6min;
  EXPECT_EQ(verdict(nodes), "evict-device-pods > failed") << "no document says that this time forces anything";
}

TEST(Alone, WhatCannotBeIsRefusedAndTheNodeGivenBack) {
  FleetView nodes = off({served("a", Phase::EvictDevicePods)});
  nodes.policy.drain.reset();
  nodes.nodes[0].pods = {pod("bare")};
  nodes.nodes[0].pods->front().owner.clear();
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.phase, Phase::Failed);
  EXPECT_EQ(change.cordoned, false);
  EXPECT_EQ(change.refused, Scope::DevicePods);
  EXPECT_FALSE(change.claim);
  EXPECT_THAT(change.outcome->reason, HasSubstr("ml/bare"));

  NodeView& one = nodes.nodes[0];
  one = asking("a");
  one.phase = Phase::Failed;
  one.without_controller = false;
  one.outcome = change.outcome;
  one.refused = Scope::DevicePods;
  EXPECT_EQ(verdict(nodes), "waits") << "it was told, and has not heard yet";
  one.driver.asks_for.reset();
  one.driver.waits_for_us = false;
  EXPECT_EQ(verdict(nodes), "relabel") << "it has heard, and the answer is taken away";
  EXPECT_EQ(change_of(nodes).refused, std::nullopt);
  one = asking("a");
  one.phase = Phase::Failed;
  one.outcome = change.outcome;
  EXPECT_EQ(verdict(nodes), "failed > required") << "it asks again";
}

TEST(Alone, ARefusedEvictionDoesNotRefuseADrain) {
  FleetView nodes = off({asking("a", Scope::AllPods)});
  nodes.nodes[0].refused = Scope::DevicePods;
  EXPECT_TRUE(nodes.nodes[0].asks_for_room());
  nodes.nodes[0].refused = Scope::AllPods;
  EXPECT_FALSE(nodes.nodes[0].asks_for_room());
}

TEST(Alone, AfterTheSwapTheNodeIsGivenBackAsSoonAsTheDriverAsksNoMore) {
  FleetView nodes = off({served("a", Phase::Restart)});
  nodes.nodes[0].lost_gates = {};
  EXPECT_EQ(verdict(nodes), "waits") << "it unloads";
  nodes.nodes[0].driver.asks_for.reset();
  nodes.nodes[0].driver.waits_for_us = false;
  nodes.nodes[0].driver.asks_nothing = true;
  nodes.nodes[0].lost_gates = {{"plugin", "true"}};
  EXPECT_EQ(verdict(nodes), "restart > required");
  const MadeChange change = change_of(nodes);
  EXPECT_EQ(change.cordoned, false);
  EXPECT_EQ(change.tainted, false);
  EXPECT_EQ(change.gates_to_restore.at("plugin"), "true");
  EXPECT_FALSE(change.claim);
  EXPECT_TRUE(change.without_controller);
}

TEST(Alone, ANodeThatWasCordonedBeforeStaysSo) {
  FleetView nodes = off({served("a", Phase::Restart)});
  nodes.nodes[0].claim->cordon = Claim::Cordon::Found;
  nodes.nodes[0].driver.asks_for.reset();
  nodes.nodes[0].driver.asks_nothing = true;
  EXPECT_EQ(change_of(nodes).cordoned, std::nullopt);
}

TEST(Alone, ABusyModuleLeadsToADrainAndThenToNothingElse) {
  FleetView nodes = off({served("a", Phase::Restart)});
  nodes.nodes[0].driver.asks_for = Scope::AllPods;
  EXPECT_EQ(verdict(nodes), "restart > drain");
  EXPECT_EQ(change_of(nodes).claim->requested_scope, Scope::AllPods);
  nodes.nodes[0].claim->requested_scope = Scope::AllPods;
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Alone, WithNoPodItIsNotKnownWhetherItStillAsks) {
  FleetView nodes = off({served("a", Phase::Restart)});
  nodes.nodes[0].driver = {.wanted = "550"};
  EXPECT_EQ(verdict(nodes), "waits");
}

TEST(Alone, AControllerThatComesBackGoesOnWithWhatItFinds) {
  FleetView nodes = off({served("a", Phase::EvictDevicePods), rolling("b")});
  nodes.policy.is_on = true;
  nodes.nodes[0].pods = {pod("train")};
  const MadeChange first = change_of(nodes, 0);
  EXPECT_EQ(first.claim->requested_scope, std::nullopt);
  EXPECT_EQ(first.label, Phase::EvictDevicePods);
  const MadeChange second = change_of(nodes, 1);
  EXPECT_EQ(second.label, Phase::Required);
  EXPECT_FALSE(second.without_controller);
}

TEST(Alone, AKernelThatCannotUnloadIsNamedBeforeAnythingIsTouched) {
  FleetView nodes = off({rolling("a")});
  nodes.nodes[0].cannot_unload = true;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_THAT(reason(nodes), HasSubstr("its kernel cannot unload modules: only a reboot"));
  nodes.policy.is_on = true;
  nodes.nodes[0].label = Phase::Required;
  EXPECT_EQ(verdict(nodes), "waits");
  EXPECT_THAT(reason(nodes), HasSubstr("its kernel cannot unload modules"));
}

}  // namespace
}  // namespace drover::core::testing
