// What a firmware bundle says, and which archives are not one: nothing of an archive is believed that tt-flash might
// read in another way.
#include "vendors/tenstorrent/agent/bundle_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vendors/tenstorrent/agent/bundle_maker.h"

namespace drover::agent::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

base::Result<Bundle> read_bundle(std::string_view bytes, std::size_t piece = 1000) {
  BundleReader reader;
  while (!bytes.empty()) {
    TRY_VOID(reader.take(bytes.substr(0, piece)));
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
  return reader.end();
}

std::string why_not(const std::string& bytes) {
  const auto bundle = read_bundle(bytes);
  EXPECT_FALSE(bundle);
  return bundle ? "it was read" : bundle.error().message;
}

std::string why_not_tar(const std::string& entries) { return why_not(gzipped(entries + tar_end())); }
std::string good() { return tar_entry("./manifest.json", manifest_text()) + board_entries("P150A-1"); }

TEST(BundleReader, TellsTheVersionOfTheFirmwareAndNotThatOfTheManifest) {
  const auto bundle = read_bundle(make_bundle());
  ASSERT_TRUE(bundle) << bundle.error().message;
  EXPECT_EQ(bundle->version.text(), "19.9.0.0");
  EXPECT_THAT(bundle->boards, ElementsAre("NEBULA_X2", "P150A-1"));
}

TEST(BundleReader, ReadsTheSameInPiecesOfAnySize) {
  const std::string bytes = make_bundle();
  for (const std::size_t piece : {1UL, 7UL, 511UL, 512UL, 513UL, 100000UL})
    EXPECT_EQ(read_bundle(bytes, piece)->boards.size(), 2U) << piece;
}

TEST(BundleReader, ReadsAnOldVersionAsTtFlashDoes) {
  EXPECT_EQ(read_bundle(make_bundle("80,17,1,0"))->version.text(), "17.1.0.0");
}

TEST(BundleReader, RefusesADownloadThatWasCutAnywhere) {
  const std::string bytes = make_bundle();
  for (std::size_t size = 0; size < bytes.size(); size += 3)
    EXPECT_FALSE(read_bundle(std::string_view(bytes).substr(0, size))) << size << " of " << bytes.size();
}

TEST(BundleReader, RefusesBytesThatWereChanged) {
  std::string bytes = make_bundle();
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 1);  // of the checksum
  EXPECT_THAT(why_not(bytes), HasSubstr("garbled"));
}

TEST(BundleReader, RefusesWhatIsNotGzip) {
  EXPECT_THAT(why_not("<!DOCTYPE html><html>"), HasSubstr("not a gzip file"));
  EXPECT_THAT(why_not(gzipped(std::string(2048, 'x'))), HasSubstr("not a tar archive"));
}

TEST(BundleReader, RefusesLinksAndDevices) {
  for (const char kind : {'1', '2', '3', '4', '6', 'L', 'S'})
    EXPECT_THAT(why_not_tar(good() + tar_entry("./a", "", kind, "/etc/shadow")), HasSubstr("not a file or a folder"));
}

TEST(BundleReader, RefusesNamesThatLeadElsewhere) {
  for (const std::string name : {"../a", "./x/../../a", "/etc/passwd", "./P150A-1/..", "a\\b", "./a b"})
    EXPECT_THAT(why_not_tar(good() + tar_entry(name, "x")), HasSubstr("leads elsewhere")) << name;
}

TEST(BundleReader, RefusesANameThatIsThereTwice) {
  EXPECT_THAT(why_not_tar(good() + tar_entry("./manifest.json", manifest_text("19,8,0,0"))), HasSubstr("twice"));
}

TEST(BundleReader, RefusesAnotherNameInAnExtendedHeader) {
  EXPECT_THAT(why_not_tar(good() + tar_entry("./x", "26 path=./manifest.json2\n\n", 'x')), HasSubstr("\"path\""));
  EXPECT_THAT(why_not_tar(good() + tar_entry("./x", "11 size=99\n", 'x')), HasSubstr("\"size\""));
  EXPECT_THAT(why_not_tar(good() + tar_entry("./x", "99999 mtime=1\n", 'x')), HasSubstr("cannot be read"));
  EXPECT_THAT(why_not_tar(good() + tar_entry("./x", "nonsense", 'g')), HasSubstr("cannot be read"));
}

