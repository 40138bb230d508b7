// What the loader finds and leaves in other places of the machine than its cache: Debian's programs for building
// modules, and rules for udev.
#include <gmock/gmock.h>

#include "vendors/tenstorrent/agent/kmd_yard.h"

namespace drover::agent::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPlaced = "/host/etc/udev/rules.d/50-tenstorrent.rules";

TEST(Loader, ShowsMakeTheProgramsThatDebiansHeadersLinkTo) {
  KmdYard yard;
  for (const char* name : {"linux-kbuild-6.1/scripts/mod/modpost", "systemd/systemd", "linux-kbuild-;/x"})
    ASSERT_TRUE(yard.machine->write(std::string("/host/usr/lib/") + name, ""));
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_THAT(yard.commands.at(0).shown, IsEmpty());
  EXPECT_THAT(yard.commands.at(1).shown, ElementsAre(std::pair<std::string, std::string>(
                                             "/host/usr/lib/linux-kbuild-6.1", "/usr/lib/linux-kbuild-6.1")));
}

// A source with rules for udev, and a machine on which udev reads some.
void bring_rules(KmdYard& yard, const std::string& text) {
  ASSERT_TRUE(yard.machine->write("/host/etc/udev/rules.d/60-other.rules", ""));
  yard.machine->on_run = [&yard, text, before = yard.machine->on_run](const host::Command& command) {
    if (before) before(command);
    if (command.path != "/usr/bin/make") return;
    for (const std::string& word : command.args) {
      if (!word.starts_with("M=")) continue;
      ASSERT_TRUE(yard.machine->write(word.substr(2) + "/udev-50-tenstorrent.rules", text));
    }
  };
}

TEST(LoaderRules, ArePlacedBeforeTheDevicesCome) {
  KmdYard yard;
  bring_rules(yard, "MODE=0666");
  std::string placed_by_then;
  yard.machine->on_module = [&, before = yard.machine->on_module](const std::string& module, const std::string& version,
                                                                  bool is_loaded) {
    if (before) before(module, version, is_loaded);
    if (is_loaded) placed_by_then = yard.machine->read(kPlaced).value_or("");
  };
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_EQ(placed_by_then, "MODE=0666");
  EXPECT_EQ(yard.log.count(std::string("copy ") + kPlaced), 1);
}

TEST(LoaderRules, ThatAreThereAreLeftAlone) {
  KmdYard yard;
  bring_rules(yard, "MODE=0666");
  ASSERT_TRUE(yard.machine->write(kPlaced, "MODE=0666"));
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_EQ(yard.log.count(std::string("copy ") + kPlaced), 0);
}

TEST(LoaderRules, ChangedInTheCacheAreNotPlacedAndTheDriverStillLoads) {
  KmdYard yard;
  bring_rules(yard, "MODE=0666");
  const std::string kept = fmt::format("/var/cache/tt-kmd/{}/2.7.0/50-tenstorrent.rules", kKernel);
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  ASSERT_TRUE(yard.machine->unload("tenstorrent"));
  ASSERT_TRUE(yard.machine->remove(kPlaced));
  ASSERT_TRUE(yard.machine->write(kept, "RUN+=evil"));
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_FALSE(yard.machine->exists(kPlaced));
  EXPECT_TRUE(yard.log.said("the rules for udev are not placed"));
}

TEST(LoaderRules, OfASourceThatHasNoneAreNone) {
  KmdYard yard;
  ASSERT_TRUE(yard.machine->write("/host/etc/udev/rules.d/60-other.rules", ""));
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_FALSE(yard.machine->exists(kPlaced));
  EXPECT_FALSE(yard.log.said("rules for udev"));
}

}  // namespace
}  // namespace drover::agent::testing
