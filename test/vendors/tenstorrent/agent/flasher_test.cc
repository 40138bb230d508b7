// The flash of a node, with everything that can go wrong in it: chips are written once, and what is not known to be
// verified is never reset.
#include "vendors/tenstorrent/agent/flasher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vendors/tenstorrent/agent/firmware_yard.h"

namespace drover::agent::testing {
namespace {

using protocol::Outcome;
using protocol::Part;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class Flash : public ::testing::Test {
 protected:
  Flash() { yard.put_bundle_into_cache(); }
  FirmwareYard yard;
};

TEST_F(Flash, WritesTheChipsOnceAndReadsThemBack) {
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Done) << verdict.message;
  EXPECT_EQ(verdict.claim, "claim-1");
  EXPECT_EQ(verdict.boot, "boot-1");
  EXPECT_EQ(verdict.target, "19.9.0.0#0");
  EXPECT_THAT(verdict.parts, ElementsAre(Part{"0000:01:00.0", "19.9.0.0"}, Part{"0000:02:00.0", "19.9.0.0"}));
  EXPECT_EQ(yard.exit_code, 0);
  EXPECT_EQ(yard.flashes(), 1);
  EXPECT_EQ(yard.resets(), 0);
  EXPECT_LE(yard.verdict_text.size(), 4096U);
}

TEST_F(Flash, RunsTtFlashByItsPathWithFixedArgumentsAndUninterrupted) {
  yard.flash();
  const auto& command = *std::find_if(yard.host.ran.begin(), yard.host.ran.end(),
                                      [](const auto& one) { return one.path == "/opt/tt/bin/tt-flash"; });
  EXPECT_THAT(command.args, ElementsAre("--no-color", "--no-tty", "flash", "--fw-tar", HasSubstr("bundle.fwbundle")));
  EXPECT_TRUE(command.uninterrupted);
}

TEST_F(Flash, AsksNothingOverTheNetwork) {
  yard.flash();
  EXPECT_TRUE(yard.network.asked.empty());
}

TEST_F(Flash, SaysEachStepAndWhatTtFlashSaysAndNoToken) {
  yard.flash();
  EXPECT_TRUE(yard.said("flash: claim claim-1, target 19.9.0.0#0"));
  EXPECT_TRUE(yard.said("chips: 19.8.0.0 (0000:01:00.0, 0000:02:00.0)"));
  EXPECT_TRUE(yard.said("tt-flash: Stage: RESET"));
  EXPECT_TRUE(yard.said("verdict: done"));
  EXPECT_FALSE(yard.said("secret"));
}

TEST_F(Flash, LeavesChipsThatHaveTheVersion) {
  for (PlayedChip& chip : yard.chips) chip.running = chip.stored = "19.9.0.0";
  yard.show_chips();
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, WritesAVersionThatIsThereOnlyWhenForcedAndThenOnce) {
  for (PlayedChip& chip : yard.chips) chip.running = chip.stored = "19.9.0.0";
  yard.show_chips();
  yard.forces = true;
  yard.target = "19.9.0.0#1";
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.times_run(vendors::kTtFlash, "--force"), 1);
  yard.claim = "claim-2";  // the record was lost, and somebody asks again
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.flashes(), 1);
  yard.target = "19.9.0.0#2";
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.flashes(), 2);
}

TEST_F(Flash, WaitsWhileAProcessHoldsTheDeviceAndAsksNoTtSmi) {
  yard.host.held = {{.pid = 7, .command = "train", .path = "/dev/tenstorrent/0", .pod_uid = ""}};
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("pid 7 (train)"));
  EXPECT_TRUE(yard.host.ran.empty());
  EXPECT_EQ(yard.exit_code, 1);
  yard.host.held.clear();
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
}

TEST_F(Flash, WaitsWhileTheModuleHasReferencesThatNoProcessShows) {
  yard.file("/sys/module/tenstorrent/refcnt", "2\n");
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("2 references"));
  yard.file("/sys/module/tenstorrent/refcnt", "0\n");
  yard.host.hidden = 3;  // what cannot be seen holds nothing
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
}

TEST_F(Flash, DoesNotBeginWhereProcessesCannotBeSeen) {
  yard.host.hidden = 3;
  EXPECT_EQ(yard.flash().outcome, Outcome::NotBegun);
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, DoesNotBeginOnAnotherBoot) {
  yard.asked_boot = "boot-0";
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("rebooted"));
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, DoesNotBeginWithoutTheBundleInTheCache) {
  yard.bundle_url = "https://example.com/another.fwbundle";
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("not in this node's cache"));
}

