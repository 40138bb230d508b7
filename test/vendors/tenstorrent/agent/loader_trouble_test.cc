// The loader in trouble: what cannot be built or loaded, boots, pauses, hosts under DKMS, and a death at every deed.
#include <gmock/gmock.h>

#include "protocol/message.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/kmd_yard.h"

namespace drover::agent::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- what cannot be built or loaded

TEST(Loader, MissingHeadersAreSaidBeforeAnythingIsTouched) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  ASSERT_TRUE(yard.machine->remove(fmt::format("/lib/modules/{}/build/Makefile", kKernel)));
  yard.commands.clear();
  yard.start_pod("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.report().cannot_prepare; }));
  EXPECT_THAT(yard.report().message, HasSubstr(fmt::format("install linux-headers-{}", kKernel)));
  EXPECT_EQ(yard.report().wants, protocol::AgentRequest::Nothing) << "the node is not taken away for it";
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_THAT(yard.commands, IsEmpty());
  ASSERT_TRUE(yard.machine->write(fmt::format("/lib/modules/{}/build/Makefile", kKernel), "#"));
  EXPECT_TRUE(yard.comes_to([&] { return yard.wants_load(); }, 30min));
}

TEST(Loader, AFullDiskIsSaidAndMended) {
  KmdYard yard;
  yard.machine->set_fault(sim::HostFault::DiskFull, true);
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.report().cannot_prepare; }));
  EXPECT_THAT(yard.report().message, HasSubstr("free some space"));
  EXPECT_THAT(yard.commands, IsEmpty());
  yard.machine->set_fault(sim::HostFault::DiskFull, false);
  EXPECT_TRUE(yard.settles_at("2.7.0"));
}

TEST(Loader, WithAFullDiskNothingIsUnloadedThatCouldNotBeRemembered) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.machine->set_fault(sim::HostFault::DiskFull, true);
  yard.permit("2.8.0");
  yard.world.run_for(5min);
  EXPECT_EQ(yard.loaded(), "2.7.0");
  yard.machine->set_fault(sim::HostFault::DiskFull, false);
  EXPECT_TRUE(yard.settles_at("2.8.0"));
}

TEST(Loader, ASourceThatIsAwayIsTriedAgainLaterAndLater) {
  KmdYard yard;
  yard.machine->set_fault(sim::HostFault::SourceAway, true);
  yard.start_pod("2.7.0");
  yard.world.run_for(1h);
  EXPECT_FALSE(yard.is_ready);
  EXPECT_GE(yard.commands.size(), 5U);
  EXPECT_LE(yard.commands.size(), 20U);
  EXPECT_THAT(yard.report().message, HasSubstr("could not resolve host"));
  yard.machine->set_fault(sim::HostFault::SourceAway, false);
  EXPECT_TRUE(yard.settles_at("2.7.0"));
}

TEST(Loader, PutsThePreviousVersionBackAndDoesNotTryTheSameAgain) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  // The kernel refuses the new one only.
  yard.machine->on_module = [&](const std::string&, const std::string& version, bool is_loaded) {
    if (!is_loaded && version == "2.7.0") yard.machine->set_fault(sim::HostFault::LoadFails, true);
  };
  yard.permit("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.log.said("key was rejected"); }));
  yard.machine->set_fault(sim::HostFault::LoadFails, false);
  ASSERT_TRUE(yard.comes_to([&] { return yard.loaded() == "2.7.0"; }));
  ASSERT_TRUE(yard.comes_to([&] { return yard.restarts >= 3; }));
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_EQ(yard.log.count("unload"), 1);
  EXPECT_THAT(yard.report().message, HasSubstr("tt-kmd 2.8.0 did not load"));
  EXPECT_THAT(yard.report().message, HasSubstr("Delete this pod to try again"));
  yard.machine->on_module = {};
  yard.start_pod("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.permit("2.8.0");
  EXPECT_TRUE(yard.settles_at("2.8.0"));
}

TEST(Loader, ADamagedEntryOfTheCacheIsPutAsideAndBuiltAnew) {
  for (const char* damage : {"torn", "other", "no manifest", "garbled"}) {
    KmdYard yard;
    yard.start_pod("2.7.0");
    ASSERT_TRUE(yard.settles_at("2.7.0"));
    const std::string file = entry("2.7.0") + "/tenstorrent.ko";
    const std::string manifest = entry("2.7.0") + "/manifest.json";
    const std::string which = damage;
    base::Result<void> done = yard.machine->remove("/nothing");
    if (which == "torn") done = yard.machine->write(file, "module tens");
    if (which == "other") done = yard.machine->write(file, sim::SimHost::module_text("evil", "1", "", kKernel));
    if (which == "no manifest") done = yard.machine->remove(manifest);
    if (which == "garbled") done = yard.machine->write(manifest, "{\"v\": 1, \"kern");
    ASSERT_TRUE(done);
    yard.commands.clear();
    yard.reboot();
    EXPECT_TRUE(yard.settles_at("2.7.0")) << damage;
    EXPECT_EQ(yard.commands.size(), 2U) << damage << ": it is built again";
    EXPECT_TRUE(yard.log.said("it is put aside and built again")) << damage;
    EXPECT_TRUE(yard.machine->exists(fmt::format("/var/cache/tt-kmd/.quarantine/{}-2.7.0-1", kKernel))) << damage;
    EXPECT_FALSE(yard.machine->loaded_version("evil"));
  }
}

// ---- boots, pauses

TEST(Loader, AfterARebootOnlyTheCacheIsNeeded) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.machine->set_fault(sim::HostFault::SourceAway, true);
  yard.commands.clear();
  yard.reboot();
  EXPECT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_THAT(yard.commands, IsEmpty());
}

