// What `drover migrate` does next, by what is there.
#include "vendors/tenstorrent/cli/migration_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using State = HelperView::State;

MigrationView host_managed() {
  MigrationView view{.node = "tt-1"};
  view.is_there = true;
  view.install_mode = "host";
  view.policy = PolicyView{.name = "default", .version = "2.8.0"};
  return view;
}
MigrationView under_way() {
  MigrationView view = host_managed();
  view.mark = kWasOpen;
  view.is_cordoned = true;
  return view;
}
LeavingPod pod(std::string name) { return {.ns = "ml", .name = std::move(name)}; }

TEST(MigrationStep, RefusesWhatCannotEndWellBeforeItTouchesAnything) {
  EXPECT_EQ(next_deed({.node = "tt-1"}, {}).text, "there is no such node");
  MigrationView view = host_managed();
  view.policy.reset();
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Refuse);
  EXPECT_THAT(next_deed(view, {}).text, HasSubstr("no TenstorrentDriverPolicy means it"));
  view = host_managed();
  view.is_skipped = true;
  EXPECT_THAT(next_deed(view, {}).text, HasSubstr("kubectl label node tt-1 driver.tenstorrent.com/skip-"));
  view = host_managed();
  view.pods = {pod("notebook")};
  view.pods[0].is_bare = true;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Refuse);
  EXPECT_THAT(next_deed(view, {}).text, HasSubstr("use --force"));
  EXPECT_EQ(next_deed(view, {.is_forced = true}).operation, Operation::Cordon);
  view.pods[0] = pod("scratch");
  view.pods[0].has_local_data = true;
  EXPECT_THAT(next_deed(view, {}).text, HasSubstr("use --delete-emptydir-data"));
}

TEST(MigrationStep, CordonsDrainsVacatesReleasesAndWaits) {
  MigrationView view = host_managed();
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Cordon);
  view = under_way();
  view.pods = {pod("train")};
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Evict);
  view.pods[0].is_going = true;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Wait);
  view.pods.clear();
  EXPECT_EQ(next_deed(view, {}).operation, Operation::StartHelper);
  view.helper.state = State::UnderWay;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Wait);
  view.helper.state = State::Succeeded;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Release);
  view.mark.clear();
  view.is_cordoned = false;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Wait);
  view.install_mode = "container";
  EXPECT_EQ(next_deed(view, {}).operation, Operation::RemoveHelper);
  view.helper = {};
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Wait);
  view.kmd_version = "2.8.0";
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Done);
}

TEST(MigrationStep, APausedPolicyIsNotWaitedFor) {
  MigrationView view = host_managed();
  view.install_mode = "container";
  view.policy->is_paused = true;
  const NextDeed next = next_deed(view, {});
  EXPECT_EQ(next.operation, Operation::Done);
  EXPECT_THAT(next.text, HasSubstr(R"(kubectl patch ttdp default --type merge -p '{"spec":{"paused":false}}')"));
}

TEST(MigrationStep, ADrainThatTakesTooLongLeavesTheNodeCordonedAndSaysWho) {
  MigrationView view = under_way();
  view.pods = {pod("train")};
  view.pods[0].held_by = "budget train";
  view.spent = 11min;
  const NextDeed next = next_deed(view, {});
  EXPECT_EQ(next.operation, Operation::Fail);
  EXPECT_THAT(next.text, HasSubstr("not drained within 10m: ml/train (budget train)"));
  EXPECT_THAT(next.text, HasSubstr("kubectl uncordon tt-1"));
}

TEST(MigrationStep, AFailureOfAnEarlierRunIsTriedAgainAndOneOfThisRunIsTold) {
  MigrationView view = under_way();
  view.helper = {.state = State::Failed, .uid = "1", .said = "the device is held by 7 (python)"};
  EXPECT_EQ(next_deed(view, {}).operation, Operation::RemoveHelper);
  view.helper.is_going = true;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Wait);
  view.helper_is_ours = true;
  EXPECT_EQ(next_deed(view, {}).operation, Operation::Fail);
  EXPECT_THAT(next_deed(view, {}).text, HasSubstr("the device is held by 7 (python)"));
}

TEST(MigrationStep, BackToTheHostTheSkipLabelComesFirstAndTheBuilderLeavesBeforeTheDriver) {
  const MigrationTerms back{.direction = Direction::ToHost};
  MigrationView view = host_managed();
  view.install_mode = "container";
  EXPECT_EQ(next_deed(view, back).operation, Operation::Skip);
  view.is_skipped = true;
  view.policy.reset();
  EXPECT_EQ(next_deed(view, back).operation, Operation::Cordon);
  view.mark = kWasOpen;
  view.builder_is_there = true;
  EXPECT_EQ(next_deed(view, back).operation, Operation::Wait);
  view.builder_is_there = false;
  EXPECT_EQ(next_deed(view, back).operation, Operation::StartHelper);
  EXPECT_THAT(next_deed(view, back).text, HasSubstr("apt install --reinstall tenstorrent-dkms"));
  view.helper.state = State::Succeeded;
  EXPECT_EQ(next_deed(view, back).operation, Operation::SayHost);
  view.install_mode = "host";
  EXPECT_EQ(next_deed(view, back).operation, Operation::Release);
  view.mark.clear();
  EXPECT_EQ(next_deed(view, back).operation, Operation::RemoveHelper);
  view.helper = {};
  EXPECT_EQ(next_deed(view, back).operation, Operation::Done);
}

TEST(MigrationStep, APreviewSaysEverythingInItsOrder) {
  MigrationView view = host_managed();
  view.pods = {pod("train")};
  EXPECT_THAT(migration_preview(view, {}),
              ::testing::ElementsAre("would cordon it", "would evict ml/train",
                                     "would unload DKMS's driver and remove what DKMS left", "would uncordon it",
                                     "would wait until the operator has loaded 2.8.0"));
  view.policy.reset();
  EXPECT_THAT(migration_preview(view, {}), ::testing::ElementsAre(HasSubstr("no TenstorrentDriverPolicy")));
}

}  // namespace
}  // namespace drover::cli