TEST_F(Flash, DoesNotBeginWithABundleThatWasChanged) {
  const std::string path = yard.root + find_bundle(yard.host, *vendors::parse_bundle_url(yard.bundle_url))->path;
  std::ofstream(path, std::ios::app) << "x";
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("changed since"));
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, DoesNotBeginWhereTtFlashIsMissingOrCannotBeStarted) {
  std::filesystem::remove(yard.root + "/opt/tt/bin/tt-flash");
  EXPECT_EQ(yard.flash().outcome, Outcome::NotBegun);
  EXPECT_FALSE(yard.host.exists(flash_journal_path()));
  yard.file("/opt/tt/bin/tt-flash", "");
  yard.host.play = [&](const host::Command& command, base::Loop& loop, const auto& done) {
    loop.post([command, done] {
      if (command.path == vendors::kTtFlash) return done(host::Ran{.code = 127, .output = {}});
      done(host::Ran{.code = 0, .output = "{}"});
    });
  };
  EXPECT_EQ(yard.flash().outcome, Outcome::NotBegun);
  EXPECT_FALSE(yard.host.exists(flash_journal_path())) << "nothing was begun, so the journal says nothing";
}

TEST_F(Flash, TouchesNothingWhileAnotherPodIsAtItAndDoesNotSayThatNothingWasBegun) {
  auto other = lock_flash_journal(yard.host);
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Unfinished);
  EXPECT_THAT(verdict.message, HasSubstr("another pod"));
  EXPECT_TRUE(yard.host.ran.empty());
  other->reset();
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
}

TEST_F(Flash, HoldsADowngradeThatTtFlashWouldSkip) {
  for (PlayedChip& chip : yard.chips) chip.running = chip.stored = "19.10.0.0";
  yard.show_chips();
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::CannotDo);
  EXPECT_THAT(verdict.message, HasSubstr("forceWrite"));
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, WaitsForTheDriver) {
  yard.driver = "vfio-pci";
  yard.show_chips();
  EXPECT_EQ(yard.flash().outcome, Outcome::NoDriver);
}

// ---- what cannot be read

TEST_F(Flash, DoesNotWriteAChipThatCannotBeReadUnlessThePolicySaysSo) {
  yard.chips[1].answers = false;
  yard.show_chips();
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Wedged);
  EXPECT_THAT(verdict.message, HasSubstr("0000:02:00.0"));
  EXPECT_THAT(verdict.message, HasSubstr("continueOnReadbackFailure"));
  EXPECT_EQ(yard.flashes() + yard.resets(), 0);
  yard.continues_unread = true;
  EXPECT_EQ(yard.flash().outcome, Outcome::Wedged);
  EXPECT_EQ(yard.flashes(), 1);
}

TEST_F(Flash, RescuesAnUnreadableNodeWhenForced) {
  for (PlayedChip& chip : yard.chips) chip.answers = false;
  yard.smi_works = false;
  yard.show_chips();
  yard.forces = true;
  yard.while_flashing = [&] {
    for (PlayedChip& chip : yard.chips) chip.answers = true;
    yard.smi_works = true;
  };
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.flashes(), 1);
}

TEST_F(Flash, DoesNotForceHalfAnP300) {
  yard.chips[1].is_listed = false;
  yard.forces = true;
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Wedged);
  EXPECT_THAT(verdict.message, HasSubstr("tt-smi sees 1 chips, and 2 are on the PCI bus"));
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, ReadsAChipBehindAnotherToo) {
  yard.chips.push_back({.address = "", .is_remote = true});
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.verdict().parts.size(), 3U);
  EXPECT_EQ(yard.verdict().parts[2].version, "19.9.0.0");
}

TEST_F(Flash, ReadsSysfsWhereTtSmiTellsNothing) {
  yard.smi_works = false;
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Done);
  EXPECT_TRUE(yard.said("No Tenstorrent driver detected!"));
}

TEST_F(Flash, NamesTheChipOfEightThatDoesNotAnswerAfterwards) {
  yard.chips.clear();
  for (int i = 1; i <= 8; ++i) yard.chips.push_back({.address = fmt::format("0000:0{}:00.0", i)});
  yard.show_chips();
  yard.flash_plays.wedges = true;
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Wedged);
  EXPECT_THAT(verdict.message, HasSubstr("no answer from 0000:08:00.0"));
  EXPECT_EQ(yard.resets(), 1);
}

// ---- what tt-flash says