TEST(Loader, BuildsForAnotherInstalledKernelBeforeTheMachineBootsIt) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  ASSERT_TRUE(yard.machine->write("/lib/modules/6.8.0-91-generic/build/Makefile", "#"));
  ASSERT_TRUE(yard.comes_to([&] { return has_kmd(*yard.machine, {"6.8.0-91-generic", "2.7.0"}); }, 30min));
  yard.machine->set_fault(sim::HostFault::SourceAway, true);
  yard.reboot("6.8.0-91-generic");
  EXPECT_TRUE(yard.settles_at("2.7.0"));
}

TEST(Loader, ARebootIntoAKernelWithoutHeadersSaysSo) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.reboot("6.9.0-1-generic");
  ASSERT_TRUE(yard.comes_to([&] { return yard.report().cannot_prepare; }));
  EXPECT_THAT(yard.report().message, HasSubstr("install linux-headers-6.9.0-1-generic"));
  EXPECT_FALSE(yard.is_ready);
  EXPECT_EQ(yard.label(vendors::kKmdVersionLabel), "") << "nothing is loaded";
}

TEST(Loader, WhilePausedItLoadsOnlyAfterARebootAndOnlyWhatWasLoaded) {
  KmdYard yard;
  make_upgrade(yard);
  yard.order({.id = "", .target = "digest-2.8.0", .is_paused = true});
  ASSERT_TRUE(yard.comes_to([&] { return yard.report().message.starts_with("paused"); }));
  yard.reboot();
  ASSERT_TRUE(yard.comes_to([&] { return yard.loaded() == "2.7.0"; }));
  ASSERT_TRUE(yard.machine->unload("tenstorrent"));  // a person goes back to DKMS
  yard.world.run_for(1h);
  EXPECT_EQ(yard.loaded(), std::nullopt);
  ASSERT_TRUE(yard.machine->write("/var/lib/dkms/tenstorrent/2.8.0/source", ""));
  EXPECT_TRUE(yard.comes_to([&] { return yard.label(vendors::kInstallModeLabel) == "host"; }, 1min));
}

TEST(Loader, WithoutAnAnswerOfTheServerAMachineThatBootedGetsTheDriverFromBefore) {
  // No Node is seen at all: the loader's own is another one.
  LoadSettings settings{.node = "n", .pod_uid = "p", .version = "2.8.0", .digest = "d", .source = "https://a/b"};
  LoadMemory memory;
  LoadSight sight{.boot = "b2", .kernel = kKernel, .note = {.boot = "b1", .version = "2.7.0"}};
  EXPECT_EQ(step(settings, sight, memory).what, LoadStep::Do::Wait);
  sight.now += 2min;
  const LoadStep next = step(settings, sight, memory);
  EXPECT_EQ(next.what, LoadStep::Do::Build);
  EXPECT_EQ(next.key.version, "2.7.0");
  sight.note.boot = "b2";
  EXPECT_EQ(step(settings, sight, memory).what, LoadStep::Do::Wait) << "the same boot: a person may have unloaded it";
}

// ---- the host's own

TEST(Loader, StandsDownWhereTheHostManagesTheDriver) {
  for (const char* path : {"/var/lib/dkms/tenstorrent/2.6.0/source", "/usr/src/tenstorrent-2.6.0/dkms.conf",
                           "/usr/src/tenstorrent-2.6.0/left-over"}) {
    KmdYard yard;
    ASSERT_TRUE(yard.machine->write(path, ""));
    ASSERT_TRUE(yard.machine->insert("tenstorrent", "2.6.0"));
    yard.start_pod("2.8.0");
    ASSERT_TRUE(yard.comes_to([&] { return yard.label(vendors::kInstallModeLabel) == "host"; }, 1min)) << path;
    EXPECT_TRUE(yard.is_ready);
    EXPECT_EQ(yard.label(vendors::kKmdVersionLabel), "2.6.0");
    EXPECT_THAT(yard.report().message, HasSubstr(std::string(path).substr(0, 20)));
    yard.permit("2.8.0");
    yard.world.run_for(1h);
    EXPECT_EQ(yard.loaded(), "2.6.0");
    EXPECT_THAT(yard.commands, IsEmpty());
  }
}

