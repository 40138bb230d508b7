// What tt-flash would make of a bundle, told before the node is taken out of service.
#include "vendors/tenstorrent/agent/flash_judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::agent::testing {
namespace {

using ::testing::HasSubstr;
using Kind = FlashJudgement::Kind;

ChipReading reading_of(const std::vector<std::string>& versions, const std::string& driver = "tenstorrent") {
  ChipReading reading;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string address = "0000:0" + std::to_string(i + 1) + ":00.0";
    reading.functions.push_back({address, 0x40, driver});
    reading.chips.push_back({address, versions[i]});
  }
  return reading;
}

FlashWish wish_of(const std::string& version, bool forces = false, bool homogenizes = false) {
  return {.target = *parse_firmware_version(version), .forces = forces, .homogenizes = homogenizes};
}

Bundle bundle_of(const std::string& version, std::vector<std::string> boards = {"P150A-1"}) {
  return {.version = *parse_firmware_version(version), .boards = std::move(boards)};
}

FlashJudgement judged(const std::vector<std::string>& chips, const std::string& to, bool forces = false) {
  return judge(reading_of(chips), bundle_of(to), wish_of(to, forces));
}

// tt-flash's own decision on one chip whose firmware it can read (flash.py, stage 1): 'w'rites, 's'kips, 'r'efuses.
char as_tt_flash(int has_major, int has_minor, int major, int minor, bool force) {
  if (has_major > major) return 'r';
  if (has_major != major - 1 && has_major != major && !force) return 'r';
  if (force) return 'w';
  return std::pair(has_major, has_minor) >= std::pair(major, minor) ? 's' : 'w';
}

TEST(FlashJudgement, SaysOfEveryPairOfVersionsWhatTtFlashWouldDo) {
  for (int has_major = 17; has_major <= 20; ++has_major) {
    for (int has_minor = 0; has_minor <= 2; ++has_minor) {
      for (int major = 17; major <= 20; ++major) {
        for (int minor = 0; minor <= 2; ++minor) {
          for (const bool force : {false, true}) {
            const std::string has = std::to_string(has_major) + "." + std::to_string(has_minor) + ".0.0";
            const std::string to = std::to_string(major) + "." + std::to_string(minor) + ".0.0";
            const Kind kind = judged({has}, to, force).kind;
            const char does = as_tt_flash(has_major, has_minor, major, minor, force);
            // What it skips is there already, or would be wrong afterwards.
            const Kind wanted = does == 'w' ? Kind::MayFlash : has == to ? Kind::NothingToDo : Kind::Refused;
            EXPECT_EQ(kind, wanted) << has << " to " << to << (force ? " forced" : "");
          }
        }
      }
    }
  }
}

TEST(FlashJudgement, NamesVersionsAndTheFieldThatADowngradeNeeds) {
  const auto judgement = judged({"19.9.0.0"}, "19.8.0.0");
  EXPECT_EQ(judgement.kind, Kind::Refused);
  EXPECT_THAT(judgement.why, HasSubstr("19.9.0.0"));
  EXPECT_THAT(judgement.why, HasSubstr("19.8.0.0"));
  EXPECT_THAT(judgement.why, HasSubstr("spec.flasher.forceWrite=true"));
  EXPECT_EQ(judged({"19.9.0.0"}, "19.8.0.0", true).kind, Kind::MayFlash);
  EXPECT_TRUE(judged({"19.9.0.0"}, "19.8.0.0", true).uses_force);
}

TEST(FlashJudgement, SaysThatForceWriteDoesNotHelpToGoDownAMajorVersion) {
  const auto judgement = judged({"19.0.0.0"}, "18.12.0.0", true);
  EXPECT_EQ(judgement.kind, Kind::Refused);
  EXPECT_THAT(judgement.why, HasSubstr("also with forceWrite"));
  EXPECT_THAT(judgement.why, HasSubstr("spec.version"));
}

TEST(FlashJudgement, ReadsAnOldVersionAsTtFlashDoes) {
  EXPECT_EQ(judged({"80.17.1.0"}, "18.0.0.0").kind, Kind::MayFlash);
  EXPECT_EQ(judged({"80.16.1.0"}, "18.0.0.0").kind, Kind::Refused);
}

TEST(FlashJudgement, HoldsANodeOfWhichOneChipWouldBeSkipped) {
  const auto judgement = judged({"19.8.0.0", "19.10.0.0"}, "19.9.0.0");
  EXPECT_EQ(judgement.kind, Kind::Refused);
  EXPECT_THAT(judgement.why, HasSubstr("0000:02:00.0"));
}

TEST(FlashJudgement, ForcesChipsThatDifferToBeAlikeWhereThatIsAskedFor) {
  const auto judgement =
      judge(reading_of({"19.8.0.0", "19.10.0.0"}), bundle_of("19.9.0.0"), wish_of("19.9.0.0", false, true));
  EXPECT_EQ(judgement.kind, Kind::MayFlash);
  EXPECT_TRUE(judgement.uses_force);
  EXPECT_FALSE(judge(reading_of({"19.8.0.0", "19.8.0.0"}), wish_of("19.9.0.0", false, true)).uses_force);
  EXPECT_FALSE(judge(reading_of({"19.8.0.0", ""}), wish_of("19.9.0.0", false, true)).uses_force);
}

TEST(FlashJudgement, DoesNotHoldAChipThatCannotBeReadAgainstTheNode) {
  EXPECT_EQ(judged({"19.8.0.0", ""}, "19.9.0.0").kind, Kind::MayFlash);
  EXPECT_EQ(judged({"19.9.0.0", ""}, "19.9.0.0").kind, Kind::MayFlash);  // perhaps it is not there yet
}

TEST(FlashJudgement, ForcesTheSameVersionAgain) {
  EXPECT_EQ(judged({"19.9.0.0"}, "19.9.0.0").kind, Kind::NothingToDo);
  EXPECT_EQ(judged({"19.9.0.0"}, "19.9.0.0", true).kind, Kind::MayFlash);
}

TEST(FlashJudgement, RefusesABundleOfAnotherVersionOrBoard) {
  const auto other = judge(reading_of({"19.8.0.0"}), bundle_of("19.9.1.0"), wish_of("19.9.0.0"));
  EXPECT_EQ(other.kind, Kind::Refused);
  EXPECT_THAT(other.why, HasSubstr("spec.readbackVersion"));
  const auto board = judge(reading_of({"19.8.0.0"}), bundle_of("19.9.0.0", {"NEBULA_X1"}), wish_of("19.9.0.0"));
  EXPECT_EQ(board.kind, Kind::Refused);
  EXPECT_THAT(board.why, HasSubstr("p150a"));
}

TEST(FlashJudgement, WaitsForTheDriver) {
  EXPECT_EQ(judge(reading_of({"19.8.0.0"}, ""), wish_of("19.9.0.0")).kind, Kind::NoDriver);
  const auto vfio = judge(reading_of({"", ""}, "vfio-pci"), wish_of("19.9.0.0", true));
  EXPECT_EQ(vfio.kind, Kind::NoDriver);
  EXPECT_THAT(vfio.why, HasSubstr("0000:02:00.0 (vfio-pci)"));
}

TEST(FlashJudgement, RefusesANodeWithoutAChip) {
  EXPECT_EQ(judge(ChipReading{}, wish_of("19.9.0.0", true)).kind, Kind::Refused);
}

}  // namespace
}  // namespace drover::agent::testing
