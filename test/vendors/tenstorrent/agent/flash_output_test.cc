// What tt-flash said, and whether its writes were verified.
#include "vendors/tenstorrent/agent/flash_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::agent::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

FlashEnd ended(std::string_view output, int code, std::size_t piece = 7) {
  FlashOutput watch([](std::string_view) {});
  while (!output.empty()) {
    watch.hear(output.substr(0, piece));
    output.remove_prefix(std::min(piece, output.size()));
  }
  return watch.end(host::Ran{.code = code, .output = {}});
}

TEST(FlashOutput, CountsASuccessAsVerified) {
  const auto end = ended("Stage: SETUP\n\t\tFirmware verification... SUCCESS\nStage: RESET\nFLASH SUCCESS\n", 0);
  EXPECT_TRUE(end.verified);
  EXPECT_TRUE(end.succeeded);
  EXPECT_TRUE(end.was_run);
}

TEST(FlashOutput, CountsAFailureAfterTheResetBeganAsVerified) {
  const auto end = ended("Stage: FLASH\nStage: RESET\nError: chip 2 does not come back\n", 1);
  EXPECT_TRUE(end.verified);
  EXPECT_FALSE(end.succeeded);
  EXPECT_TRUE(ended("Stage: RESET\n", 128 + 9).verified);
}

TEST(FlashOutput, CountsAFailureBeforeTheResetAsNotVerified) {
  EXPECT_FALSE(ended("Stage: FLASH\nError: Hit error\n", 1).verified);
  EXPECT_FALSE(ended("", 1).verified);
  EXPECT_FALSE(ended("Stage: FLASH\n", 128 + 9).verified);
  EXPECT_THAT(ended("Stage: FLASH\n", 128 + 9).how, HasSubstr("signal 9"));
}

TEST(FlashOutput, TakesAFailedVerificationForOneWhateverTheExitCode) {
  const auto end = ended(
      "\t\t\tSecond verification \x1b[31mfailed\x1b[0m, please do not reset or poweroff the board and contact support "
      "for further assistance.\nStage: RESET\n",
      0);
  EXPECT_FALSE(end.verified);
  EXPECT_EQ(end.sentence,
            "Second verification failed, please do not reset or poweroff the board and contact support for further "
            "assistance.");
}

TEST(FlashOutput, DoesNotTakeWordsInAnotherLineForTheReset) {
  EXPECT_FALSE(ended("did not reach Stage: RESET\n", 1).verified);
}

TEST(FlashOutput, NoticesAChipWhoseResetDidNotEnd) {
  const auto end = ended("Stage: RESET\nConfig space reset not completed for device 3\nFLASH SUCCESS\n", 0);
  EXPECT_TRUE(end.verified);
  EXPECT_FALSE(end.succeeded);
}

TEST(FlashOutput, KnowsThatNothingWasRun) {
  EXPECT_FALSE(ended("", 127).was_run);
  EXPECT_TRUE(ended("Stage: SETUP\n", 127).was_run);
  FlashOutput watch([](std::string_view) {});
  const auto end = watch.end(base::fault(base::Fault::Kind::NotFound, "no such program"));
  EXPECT_FALSE(end.was_run);
  EXPECT_EQ(end.how, "no such program");
}

TEST(FlashOutput, SaysEachLineOnceWithoutColoursAndKeepsTheLast) {
  std::vector<std::string> said;
  FlashOutput watch([&](std::string_view line) { said.emplace_back(line); });
  watch.hear("\x1b[32mStage:\x1b[0m SETUP\n\n  \r\nwrit");
  watch.hear("ing \xe2\xa0\x8b\x01\nlast");
  const auto end = watch.end(host::Ran{});
  EXPECT_THAT(said, ElementsAre("Stage: SETUP", "writing ?", "last"));
  EXPECT_EQ(end.lines, said);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "line " + std::to_string(i) + "\n";
  EXPECT_THAT(ended(many, 0).lines, SizeIs(12));
  EXPECT_EQ(ended(many, 0).lines.back(), "line 99");
}

}  // namespace
}  // namespace drover::agent::testing