TEST(Loader, NoticesThatTheHostHasTakenTheDriverOverWhileItRuns) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  ASSERT_TRUE(yard.machine->write("/var/lib/dkms/tenstorrent/2.8.0/source", ""));
  yard.permit("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.label(vendors::kInstallModeLabel) == "host"; }, 1min));
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_EQ(yard.report().wants, protocol::AgentRequest::Nothing);
}

TEST(Loader, TakesAVacatedHostOverWithPermission) {
  KmdYard yard;
  ASSERT_TRUE(yard.machine->write("/var/lib/dkms/tenstorrent/2.6.0/source", ""));
  ASSERT_TRUE(yard.machine->insert("tenstorrent", "2.6.0"));
  yard.start_pod("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.label(vendors::kInstallModeLabel) == "host"; }, 1min));
  ASSERT_TRUE(yard.machine->unload("tenstorrent"));
  ASSERT_TRUE(yard.machine->remove_tree("/var/lib/dkms/tenstorrent"));
  ASSERT_TRUE(yard.comes_to([&] { return yard.label(vendors::kInstallModeLabel) == "container"; }, 1min));
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.world.run_for(10min);
  EXPECT_EQ(yard.loaded(), std::nullopt);
  EXPECT_THAT(yard.report().message, HasSubstr("vacated"));
  yard.permit("2.8.0");
  EXPECT_TRUE(yard.settles_at("2.8.0"));
}

// ---- tt-smi

TEST(Loader, PlacesTheImagesTtSmiAndLabelsTheNode) {
  KmdYard yard;
  ASSERT_TRUE(yard.machine->write("/usr/local/bin/tt-smi", "the new one"));
  ASSERT_TRUE(yard.machine->write("/host/usr/local/bin/tt-smi", "the old one"));
  yard.start_pod("2.7.0", false, "5.2.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_TRUE(yard.comes_to([&] { return yard.label(vendors::kSmiVersionLabel) == "5.2.0"; }, 1min));
  EXPECT_EQ(yard.machine->read("/host/usr/local/bin/tt-smi").value_or(""), "the new one");
  EXPECT_EQ(yard.log.count("copy /host/usr/local/bin/tt-smi"), 1);
}

TEST(Loader, ABuilderWithoutTtSmiPlacesNone) {
  KmdYard yard;
  yard.start_pod("2.7.0", false, "5.2.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.world.run_for(1min);
  EXPECT_TRUE(yard.log.said("tt-smi is not placed"));
  EXPECT_EQ(yard.label(vendors::kSmiVersionLabel), "");
}

// ---- death

// Install, upgrade with permission, reboot; whatever dies, the node ends with the wanted driver.
void walk(KmdYard& yard) {
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.start_pod("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load() || yard.loaded() == "2.8.0"; }, 1h));
  yard.permit("2.8.0");
  ASSERT_TRUE(yard.settles_at("2.8.0"));
}

TEST(Loader, ADeathAtAnyDeedChangesNothingInTheEnd) {
  KmdYard usual;
  walk(usual);
  const int counters = static_cast<int>(usual.log.counters.size());
  ASSERT_GE(counters, 15);
  for (int at = 1; at <= counters; ++at) {
    for (const bool after : {false, true}) {
      KmdYard yard({.at = at, .after = after});
      walk(yard);
      EXPECT_EQ(yard.deaths, 1);
      EXPECT_EQ(yard.loaded(), "2.8.0") << "death " << (after ? "after" : "before") << " deed " << at << ": "
                                        << usual.log.counters[static_cast<std::size_t>(at - 1)];
      EXPECT_LE(yard.log.count("unload"), 2);
      EXPECT_FALSE(yard.machine->exists("/var/cache/tt-kmd/.build")) << "what was half done is swept";
    }
  }
}

TEST(Loader, APowerCutAtAnyMomentOfTheUpgradeEndsWithADriver) {
  for (int at = 1; at <= 24; ++at) {
    KmdYard yard;
    make_upgrade(yard);
    yard.machine->set_fault(sim::HostFault::TornWrite, true);
    yard.permit("2.8.0");
    yard.world.run_for(at * 2s);
    yard.reboot();
    EXPECT_TRUE(yard.settles_at("2.8.0")) << "power cut after " << at * 2 << "s";
  }
}

TEST(Loader, AskedToEndBetweenUnloadAndLoadItLoadsFirst) {
  LoadSettings settings{.node = "n", .pod_uid = "p", .version = "2.8.0", .digest = "d", .source = "https://a/b"};
  LoadMemory memory;
  memory.is_ending = true;
  LoadSight sight{
      .boot = "b", .kernel = kKernel, .note = {.boot = "b", .version = "2.7.0", .from = "2.7.0", .to = "2.8.0"}};
  EXPECT_EQ(step(settings, sight, memory).what, LoadStep::Do::Leave) << "a build would take too long";
  memory.built[{kKernel, "2.8.0"}] = {};
  EXPECT_EQ(step(settings, sight, memory).what, LoadStep::Do::Load);
  sight.loaded = LoadSight::Loaded{"2.8.0", 0};
  EXPECT_EQ(step(settings, sight, memory).what, LoadStep::Do::Leave);
}

}  // namespace
}  // namespace drover::agent::testing