TEST_F(Flash, NeverResetsAfterAVerificationThatFailed) {
  yard.flash_plays = {.verifies = false, .code = 1};
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Failed);
  EXPECT_THAT(verdict.message, HasSubstr("please do not reset or poweroff the board"));
  EXPECT_THAT(verdict.message, HasSubstr("Do not reset, reboot or power off this node"));
  EXPECT_EQ(yard.resets(), 0);
  yard.flash_plays = {};
  EXPECT_EQ(yard.flash().outcome, Outcome::Failed) << "nor is it tried again";
  yard.claim = "claim-2";
  EXPECT_EQ(yard.flash().outcome, Outcome::Failed) << "nor for another claim";
  EXPECT_EQ(yard.flashes(), 1);
  yard.target = "19.9.0.0#1";
  EXPECT_EQ(yard.flash().outcome, Outcome::Done) << "a person asked";
}

TEST_F(Flash, TellsTheSameVerdictAgainWithoutTouchingTheDevice) {
  yard.flash_plays = {.verifies = false, .code = 1};
  const auto first = yard.flash();
  const auto runs = yard.host.ran.size();
  EXPECT_EQ(yard.flash(), first);
  EXPECT_EQ(yard.host.ran.size(), runs);
}

TEST_F(Flash, NeverResetsAfterTtFlashWasKilledInTheMiddle) {
  yard.flash_plays = {.resets = false, .code = 128 + 9};
  yard.flash_plays.says = "Stage: FLASH\n";
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Failed);
  EXPECT_THAT(verdict.message, HasSubstr("signal 9"));
  EXPECT_EQ(yard.resets(), 0);
}

TEST_F(Flash, HealsAFailedResetByOneOfItsOwn) {
  yard.flash_plays = {.resets = false, .fails_in_reset = true, .code = 1};
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.resets(), 1);
}

TEST_F(Flash, ActivatesWhatWasWrittenAndDidNotRun) {
  yard.flash_plays = {.resets = false};
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.resets(), 1);
}

TEST(GalaxyFlash, ResetsTheTrayAndDoesNotEndInAScreen) {
  FirmwareYard yard(std::vector<PlayedChip>{{.address = "0000:01:00.0", .subsystem = "0x0035"}});
  yard.network.file = make_bundle("19,9,0,0", {"WH_UBB"});
  yard.put_bundle_into_cache();
  yard.flash_plays = {.resets = false};
  EXPECT_EQ(yard.flash().outcome, Outcome::Done) << yard.verdict().message;
  const auto reset = std::find_if(yard.host.ran.begin(), yard.host.ran.end(), [](const host::Command& command) {
    return command.path == vendors::kTtSmi && command.args.front() != "-s";
  });
  ASSERT_NE(reset, yard.host.ran.end());
  EXPECT_THAT(reset->args, ElementsAre("-glx_reset", "-s"));
}

TEST_F(Flash, GivesAChipAMomentAfterTheResetOfTtFlash) {
  yard.flash_plays.wedges = true;
  yard.after_reading = [&] {
    if (yard.readings() < 2) return;
    yard.chips.back().answers = true;
    yard.show_chips();
  };
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.resets(), 0);
  EXPECT_EQ(yard.readings(), 3);
}

TEST_F(Flash, ResetsNoMoreThanOnce) {
  yard.flash_plays = {.resets = false};
  yard.reset_works = false;
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Mismatch);
  EXPECT_THAT(verdict.message, HasSubstr("19.8.0.0"));
  EXPECT_EQ(yard.resets(), 1);
  yard.flash();
  yard.claim = "claim-2";
  yard.flash();
  EXPECT_EQ(yard.resets(), 1);
}

TEST_F(Flash, NoticesASuccessThatWroteNothing) {
  yard.flash_plays = {.writes = false};
  EXPECT_EQ(yard.flash().outcome, Outcome::Mismatch);
  EXPECT_EQ(yard.flashes(), 1);
}

TEST_F(Flash, TellsTheLastLinesOfTtFlash) {
  for (int i = 0; i < 50; ++i) yard.flash_plays.says += fmt::format("line {} {}\n", i, std::string(300, 'x'));
  const auto verdict = yard.flash();
  EXPECT_LE(yard.verdict_text.size(), 4096U);
  EXPECT_EQ(verdict.output.back(), "FLASH SUCCESS");
}

// ---- the end from outside

TEST_F(Flash, LetsTtFlashEndAtSigtermReadsOnceAndStartsNothingMore) {
  yard.flash_plays = {.resets = false};
  yard.while_flashing = [&] { yard.terminate(); };
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Unfinished);
  EXPECT_EQ(yard.resets(), 0);
  EXPECT_EQ(yard.readings(), 2);  // before and after
  yard.while_flashing = [] {};
  EXPECT_EQ(yard.flash().outcome, Outcome::Done) << "the next one may reset";
  EXPECT_EQ(yard.flashes(), 1);
  EXPECT_EQ(yard.resets(), 1);
}

