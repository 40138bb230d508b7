// What is known of a flash before the node is taken out of service, and how a bundle comes into the cache.
#include "vendors/tenstorrent/agent/firmware_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/fingerprint.h"
#include "vendors/tenstorrent/agent/firmware_yard.h"

namespace drover::agent::testing {
namespace {

using base::Fault;
using protocol::Outcome;
using protocol::Part;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Probe : public ::testing::Test {
 protected:
  // The entry that the flash will use.
  base::Result<CachedBundle> cached() { return find_bundle(yard.host, *vendors::parse_bundle_url(yard.bundle_url)); }
  FirmwareYard yard;
};

TEST_F(Probe, FetchesChecksAndReads) {
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::Ready) << verdict.message;
  EXPECT_THAT(verdict.parts, ElementsAre(Part{"0000:01:00.0", "19.8.0.0"}, Part{"0000:02:00.0", "19.8.0.0"}));
  EXPECT_EQ(yard.exit_code, 0);
  ASSERT_TRUE(cached()) << cached().error().message;
  EXPECT_EQ(cached()->bundle.version.text(), "19.9.0.0");
  EXPECT_EQ(yard.flash().outcome, Outcome::Done) << "the flash finds it";
}

TEST_F(Probe, StartsNoProgramOnANodeInService) {
  yard.probe();
  EXPECT_TRUE(yard.host.ran.empty());
}

TEST_F(Probe, MayRunWhileTheDeviceIsHeld) {
  yard.host.held = {{.pid = 7, .command = "train", .path = "/dev/tenstorrent/0", .pod_uid = ""}};
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
}

TEST_F(Probe, SaysNoTokenOfTheUrl) {
  yard.probe();
  EXPECT_FALSE(yard.said("secret"));
  EXPECT_THAT(yard.verdict_text, ::testing::Not(HasSubstr("secret")));
}

TEST_F(Probe, AsksTheNetworkOnce) {
  yard.probe();
  yard.probe();
  EXPECT_THAT(yard.network.asked, SizeIs(1));
}

TEST_F(Probe, FetchesNothingForANodeThatIsUpToDateOrCannotBeFlashed) {
  for (PlayedChip& chip : yard.chips) chip.running = "19.9.0.0";
  yard.show_chips();
  EXPECT_EQ(yard.probe().outcome, Outcome::Done);
  for (PlayedChip& chip : yard.chips) chip.running = "19.10.0.0";
  yard.show_chips();
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::CannotDo);
  EXPECT_THAT(verdict.message, HasSubstr("forceWrite"));
  yard.driver = "";
  yard.show_chips();
  EXPECT_EQ(yard.probe().outcome, Outcome::NoDriver);
  EXPECT_THAT(yard.network.asked, IsEmpty());
}

TEST_F(Probe, TakesAVersionThatCannotBeReadForAValue) {
  yard.chips[1].answers = false;
  yard.show_chips();
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::Ready);
  EXPECT_EQ(verdict.parts[1].version, "");
  EXPECT_THAT(verdict.message, HasSubstr("0000:02:00.0 will be asked again"));
}

TEST_F(Probe, OnlyReadsWithoutABundle) {
  yard.bundle_url = "";
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  yard.target = yard.claim = yard.asked_boot = "";
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_EQ(yard.verdict().parts[0].version, "19.8.0.0");
  yard.target = "19.8.0.0#3";
  EXPECT_EQ(yard.probe().outcome, Outcome::Done);
  EXPECT_THAT(yard.network.asked, IsEmpty());
}

// ---- the bundle

TEST_F(Probe, RefusesABundleOfAnotherVersion) {
  yard.network.file = make_bundle("19,8,0,0");
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::CannotDo);
  EXPECT_THAT(verdict.message, HasSubstr("the bundle holds firmware 19.8.0.0"));
}

TEST_F(Probe, RefusesABundleWithoutThisBoard) {
  yard.network.file = make_bundle("19,9,0,0", {"P150A-1"});
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::CannotDo);
  EXPECT_THAT(verdict.message, HasSubstr("nothing for n300"));
}

