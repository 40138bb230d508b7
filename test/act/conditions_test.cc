// The conditions of a policy, situation by situation: what `kubectl wait` may rely on.
#include "act/conditions.h"

#include <gmock/gmock.h>

#include "core/fleet.h"
#include "vendors/nvidia/module.h"
#include "vendors/tenstorrent/module.h"

namespace drover::act {
namespace {

using core::Phase;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace core::testing;  // NOLINT(google-build-using-namespace): fleets in few words

// "True/AllServing: all 3 nodes …"
std::string told(const core::FleetView& fleet, std::string_view type,
                 const vendors::WorkProfile& profile = vendors::nvidia_driver()) {
  for (const Condition& one : conditions_of(fleet, core::decide(profile.flow, fleet), profile, {})) {
    if (one.type == type) return std::string(word(one.status)) + "/" + one.reason + ": " + one.message;
  }
  return "absent";
}
std::string brief(const core::FleetView& fleet, std::string_view type,
                  const vendors::WorkProfile& profile = vendors::nvidia_driver()) {
  const std::string all = told(fleet, type, profile);
  return all.substr(0, all.find(':'));
}

core::NodeView serving(const char* name) { return current(node(name)); }
core::NodeView broken(const char* name, core::Span unready_for) {
  core::NodeView one = serving(name);
  one.driver.is_ready = false;
  one.driver.trouble = "CrashLoopBackOff: it fell";
  one.driver.unready_for = unready_for;
  return one;
}
core::FleetView off(core::FleetView fleet) {
  fleet.policy.is_on = false;
  return fleet;
}

TEST(Ready, IsWhenEveryNodeServesWhatIsWantedNow) {
  EXPECT_EQ(brief(fleet({serving("n1"), serving("n2")}), "Ready"), "True/AllServing");
  EXPECT_EQ(brief(off(fleet({serving("n1")})), "Ready"), "True/AllServing") << "paused, and nothing is missing";
  EXPECT_EQ(brief(fleet({serving("n1"), taken("n2", Phase::Drain)}), "Ready"), "False/NodesPending");
}

// The fault: phase Done of an older version counted, and `kubectl wait --for=condition=Ready` succeeded.
TEST(Ready, IsUnknownWhileUpgradesArePausedAndAnotherVersionIsWanted) {
  const core::FleetView outdated = off(fleet({node("n1"), node("n2", Phase::Required)}));
  EXPECT_EQ(brief(outdated, "Ready"), "Unknown/Paused");
  EXPECT_EQ(brief(outdated, "Progressing"), "False/Paused");
  EXPECT_EQ(brief(off(fleet({node("n1")})), "Ready", vendors::tenstorrent_driver()), "Unknown/Paused");
}

TEST(Ready, OfAPolicyThatChangesDriversWithoutTheControllerIsNotPaused) {
  core::FleetView rolls = off(fleet({node("n1")}));
  rolls.policy.rolling_update = true;
  EXPECT_EQ(brief(rolls, "Ready"), "False/NodesPending");
  EXPECT_EQ(brief(rolls, "Progressing"), "True/WithoutController");
  rolls.policy.rolling_update = false;
  EXPECT_THAT(told(rolls, "Ready"), AllOf(StartsWith("False/ManualUpgradePending"), HasSubstr("n1")));
  EXPECT_EQ(brief(rolls, "Progressing"), "False/ManualUpgradePending");
}

// The fault: a driver that broke, or vanished, after it was done left Ready=True.
TEST(Ready, NamesADoneNodeWhoseDriverNoLongerServes) {
  EXPECT_EQ(brief(fleet({serving("n1"), broken("n2", 10s)}), "Ready"), "True/AllServing") << "a pod may be replaced";
  const core::FleetView bad = fleet({serving("n1"), broken("n2", 30s)});
  EXPECT_THAT(told(bad, "Ready"), AllOf(StartsWith("False/DriverNotReady"), HasSubstr("n2")));
  EXPECT_EQ(brief(bad, "Degraded"), "True/DriverNotReady");
  EXPECT_EQ(brief(bad, "Progressing"), "False/Idle");
  EXPECT_EQ(reason(bad, 1), "the driver no longer serves: CrashLoopBackOff: it fell");
}

TEST(Ready, NamesADoneNodeWhoseValidatorNoLongerPasses) {
  core::NodeView doubtful = serving("n1");
  doubtful.validator.is_failing = true;
  doubtful.driver.unready_for = 1min;
  EXPECT_THAT(told(fleet({doubtful}), "Ready"), AllOf(StartsWith("False/DriverNotReady"), HasSubstr("n1")));
  EXPECT_EQ(reason(fleet({doubtful})), "the driver no longer serves: its validator is not ready");
}

TEST(Ready, WaitsFiveMinutesForThePodOfADriverThatItsAgentSaysIsLoaded) {
  core::NodeView renewed = broken("n1", 2min);
  renewed.driver.pod.clear();
  renewed.driver.loaded = renewed.driver.wanted;
  EXPECT_EQ(brief(fleet({renewed}), "Ready", vendors::tenstorrent_driver()), "True/AllServing");
  renewed.driver.unready_for = 5min;
  EXPECT_THAT(told(fleet({renewed}), "Ready", vendors::tenstorrent_driver()),
              AllOf(StartsWith("False/DriverUnknown"), HasSubstr("n1")));
  EXPECT_EQ(brief(fleet({renewed}), "Degraded", vendors::tenstorrent_driver()), "False/None");
}

// The fault: at every upgrade of the operator Ready went through the fleet, as each builder's pod took half a minute.
TEST(Ready, WaitsFiveMinutesForTheNextAgentToSpeakToo) {
  core::NodeView renewed = broken("n1", 2min);
  renewed.driver.loaded = renewed.driver.wanted;
  EXPECT_EQ(brief(fleet({renewed}), "Ready", vendors::tenstorrent_driver()), "True/AllServing");
  renewed.driver.loaded = "another";
  EXPECT_EQ(brief(fleet({renewed}), "Ready", vendors::tenstorrent_driver()), "False/DriverNotReady")
      << "the agent says that the kernel has another driver";
}

TEST(Ready, OfADriverThatIsNotHeardOfSaysWhatWasHeardLast) {
  core::NodeView gone = broken("n1", 5min);
  gone.driver.pod.clear();
  gone.driver.trouble = {};
  gone.driver.loaded = gone.driver.wanted;
  const core::FleetView nodes = fleet({gone});
  const core::Plan plan = core::decide(core::prepared(), nodes);
  EXPECT_EQ(core::reason_of(core::prepared(), nodes, plan.slots, 0),
            "nothing is heard of the driver: 550 was loaded when its agent was last heard; its pod is gone");
  EXPECT_TRUE(plan.decisions[0].rule->is_announced);
}

TEST(Ready, SaysWhoIsOutOfReachOrHasNoTarget) {
  core::NodeView away = serving("n1");
  away.is_ready = false;
  EXPECT_THAT(told(fleet({away}), "Ready"), AllOf(StartsWith("False/NodeNotReady"), HasSubstr("n1")));
  core::NodeView odd = serving("n1");
  odd.target = {};
  EXPECT_EQ(brief(fleet({odd}), "Ready"), "False/TargetUnknown");
}

// The fault: Progressing=False NothingToDo, and silence.
TEST(Progressing, SaysThatAFirstDriverIsBeingInstalled) {
  core::NodeView first = node("n1", Phase::Idle);
  first.driver = {.wanted = "550", .is_first = true};
  EXPECT_EQ(brief(fleet({first}), "Progressing"), "True/Installing");
  EXPECT_EQ(brief(fleet({first}), "Ready"), "False/Installing");
}

// A first driver whose pod the scheduler does not place.
core::NodeView unplaced(const char* name, core::Span unready_for) {
  core::NodeView first = node(name, Phase::Idle);
  first.driver = {.wanted = "550", .pod = "p", .is_first = true, .never_ran = true, .is_unscheduled = true};
  first.driver.trouble = "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.";
  first.driver.unready_for = unready_for;
  return first;
}

// The fault: a first install that could not go on was "installing" for ever, without a word.
TEST(Progressing, SaysThatAFirstInstallIsBlockedOnceItHasLasted) {
  EXPECT_EQ(brief(fleet({unplaced("n1", 29s)}), "Progressing"), "True/Installing");
  EXPECT_EQ(brief(fleet({unplaced("n1", 29s)}), "Blocked"), "False/None");
  const core::FleetView blocked = fleet({unplaced("n1", 30s), unplaced("n2", 30s)});
  EXPECT_EQ(told(blocked, "Blocked"),
            "True/Unschedulable: n1, n2: the driver's pod cannot be scheduled: Unschedulable: 0/1 nodes are available: "
            "1 Insufficient cpu.");
  EXPECT_EQ(brief(blocked, "Progressing"), "False/Blocked");
  EXPECT_EQ(brief(blocked, "Ready"), "False/Installing");
  EXPECT_EQ(brief(fleet({unplaced("n1", 30s), unplaced("n2", 1s)}), "Progressing"), "True/Installing");
}

TEST(Blocked, NamesAFirstInstallWhosePodsAreNotMade) {
  core::NodeView without = unplaced("n1", 30s);
  without.driver.pod.clear();
  without.driver.trouble = "DaemonSet acme/driver has made no pod here; kubectl describe says why";
  EXPECT_THAT(told(fleet({without}), "Blocked"), StartsWith("True/NoDriverPod: n1: the driver's pod does not exist"));
  without.driver.misfit = without.driver.trouble = "it does not tolerate the taint team:NoSchedule";
  EXPECT_EQ(told(fleet({without}), "Blocked"),
            "True/Misfit: n1: the driver's pod does not fit the node: it does not tolerate the taint team:NoSchedule");
}

TEST(Blocked, NamesWhatKeepsANewDriversPodFromItsNode) {
  core::NodeView swap = taken("n1", Phase::Restart);
  swap.driver = {
      .wanted = "550", .pod = "new", .never_ran = true, .is_unscheduled = true, .trouble = "Unschedulable: x"};
  swap.spent = 29s;
  EXPECT_EQ(brief(fleet({swap}), "Blocked"), "False/None");
  swap.spent = 30s;
  EXPECT_EQ(brief(fleet({swap}), "Blocked"), "True/Unschedulable");
  EXPECT_EQ(brief(fleet({swap}), "Progressing"), "False/Blocked");
  swap.driver.pod.clear();
  swap.driver.trouble = {};
  EXPECT_EQ(brief(fleet({swap}), "Blocked"), "True/NoDriverPod");
}

// Nothing is cordoned for it, and it does not pass by itself.
TEST(Blocked, NamesANodeInTheQueueThatTheNewDriversPodWouldNotFit) {
  core::NodeView odd = node("n1", Phase::Required);
  odd.driver.misfit = "it does not tolerate the taint team:NoSchedule";
  EXPECT_EQ(brief(fleet({odd}), "Blocked"), "True/Misfit");
  EXPECT_EQ(brief(fleet({odd}), "Progressing"), "False/Blocked");
  EXPECT_EQ(brief(fleet({odd, node("n2", Phase::Required)}), "Blocked"), "True/Misfit");
}

// Of one that has started, Ready tells.
TEST(Blocked, IsABrokenDriverOnlyIfItsPodHasNoPlace) {
  core::NodeView fallen = broken("n1", 1min);
  EXPECT_EQ(brief(fleet({fallen}), "Blocked"), "False/None");
  fallen.driver.never_ran = fallen.driver.is_unscheduled = true;
  EXPECT_EQ(brief(fleet({fallen}), "Blocked"), "True/Unschedulable");
  EXPECT_EQ(brief(fleet({fallen}), "Ready"), "False/DriverNotReady");
}

TEST(Obstacles, SayWhenTimeAloneAddsOne) {
  const auto again = [](const core::FleetView& fleet) {
    return obstacles_of(core::in_place(), fleet, core::decide(core::in_place(), fleet)).look_again_in;
  };
  EXPECT_EQ(again(fleet({unplaced("n1", 10s), unplaced("n2", 25s)})), core::Span(5s));
  EXPECT_EQ(again(fleet({unplaced("n1", 30s)})), std::nullopt);
  EXPECT_EQ(again(fleet({serving("n1")})), std::nullopt);
}

TEST(Ready, LeavesSkippedAndHostManagedNodesOut) {
  core::NodeView skipped = node("n1", Phase::Required);
  skipped.is_skipped = true;
  EXPECT_EQ(told(fleet({serving("n2"), skipped}), "Ready"),
            "True/AllServing: all 1 nodes serve the wanted driver; 1 skipped");
  EXPECT_EQ(brief(fleet({skipped}), "Ready"), "True/AllSkipped");
  core::NodeView theirs = node("n1", Phase::Idle);
  theirs.driver.is_host_managed = true;
  EXPECT_EQ(brief(fleet({theirs}), "Ready"), "True/HostManaged");
}

// The fault: a blocked rollout looked healthy.
TEST(Blocked, NamesTheDisruptionBudgetItsNodesAndWhatComes) {
  core::NodeView held = taken("n1", Phase::EvictDevicePods);
  held.pods->push_back(pod("train-1"));
  held.pods->back().held_by = "ml/train";
  core::FleetView blocked = fleet({held});
  EXPECT_EQ(brief(blocked, "Blocked"), "False/None") << "it may pass by itself";
  blocked.nodes[0].spent = 2min;
  EXPECT_EQ(told(blocked, "Blocked"),
            "True/PodDisruptionBudget: n1: blocked by PodDisruptionBudget ml/train; pods that use the device are "
            "deleted after 5m");
  EXPECT_THAT(told(blocked, "Progressing"), StartsWith("False/Blocked"));
  blocked.nodes.push_back(taken("n2", Phase::Restart));
  EXPECT_EQ(brief(blocked, "Progressing"), "True/InFlight") << "another node moves";
}

TEST(Blocked, SaysAtOnceWhatTheApiServerRefuses) {
  core::FleetView view = fleet({taken("n1", Phase::EvictDevicePods), node("n2", Phase::Required), serving("n3")});
  view.nodes[1].refusal = core::RefusalView{.text = "patch nodes/n2: no"};
  EXPECT_EQ(told(view, "Blocked"), "True/WriteRefused: n2: the API server refuses a write: patch nodes/n2: no");
  EXPECT_EQ(brief(view, "Progressing"), "True/InFlight") << "another node moves";
  view.nodes[0] = serving("n1");
  EXPECT_EQ(brief(view, "Progressing"), "False/Blocked");
  view.nodes[2].refusal = core::RefusalView{.text = "patch nodes/n3: no"};
  EXPECT_EQ(told(view, "Blocked"), "True/WriteRefused: n2, n3: the API server refuses a write: patch nodes/n2: no");
}

TEST(Blocked, NamesWhatKeepsAFirstInstallBack) {
  core::NodeView first = node("n1", Phase::Idle);
  first.driver = {.wanted = "550", .is_first = true};
  core::FleetView view = fleet({first});
  EXPECT_EQ(brief(view, "Progressing"), "True/Installing");
  view.nodes[0].refusal = core::RefusalView{.reason = core::Reason::NamespaceMissing, .text = "x is not there"};
  EXPECT_EQ(brief(view, "Ready"), "False/Installing");
  EXPECT_EQ(brief(view, "Progressing"), "False/Blocked");
  EXPECT_THAT(told(view, "Blocked"), StartsWith("True/NamespaceMissing: n1: "));
}

TEST(Blocked, NamesWhoUsesUpTheLimit) {
  core::NodeView theirs = serving("n1");
  theirs.is_cordoned = true;
  core::FleetView full = fleet({theirs, node("n2", Phase::Required)});
  full.policy.unavailable = {.amount = 1};
  EXPECT_THAT(told(full, "Blocked"), AllOf(StartsWith("True/MaxUnavailable"), HasSubstr("n1")));
  EXPECT_EQ(brief(full, "Progressing"), "False/Waiting");
}

TEST(NodeClasses, AddUpToAllNodesOfThePolicy) {
  core::NodeView first = node("n6", Phase::Idle);
  first.driver = {.wanted = "550", .is_first = true};
  core::NodeView away = serving("n7");
  away.is_ready = false;
  const core::ClassCounts counts =
      core::count_classes(fleet({serving("n1"), node("n2", Phase::Required), taken("n3", Phase::Drain),
                                 node("n4", Phase::Failed), broken("n5", 1min), first, away, node("n8")}));
  EXPECT_EQ(counts.total(), 8);
  using core::NodeClass;
  for (const NodeClass one : {NodeClass::InFlight, NodeClass::Failed, NodeClass::Installing, NodeClass::Unknown,
                              NodeClass::Broken, NodeClass::Serving})
    EXPECT_EQ(counts.count(one), 1) << static_cast<int>(one);
  EXPECT_EQ(counts.count(NodeClass::Waiting), 2);
}

}  // namespace
}  // namespace drover::act