TEST_F(Flash, TellsASuccessAlsoAfterSigterm) {
  yard.while_flashing = [&] { yard.terminate(); };
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
}

TEST_F(Flash, BeginsNothingAfterSigterm) {
  yard.start("flash");
  yard.terminate();
  ASSERT_TRUE(yard.wait());
  EXPECT_EQ(yard.verdict().outcome, Outcome::NotBegun);
  EXPECT_EQ(yard.flashes(), 0);
  EXPECT_EQ(yard.flash().outcome, Outcome::Done) << "and leaves nothing behind";
}

TEST_F(Flash, OnlyReadsAfterThePodWasKilledWhileTtFlashWrote) {
  yard.flash_plays.ends = false;
  yard.start("flash");
  yard.wait();
  yard.kill();
  yard.flash_plays.ends = true;
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Failed);
  EXPECT_THAT(verdict.message, HasSubstr("its end was not seen"));
  EXPECT_EQ(yard.flashes(), 1);
  EXPECT_EQ(yard.resets(), 0);
}

TEST_F(Flash, TakesTheVersionReadBackForTheTruthAfterAPowerCut) {
  yard.flash_plays.ends = false;
  yard.start("flash");
  yard.wait();
  yard.kill();
  for (PlayedChip& chip : yard.chips) chip.running = chip.stored;
  yard.show_chips();
  yard.host.boot = "boot-2";
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
  EXPECT_EQ(yard.flashes(), 1);
}

TEST_F(Flash, DoesNotTakeItForTheTruthWhenTheVersionWasThereBefore) {
  for (PlayedChip& chip : yard.chips) chip.running = chip.stored = "19.9.0.0";
  yard.show_chips();
  yard.forces = true;
  yard.flash_plays.ends = false;
  yard.start("flash");
  yard.wait();
  yard.kill();
  EXPECT_EQ(yard.flash().outcome, Outcome::Failed);
}

TEST_F(Flash, DoesNotWriteWhereTheJournalIsGarbled) {
  yard.file(flash_journal_path(), "{\"v\":1,");
  const auto verdict = yard.flash();
  EXPECT_EQ(verdict.outcome, Outcome::Failed);
  EXPECT_THAT(verdict.message, HasSubstr("journal.json"));
  EXPECT_EQ(yard.flashes(), 0);
}

TEST_F(Flash, DoesNotSayThatNothingWasBegunWhereTheJournalIsGarbledAndTheDeviceHeld) {
  yard.file(flash_journal_path(), "{\"v\":1,");
  yard.host.held = {{.pid = 7, .command = "tt-flash", .path = "/dev/tenstorrent/0", .pod_uid = ""}};
  EXPECT_EQ(yard.flash().outcome, Outcome::Unfinished);
}

TEST_F(Flash, DoesNotWriteWhereTheJournalCannotBeWritten) {
  yard.die_at({.at = 1});
  yard.start("flash");
  yard.wait();
  EXPECT_EQ(yard.flashes(), 0);
}

// ---- what it is told

TEST_F(Flash, RefusesSettingsThatMakeNoSense) {
  const auto refused = [&](std::string_view name, const std::string& value) {
    Environment environment = yard.environment();
    environment.emplace_back(name, value);
    const auto settings = read_flash_settings(environment);
    EXPECT_FALSE(settings) << name << "=" << value;
    if (settings) return;
    EXPECT_THAT(settings.error().message, HasSubstr(std::string(name)));
    EXPECT_THAT(settings.error().message, Not(HasSubstr("hunter2")));
  };
  for (const char* value : {"", "19.9.0.0", "19.9#1", "19.9.0.0#", "19.9.0.0#-1", "$(id)#1", "19.9.0.0#1;rm"})
    refused("DROVER_TARGET", value);
  for (const char* value :
       {"", "http://example.com/a", "https://user:hunter2@example.com/a", "https://example.com", "file:///etc/passwd",
        "https://example.com/a#md5=1", "https://example.com/a#sha256=12", "https://example.com/a b", "ext::sh -c x"})
    refused("TT_FW_BUNDLE_URL", value);
  refused("DROVER_CLAIM", "");
  refused("DROVER_CLAIM", "a/b");
  refused("DROVER_BOOT_ID", "../../etc");
  refused("TT_FORCE_WRITE", "yes");
}

}  // namespace
}  // namespace drover::agent::testing