TEST_F(Probe, RefusesABundleWithAnotherChecksumAndKeepsNothingOfIt) {
  yard.bundle_url += "#sha256=" + std::string(64, 'a');
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::CannotDo);
  EXPECT_THAT(verdict.message, HasSubstr(std::string(64, 'a')));
  EXPECT_THAT(verdict.message, HasSubstr(host::Fingerprint::of(yard.network.file)));
  EXPECT_FALSE(cached());
  EXPECT_FALSE(yard.host.exists(bundle_part(*vendors::parse_bundle_url(yard.bundle_url))));
}

TEST_F(Probe, TakesABundleWithTheChecksumThatTheUrlNames) {
  yard.bundle_url += "#sha256=" + host::Fingerprint::of(yard.network.file);
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_EQ(yard.flash().outcome, Outcome::Done);
}

TEST_F(Probe, FetchesAgainWhatTheCacheHasWithAnotherChecksumOrChanged) {
  yard.network.file = make_bundle("19,9,0,0", {"NEBULA_X2"});
  yard.probe();
  yard.network.file = make_bundle();
  yard.bundle_url += "#sha256=" + host::Fingerprint::of(yard.network.file);
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_THAT(yard.network.asked, SizeIs(2));
  std::ofstream(yard.root + cached()->path, std::ios::app) << "x";
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_THAT(yard.network.asked, SizeIs(3));
}

TEST_F(Probe, FetchesAgainWhatTheUrlNowNamesInAnotherVersion) {
  yard.network.file = make_bundle("19,8,0,0");
  EXPECT_EQ(yard.probe().outcome, Outcome::CannotDo);
  yard.network.file = make_bundle();  // the person who published it saw the mistake
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
}

TEST_F(Probe, GoesOnWithADownloadThatBrokeOff) {
  yard.network.cut_after = 200;
  yard.network.file = make_bundle();
  ASSERT_GT(yard.network.file.size(), 300U);
  ASSERT_LT(yard.network.file.size(), 1000U);
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_EQ(yard.network.asked[0], 0U);
  EXPECT_EQ(yard.network.asked[1], 200U);
}

TEST_F(Probe, GoesOnWhereTheProbeBeforeItWasEnded) {
  yard.network.cut_after = 200;
  yard.start("firmware-probe");
  yard.loop.run_until([&] { return yard.said("the download stopped"); }, 1min);
  yard.terminate();
  EXPECT_EQ(yard.verdict().outcome, Outcome::NotBegun);
  yard.network.cut_after = 0;
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_EQ(yard.network.asked.back(), 200U);
}

TEST_F(Probe, BeginsAtTheBeginningWhereTheServerKnowsNoRanges) {
  yard.network.cut_after = 200;
  yard.network.knows_ranges = false;
  yard.start("firmware-probe");
  yard.loop.run_until([&] { return yard.said("the download stopped"); }, 1min);
  yard.network.cut_after = 0;
  ASSERT_TRUE(yard.wait());
  EXPECT_EQ(yard.verdict().outcome, Outcome::Ready);
}

TEST_F(Probe, BeginsAnewWhereThePartWasOfAnotherFile) {
  const auto url = *vendors::parse_bundle_url(yard.bundle_url);
  ASSERT_TRUE(yard.host.make_folder(std::string(vendors::kFirmwareFolder) + "/part"));
  ASSERT_TRUE(yard.host.append(bundle_part(url), "not the beginning of a bundle"));
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_THAT(yard.network.asked, ElementsAre(29U, 0U));
}

TEST_F(Probe, GivesUpAfterAFewTriesAndSaysThatItMayBeTriedAgain) {
  for (int i = 0; i < 20; ++i) yard.network.faults.push_back({Fault::Kind::Unreachable, "no route"});
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("no route (after 6 tries)"));
  EXPECT_EQ(yard.exit_code, 1);
}

TEST_F(Probe, DoesNotTryAgainWhatWouldNotHelp) {
  for (const auto kind : {Fault::Kind::NotFound, Fault::Kind::Forbidden, Fault::Kind::Refused}) {
    yard.network.faults = {{kind, "example.com answers 404"}};
    EXPECT_EQ(yard.probe().outcome, Outcome::CannotDo);
    EXPECT_TRUE(yard.network.faults.empty());
  }
  EXPECT_THAT(yard.network.asked, SizeIs(3));
}

