#include "base/text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace drover::base {
namespace {

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b,", ','), (std::vector<std::string_view>{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

TEST(Text, ParseIntTakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_int("-42"), -42);
  EXPECT_EQ(parse_int("42x"), std::nullopt);
  EXPECT_EQ(parse_int(" 42"), std::nullopt);
  EXPECT_EQ(parse_int(""), std::nullopt);
  EXPECT_EQ(parse_int("9223372036854775808"), std::nullopt);
}

TEST(Text, OneLineHidesControlCharactersAndMarksTheCut) {
  EXPECT_EQ(one_line("a\nb\x1b[31mc"), "a b [31mc");
  EXPECT_EQ(one_line("abcdef", 3), "abc…");
}

TEST(Text, OneLineNeverCutsACharacterInHalf) {
  // "ä" is two bytes: a cut after the first of them must drop it.
  EXPECT_EQ(one_line("xä", 2), "x…");
  EXPECT_EQ(one_line("xää", 4), "xä…");
}

TEST(Base64, DecodesWhatIsFoldedOverLines) { EXPECT_EQ(base64_decode("aGVs\n  bG8=\n").value(), "hello"); }

TEST(Base64, RefusesForeignBytesAndCutText) {
  EXPECT_EQ(base64_decode("aGV*").error().kind, Fault::Kind::Malformed);
  EXPECT_EQ(base64_decode("aGVsbG8").error().kind, Fault::Kind::Malformed);
  EXPECT_EQ(base64_decode("aG=s").error().kind, Fault::Kind::Malformed);
}

RC_GTEST_PROP(Base64, GivesBackWhatItWasGiven, (const std::string& bytes)) {
  RC_ASSERT(base64_decode(base64_encode(bytes)).value() == bytes);
}

class Files : public ::testing::Test {
 protected:
  Files() : folder_(std::filesystem::temp_directory_path() / ("drover-text-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::filesystem::path folder_;
};

TEST_F(Files, WriteReplacesTheWholeFileAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file(path("a"), "first, and long"));
  ASSERT_TRUE(write_file(path("a"), "second"));
  EXPECT_EQ(read_file(path("a")).value(), "second");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Files, SecretsAreNotReadableByOthers) {
  ASSERT_TRUE(write_file(path("a"), "token"));
  struct stat found{};
  ASSERT_EQ(::stat(path("a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(Files, AMissingFileIsNotFoundAndNamed) {
  auto text = read_file(path("nowhere"));
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, Fault::Kind::NotFound);
  EXPECT_NE(text.error().message.find("nowhere"), std::string::npos);
}

TEST_F(Files, AFileOverTheLimitIsRefusedInsteadOfRead) {
  ASSERT_TRUE(write_file(path("big"), std::string(1000, 'x')));
  EXPECT_EQ(read_file(path("big"), 999).error().kind, Fault::Kind::Malformed);
  EXPECT_EQ(read_file(path("big"), 1000).value().size(), 1000U);
}

TEST_F(Files, AFailedWriteLeavesTheOldFileAsItWas) {
  // The target is a folder: the rename must fail, and the sibling must go.
  std::filesystem::create_directories(folder_ / "taken");
  EXPECT_FALSE(write_file(path("taken"), "text"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace drover::base
