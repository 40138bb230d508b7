// Events about a policy: each change once, and nothing that was told before.
#include "act/announcements.h"

#include <gmock/gmock.h>

#include "core/fleet.h"
#include "vendors/nvidia/module.h"
#include "vendors/tenstorrent/module.h"

namespace drover::act {
namespace {

using core::Phase;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace core::testing;  // NOLINT(google-build-using-namespace): fleets in few words

const kube::Resource kKind{"driver.tenstorrent.com", "v1alpha1", "tenstorrentdriverpolicies", "TenstorrentDriverPolicy",
                           kube::Scope::Cluster};

class News : public ::testing::Test {
 protected:
  std::vector<std::string> told(core::NodeView node,
                                const vendors::WorkProfile& profile = vendors::tenstorrent_driver()) {
    node.driver.is_outdated = node.phase != Phase::Done;
    const core::FleetView view = fleet({std::move(node)});
    std::vector<std::string> all;
    const core::Plan plan = core::decide(profile.flow, view);
    const Obstacles obstacles = obstacles_of(profile.flow, view, plan);
    for (const kube::Event& event : news.look(view, plan, obstacles, profile, kKind, policy)) {
      EXPECT_EQ(event.name, "default");
      EXPECT_EQ(event.uid, "u1");
      const bool is_warning = event.type == kube::Event::Type::Warning;
      all.push_back((is_warning ? "Warning " : "Normal ") + event.reason + " " + event.message);
    }
    return all;
  }

  Announcements news;
  json::Value policy = json::Members{{"metadata", json::Members{{"name", "default"}, {"uid", "u1"}}}};
};

TEST_F(News, AreEachChangeOnce) {
  EXPECT_THAT(told(node("n1", Phase::Done)), ElementsAre("Normal Ready n1"));
  EXPECT_THAT(told(node("n1", Phase::Done)), IsEmpty());
  EXPECT_THAT(told(node("n1", Phase::Required)), IsEmpty()) << "waiting emits no Event";
  EXPECT_THAT(told(taken("n1", Phase::Drain)), ElementsAre(StartsWith("Normal Draining n1: ")));
  EXPECT_THAT(told(taken("n1", Phase::Drain)), IsEmpty());
  EXPECT_THAT(told(taken("n1", Phase::Restart)), ElementsAre(StartsWith("Normal Installing n1: ")));
  EXPECT_THAT(told(node("n1", Phase::Done)), ElementsAre("Normal Ready n1"));
}

TEST_F(News, WarnWithTheReason) {
  core::NodeView failed = node("n1", Phase::Failed);
  failed.outcome = core::Outcome{
      .failed = true, .code = core::Reason::DrainTimeout, .reason = "the drain ran out of time: 10m of 10m"};
  EXPECT_THAT(told(failed), ElementsAre("Warning DrainTimeout n1: the drain ran out of time: 10m of 10m"));
  core::NodeView unprepared = node("n1", Phase::Required);
  unprepared.preflight = {.state = core::PreflightView::State::Missing, .trouble = "no headers"};
  EXPECT_THAT(told(unprepared), ElementsAre(AllOf(StartsWith("Warning CannotPrepare n1: "), HasSubstr("no headers")),
                                            "Warning Blocked n1: the driver cannot be prepared: no headers"));
}

TEST_F(News, TellOnceThatAWriteIsRefused) {
  core::NodeView refused = node("n1", Phase::Required);
  refused.refusal = core::RefusalView{.text = "patch nodes/n1: no"};
  const std::string what = "the API server refuses a write: patch nodes/n1: no";
  const vendors::WorkProfile& profile = vendors::tenstorrent_driver();
  const core::FleetView view = fleet({refused});
  const core::Plan plan = core::decide(profile.flow, view);
  std::vector<std::string> all;
  for (const kube::Event& event : news.look(view, plan, obstacles_of(profile.flow, view, plan), profile, kKind, policy))
    all.push_back(event.resource.kind + " " + event.reason + " " + event.message);
  EXPECT_THAT(all, ElementsAre("TenstorrentDriverPolicy WriteRefused n1: " + what,
                               "Node TenstorrentDriverUpgrade " + what, "TenstorrentDriverPolicy Blocked n1: " + what));
  EXPECT_THAT(news.look(view, plan, obstacles_of(profile.flow, view, plan), profile, kKind, policy), IsEmpty());
}

// The scheduler counts the nodes of the cluster in it, which come and go.
TEST_F(News, OfAnObstacleAreOneWhateverTheSchedulerSaysNext) {
  core::NodeView swap = taken("n1", Phase::Restart);
  swap.driver = {.wanted = "550", .pod = "new", .never_ran = true, .is_unscheduled = true};
  swap.spent = 1min;
  const auto blocked = [&](const char* words) {
    swap.driver.trouble = words;
    std::vector<std::string> all;
    const core::FleetView view = fleet({swap});
    const vendors::WorkProfile& profile = vendors::nvidia_driver();
    const core::Plan plan = core::decide(profile.flow, view);
    const Obstacles obstacles = obstacles_of(profile.flow, view, plan);
    for (const kube::Event& event : news.look(view, plan, obstacles, profile, kKind, policy)) {
      if (event.reason == "Blocked") all.push_back(event.message);
    }
    return all;
  };
  EXPECT_THAT(blocked("Unschedulable: 0/3 nodes are available"),
              ElementsAre("n1: the driver's pod cannot be scheduled: Unschedulable: 0/3 nodes are available"));
  EXPECT_THAT(blocked("Unschedulable: 0/4 nodes are available"), IsEmpty());
}

TEST_F(News, AreNotWhatTheStatusSaysAlready) {
  policy.get_object()["status"] = json::Members{
      {"nodes", json::Array{json::Members{{"name", "n1"}, {"state", "Draining"}, {"reason", "Draining"}}}}};
  EXPECT_THAT(told(taken("n1", Phase::Drain)), IsEmpty());
  EXPECT_THAT(told(node("n1", Phase::Done)), ElementsAre("Normal Ready n1"));
}

TEST_F(News, OfALargeFleetAreNotThatMostOfItIsDone) {
  policy.get_object()["status"] = json::Members{{"nodesNotListed", 5}};
  EXPECT_THAT(told(node("n1", Phase::Done)), IsEmpty());
  EXPECT_THAT(told(taken("n1", Phase::Drain)), ElementsAre(StartsWith("Normal Draining n1: ")));
}

TEST_F(News, ForgetNodesThatHaveGone) {
  EXPECT_THAT(told(node("n1", Phase::Done)), ElementsAre("Normal Ready n1"));
  EXPECT_THAT(told(node("n2", Phase::Done)), ElementsAre("Normal Ready n2"));
  EXPECT_THAT(told(node("n1", Phase::Done)), ElementsAre("Normal Ready n1")) << "it has come again";
}

TEST_F(News, AreNoneWhereTheVendorHasNoWordsForThem) {
  EXPECT_THAT(told(node("n1", Phase::Done), vendors::nvidia_driver()), IsEmpty());
}

}  // namespace
}  // namespace drover::act