TEST_F(Probe, RefusesAPageInThePlaceOfABundle) {
  yard.network.file = "<!DOCTYPE html><html>Please sign in</html>";
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::CannotDo);
  EXPECT_THAT(verdict.message, HasSubstr("not a gzip file"));
}

TEST_F(Probe, RefusesAHostileArchiveAndWritesNothingOfIt) {
  yard.network.file = gzipped(tar_entry("./manifest.json", manifest_text()) +
                              tar_entry("../../../../etc/cron.d/x", "* * * * * root id") + tar_end());
  EXPECT_EQ(yard.probe().outcome, Outcome::CannotDo);
  EXPECT_FALSE(cached());
}

TEST_F(Probe, WaitsForRoomOnTheDisk) {
  yard.host.free = 100 << 20;
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("make room"));
}

TEST_F(Probe, DoesNotMixTwoDownloadsOfOneFile) {
  ASSERT_TRUE(yard.host.make_folder(std::string(vendors::kFirmwareFolder) + "/part"));
  const auto other = yard.host.lock(bundle_part(*vendors::parse_bundle_url(yard.bundle_url)) + ".lock");
  ASSERT_TRUE(other);
  const auto verdict = yard.probe();
  EXPECT_EQ(verdict.outcome, Outcome::NotBegun);
  EXPECT_THAT(verdict.message, HasSubstr("another pod is fetching it"));
}

TEST_F(Probe, RemovesWhatIsLeftOfDownloadsThatNoPodIsAt) {
  yard.network.cut_after = 200;
  yard.start("firmware-probe");
  yard.loop.run_until([&] { return yard.said("the download stopped"); }, 1min);
  const std::string left = bundle_part(*vendors::parse_bundle_url(yard.bundle_url));
  yard.bundle_url = "https://example.com/held";
  const std::string held = bundle_part(*vendors::parse_bundle_url(yard.bundle_url));
  yard.kill();
  ASSERT_TRUE(yard.host.append(held, "half"));
  const auto other_pod = yard.host.lock(held + ".lock");
  yard.network.cut_after = 0;
  yard.bundle_url = "https://example.com/another";
  EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  EXPECT_FALSE(yard.host.exists(left));
  EXPECT_FALSE(yard.host.exists(left + ".lock"));
  EXPECT_TRUE(yard.host.exists(held));
}

TEST_F(Probe, KeepsTheLastFewBundles) {
  for (int i = 0; i < 6; ++i) {
    yard.bundle_url = fmt::format("https://example.com/{}", i);
    EXPECT_EQ(yard.probe().outcome, Outcome::Ready);
  }
  EXPECT_THAT(yard.host.list(std::string(vendors::kFirmwareFolder) + "/bundles").value_or(std::vector<std::string>{}),
              SizeIs(3));
  EXPECT_TRUE(cached());
}

TEST_F(Probe, RefusesAnEntryThatALinkLeadsAwayFrom) {
  yard.probe();
  const std::string path = yard.root + cached()->path;
  std::filesystem::rename(path, yard.root + "/elsewhere");
  std::filesystem::create_symlink(yard.root + "/elsewhere", path);
  EXPECT_EQ(cached().error().kind, Fault::Kind::Malformed);
}

TEST(ProbeDeath, LeavesAWholeEntryOrNoneWhereverItComes) {
  for (int at = 1; at <= 14; ++at) {
    for (const bool after : {false, true}) {
      FirmwareYard yard;
      yard.die_at({.at = at, .after = after});
      yard.start("firmware-probe");
      yard.wait();
      yard.kill();
      yard.die_at({});
      const auto entry = find_bundle(yard.host, *vendors::parse_bundle_url(yard.bundle_url));
      if (!entry) {
        EXPECT_EQ(entry.error().kind, Fault::Kind::NotFound) << at << ": " << entry.error().message;
      }
      EXPECT_EQ(yard.probe().outcome, Outcome::Ready) << at << ": " << yard.verdict().message;
    }
  }
}

}  // namespace
}  // namespace drover::agent::testing
