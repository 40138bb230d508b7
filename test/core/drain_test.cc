#include "core/drain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fleet.h"

namespace drover::core::testing {
namespace {

constexpr Removal kGentle = {};
constexpr Removal kForce = {.takes_bare_pods = true};
constexpr Removal kLocal = {.takes_local_data = true};

Way way(const PodView& pod, Scope scope = Scope::DevicePods, const Removal& removal = kGentle) {
  return fate_of(pod, scope, removal).way;
}

TEST(Drain, AsksAManagedPodThatUsesTheDeviceToGo) { EXPECT_EQ(way(pod("a")), Way::Evict); }

TEST(Drain, LeavesPodsWithoutTheDeviceToTheSecondPass) {
  PodView one = pod("a");
  one.uses_device = false;
  EXPECT_EQ(way(one), Way::Stays);
  EXPECT_EQ(way(one, Scope::AllPods), Way::Evict);
}

TEST(Drain, LeavesAPodThatItsSelectorLeavesOutUnlessItUsesTheDevice) {
  PodView one = pod("a");
  one.is_drained = false;
  EXPECT_EQ(way(one, Scope::AllPods), Way::Evict);
  one.uses_device = false;
  EXPECT_EQ(way(one, Scope::AllPods), Way::Stays);
}

TEST(Drain, DoesNotTakeABarePodWithoutForce) {
  PodView one = pod("a");
  one.owner.clear();
  EXPECT_EQ(way(one), Way::MayNot);
  EXPECT_EQ(way(one, Scope::DevicePods, kForce), Way::Evict);
}

TEST(Drain, DoesNotLoseLocalDataUnlessTold) {
  PodView one = pod("a");
  one.has_local_data = true;
  EXPECT_EQ(way(one), Way::MayNot);
  EXPECT_EQ(way(one, Scope::DevicePods, kLocal), Way::Evict);
}

TEST(Drain, AFinishedPodIsNotInTheWay) {
  PodView one = pod("a");
  one.is_finished = true;
  one.owner.clear();
  one.has_local_data = true;
  EXPECT_EQ(way(one), Way::Stays);
}

TEST(Drain, APodThatIsGoingIsWaitedForNotAskedAgain) {
  PodView one = pod("a");
  one.is_going = true;
  EXPECT_EQ(way(one), Way::Goes);
}

TEST(Drain, AMirrorPodMattersOnlyWhenItHoldsTheDevice) {
  PodView one = pod("a");
  one.is_mirror = true;
  one.owner.clear();
  EXPECT_EQ(way(one), Way::MayNot);
  one.uses_device = false;
  EXPECT_EQ(way(one, Scope::AllPods), Way::Stays);
}

TEST(Drain, ADaemonPodIsTakenForTheDeviceOnly) {
  PodView one = pod("a");
  one.is_daemon = true;
  EXPECT_EQ(way(one), Way::Evict);
  one.uses_device = false;
  EXPECT_EQ(way(one, Scope::AllPods), Way::Stays);
}

TEST(Drain, ADaemonPodThatWouldBeBackAtOnceIsNamedNotChased) {
  PodView one = pod("a");
  one.is_daemon = one.returns = true;
  EXPECT_EQ(way(one), Way::MayNot);
}

TEST(Drain, NeverTakesOurOwn) {
  PodView one = pod("a");
  one.is_ours = true;
  EXPECT_EQ(way(one), Way::Stays);
  EXPECT_EQ(way(one, Scope::AllPods, kForce), Way::Stays);
}

TEST(Drain, NamesThreePodsAndTheBudgetThatHoldsThem) {
  std::vector<PodView> pods = {pod("a"), pod("b"), pod("c"), pod("d"), pod("e")};
  pods[0].held_by = "ml/train";
  pods[4].owner.clear();
  EXPECT_EQ(names_of(clearing_of(pods, Scope::DevicePods, kGentle)),
            "ml/e (pod has no controller; delete it or set spec.…drain.force=true), ml/a (blocked by "
            "PodDisruptionBudget ml/train), ml/b and 2 more");
}

}  // namespace
}  // namespace drover::core::testing
