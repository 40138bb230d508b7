#include "sim/sim_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover::sim {
namespace {

using base::Fault;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Machine : public ::testing::Test {
 protected:
  base::Random random{7};
  SimHost host{
      {.kernel_release = "6.1.0", .devices = {{"/dev/nvidia0", "nvidia"}, {"/dev/nvidia1", "nvidia"}}, .files = {}},
      random};

  void SetUp() override { ASSERT_TRUE(host.insert("nvidia", "535.1")); }
};

TEST_F(Machine, ShowsALoadedModuleInSysAndProcAndItsDevices) {
  EXPECT_EQ(host.read("/sys/module/nvidia/version").value_or(""), "535.1\n");
  EXPECT_EQ(host.read("/sys/module/nvidia/refcnt").value_or(""), "0\n");
  EXPECT_THAT(host.read("/proc/modules").value_or(""), HasSubstr("nvidia 65536 0 - Live"));
  EXPECT_TRUE(host.exists("/dev/nvidia1"));
  EXPECT_THAT(*host.list("/sys/module"), ElementsAre("nvidia"));
  EXPECT_THAT(*host.list("/dev"), ElementsAre("nvidia0", "nvidia1"));
}

TEST_F(Machine, HasNoDevicesWithoutTheModule) {
  ASSERT_TRUE(host.unload("nvidia"));
  EXPECT_FALSE(host.exists("/dev/nvidia0"));
  EXPECT_FALSE(host.exists("/sys/module/nvidia"));
  EXPECT_FALSE(host.open("/dev/nvidia0", "uid", "train"));
}

TEST_F(Machine, RefusesToUnloadWhatAProcessHoldsAndNamesTheReferences) {
  const auto pid = host.open("/dev/nvidia0", "uid-1", "train");
  ASSERT_TRUE(pid);
  const auto refused = host.unload("nvidia");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Fault::Kind::Refused);
  EXPECT_THAT(refused.error().message, HasSubstr("1 references"));
  const auto holders = host.holders("/dev/nvidia");
  ASSERT_EQ(holders->size(), 1u);
  EXPECT_EQ(holders->front().pod_uid, "uid-1");
  host.close(*pid);
  EXPECT_TRUE(host.unload("nvidia"));
}

TEST_F(Machine, RefusesToUnloadWhatAnotherModuleStandsOn) {
  ASSERT_TRUE(host.insert("nvidia_uvm", "535.1", "nvidia"));
  EXPECT_FALSE(host.unload("nvidia"));
  ASSERT_TRUE(host.unload("nvidia_uvm"));
  EXPECT_TRUE(host.unload("nvidia"));
}

TEST_F(Machine, LoadsAModuleFileAndRefusesASecondVersionAndGarbage) {
  ASSERT_TRUE(host.write("/lib/nvidia.ko", SimHost::module_text("nvidia", "550.2")));
  EXPECT_EQ(host.load("/lib/nvidia.ko", "").error().kind, Fault::Kind::AlreadyExists);
  ASSERT_TRUE(host.unload("nvidia"));
  ASSERT_TRUE(host.load("/lib/nvidia.ko", ""));
  EXPECT_EQ(host.loaded_version("nvidia"), "550.2");
  ASSERT_TRUE(host.write("/lib/bad.ko",
                         "\x7f"
                         "ELF"));
  EXPECT_EQ(host.load("/lib/bad.ko", "").error().kind, Fault::Kind::Malformed);
  EXPECT_EQ(host.load("/lib/none.ko", "").error().kind, Fault::Kind::NotFound);
}

TEST_F(Machine, ForgetsModulesProcessesAndVolatileFilesWhenThePowerGoes) {
  ASSERT_TRUE(host.write("/run/ready", "1"));
  ASSERT_TRUE(host.write("/var/lib/kept", "1"));
  ASSERT_TRUE(host.open("/dev/nvidia0", "uid", "train"));
  const auto before = host.boot_id();
  host.power_cycle();
  EXPECT_NE(host.boot_id(), before);
  EXPECT_FALSE(host.exists("/run/ready"));
  EXPECT_TRUE(host.exists("/var/lib/kept"));
  EXPECT_TRUE(host.modules()->empty());
  EXPECT_TRUE(host.holders("/dev/")->empty());
}

TEST_F(Machine, RebootsOnlyTheBootThatTheCallerSaw) {
  int asked = 0;
  host.on_reboot = [&] { ++asked; };
  EXPECT_EQ(host.reboot("another").error().kind, Fault::Kind::Conflict);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(host.reboot(host.boot_id()));
  EXPECT_EQ(asked, 1);
}

TEST_F(Machine, ReportsTheKilledHolder) {
  std::string victim;
  host.on_kill = [&](const host::Holder& holder) { victim = holder.pod_uid; };
  const auto pid = host.open("/dev/nvidia0", "uid-9", "train");
  ASSERT_TRUE(host.kill(*pid));
  EXPECT_EQ(victim, "uid-9");
  EXPECT_EQ(host.kill(*pid).error().kind, Fault::Kind::NotFound);
}

TEST_F(Machine, WritesNothingToAFullDiskButStillToMemory) {
  host.set_fault(HostFault::DiskFull, true);
  EXPECT_THAT(host.write("/var/cache/x", "1").error().message, HasSubstr("no space left"));
  EXPECT_TRUE(host.write("/run/x", "1"));
  host.set_fault(HostFault::DiskFull, false);
  EXPECT_TRUE(host.write("/var/cache/x", "1"));
}

TEST_F(Machine, TearsTheLastFileWhenThePowerGoesAndOnlyThatOne) {
  host.set_fault(HostFault::TornWrite, true);
  ASSERT_TRUE(host.write("/var/a", "abcdefgh"));
  ASSERT_TRUE(host.write("/var/b", "abcdefgh"));
  host.power_cycle();
  EXPECT_EQ(host.read("/var/a").value_or(""), "abcdefgh");
  EXPECT_EQ(host.read("/var/b").value_or(""), "abcd");
}

TEST_F(Machine, LooksLikeAKernelWithoutUnloadingWhenItCannotUnload) {
  host.set_fault(HostFault::CannotUnload, true);
  EXPECT_FALSE(host.can_unload_modules());
  EXPECT_FALSE(host.exists("/sys/module/nvidia/refcnt"));
  EXPECT_TRUE(host.exists("/sys/module/nvidia/version"));
  EXPECT_THAT(host.read("/proc/modules").value_or(""), HasSubstr("nvidia 65536 - - Live"));
  EXPECT_FALSE(host.modules()->front().references);
  EXPECT_THAT(host.unload("nvidia").error().message, HasSubstr("cannot unload modules"));
}

TEST_F(Machine, KeepsAStuckModuleWithoutHolders) {
  host.set_fault(HostFault::ModuleStuck, true);
  EXPECT_FALSE(host.unload("nvidia"));
  EXPECT_TRUE(host.holders("/dev/")->empty());
}

TEST(HostFaultNames, AreReadBackAndOthersAreRefusedWithTheList) {
  for (const auto fault : {HostFault::DiskFull, HostFault::TornWrite, HostFault::ModuleStuck, HostFault::CannotUnload,
                           HostFault::LoadFails, HostFault::RebootIgnored}) {
    EXPECT_EQ(*parse_host_fault(name(fault)), fault);
  }
  EXPECT_THAT(parse_host_fault("rain").error().message, HasSubstr("disk-full, torn-write"));
}

}  // namespace
}  // namespace drover::sim