TEST(BundleReader, RefusesAFileWhoseHeaderIsGarbled) {
  std::string tar = good();
  tar[4] = 'X';
  EXPECT_THAT(why_not_tar(tar), HasSubstr("garbled"));
}

TEST(BundleReader, RefusesASizeThatIsNoNumberOrTooLarge) {
  std::string entry = tar_entry("./a", "x");
  entry.replace(124, 12, std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12));
  EXPECT_FALSE(read_bundle(gzipped(good() + entry + tar_end())));
  EXPECT_THAT(why_not_tar(tar_entry("./manifest.json", std::string(2 << 20, ' '))), HasSubstr("1 MiB"));
}

TEST(BundleReader, RefusesMasksThatAreManyAndLarge) {
  std::string tar = good();
  for (int i = 0; i < 12; ++i)
    tar += tar_entry("./B" + std::to_string(i) + "/mask.json", '"' + std::string(1000 * 1000, ' ') + '"');
  EXPECT_THAT(why_not_tar(tar), HasSubstr("8 MiB"));
}

TEST(BundleReader, RefusesMoreFilesThanABundleHas) {
  std::string tar = good();
  for (int i = 0; i < 5000; ++i) tar += tar_entry("./f" + std::to_string(i), "");
  EXPECT_THAT(why_not_tar(tar), HasSubstr("more than 4096"));
}

TEST(BundleReader, RefusesASmallFileThatUnpacksWithoutEnd) {
  // 64 KiB of a stored terabyte: each round unpacks to much more than it takes.
  const std::string bomb = gzipped(tar_entry("./P150A-1/image.bin", std::string(48 << 20, 'A')));
  BundleReader reader;
  base::Result<void> taken;
  for (int i = 0; i < 60 && taken; ++i) taken = reader.take(bomb);
  ASSERT_FALSE(taken);
}

TEST(BundleReader, RefusesAnArchiveWithoutAManifestOrWithOneThatSaysNoVersion) {
  EXPECT_THAT(why_not_tar(board_entries("P150A-1")), HasSubstr("no ./manifest.json"));
  EXPECT_THAT(why_not_tar(tar_entry("manifest.json", manifest_text()) + board_entries("P150A-1")),
              HasSubstr("no ./manifest.json"));
  EXPECT_THAT(why_not_tar(tar_entry("./manifest.json", "{") + board_entries("P150A-1")), HasSubstr("not JSON"));
  EXPECT_THAT(why_not_tar(tar_entry("./manifest.json", R"({"version": "2.0.0"})") + board_entries("P150A-1")),
              HasSubstr("bundle_version"));
  EXPECT_THAT(why_not_tar(tar_entry("./manifest.json", R"({"version": "2", "bundle_version": {"fwId": "x"}})")),
              HasSubstr("fwId"));
}

TEST(BundleReader, CountsABoardOnlyWithImageAndMask) {
  const std::string tar = tar_entry("./manifest.json", manifest_text()) + board_entries("P150A-1") +
                          tar_entry("./P150B-1/image.bin", "x") + tar_entry("./P150C-1/mask.json", "[]") +
                          tar_entry("./P100-1/image.bin", "") + tar_entry("./P100-1/mask.json", "[]");
  EXPECT_THAT(read_bundle(gzipped(tar + tar_end()))->boards, ElementsAre("P150A-1"));
  EXPECT_THAT(why_not_tar(good() + tar_entry("./X/mask.json", "[")), HasSubstr("X/mask.json"));
}

TEST(BoardsMissing, NamesBoardsThatTheBundleHasNothingFor) {
  const Bundle bundle{.version = {}, .boards = {"NEBULA_X2", "P300B-1_left", "GALAXY-3"}};
  EXPECT_EQ(boards_missing(bundle, {0x14, 0x14}), "");
  EXPECT_EQ(boards_missing(bundle, {0x18}), "n150");
  EXPECT_EQ(boards_missing(bundle, {0x44, 0x44}), "p300b");  // the right half is missing
  EXPECT_EQ(boards_missing(bundle, {0x47}), "");
  EXPECT_EQ(boards_missing(bundle, {0x40, 0x18}), "n150, p150a");
}

TEST(BoardsMissing, LeavesABoardThatIsNotKnownToTtFlash) { EXPECT_EQ(boards_missing({}, {0x99}), ""); }

}  // namespace
}  // namespace drover::agent::testing
