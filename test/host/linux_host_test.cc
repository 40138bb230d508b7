#include "host/linux_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

namespace drover::host {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A machine made of a folder: what /proc and /sys showed on real ones, and a kernel that only takes notes.
class Machine : public ::testing::Test {
 protected:
  std::string root = ::testing::TempDir() + "host-" + std::to_string(getpid()) + "-" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::vector<std::string> calls;
  int outcome = 0;
  LinuxHost host{root, Kernel{.load_module =
                                  [this](int, const std::string& parameters, int flags) {
                                    calls.push_back("load " + parameters + " " + std::to_string(flags));
                                    return outcome;
                                  },
                              .unload_module =
                                  [this](const std::string& name) {
                                    calls.push_back("unload " + name);
                                    return outcome;
                                  },
                              .signal =
                                  [this](int pid, int signal) {
                                    calls.push_back("signal " + std::to_string(pid) + " " + std::to_string(signal));
                                    return outcome;
                                  },
                              .restart =
                                  [this] {
                                    calls.emplace_back("restart");
                                    return outcome;
                                  }}};

  void SetUp() override {
    fs::remove_all(root);
    file("/proc/sys/kernel/random/boot_id", "0c4b5a2e-6f0e-4a5e-9d3b-1f2a3b4c5d6e\n");
    file("/proc/sys/kernel/osrelease", "6.8.0-90-generic\n");
  }
  void TearDown() override { fs::remove_all(root); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  void link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(root + path).parent_path());
    fs::create_symlink(target, root + path);
  }
  void process(const std::string& pid, const std::string& name, const std::string& cgroup) {
    file("/proc/" + pid + "/comm", name + "\n");
    file("/proc/" + pid + "/cgroup", cgroup);
  }
};

TEST_F(Machine, ReadsModulesWithVersionReferencesAndUsers) {
  file("/proc/modules",
       "nvidia_uvm 1540096 2 - Live 0xffffffffc0a00000 (POE)\n"
       "nvidia 56807424 15 nvidia_uvm,nvidia_modeset, Live 0xffffffffc1000000 (POE)\n"
       "wireguard 94208 0 - Loading 0x0000000000000000\n");
  file("/sys/module/nvidia/version", "550.54.15\n");
  file("/sys/module/nvidia/initstate", "live\n");
  const auto modules = host.modules();
  ASSERT_TRUE(modules);
  ASSERT_EQ(modules->size(), 3u);
  EXPECT_EQ((*modules)[0].name, "nvidia");
  EXPECT_EQ((*modules)[0].version, "550.54.15");
  EXPECT_EQ((*modules)[0].references, 15);
  EXPECT_THAT((*modules)[0].used_by, ElementsAre("nvidia_uvm", "nvidia_modeset"));
  EXPECT_EQ((*modules)[1].version, "");
  EXPECT_EQ((*modules)[2].state, Module::State::Loading);
  EXPECT_TRUE(host.can_unload_modules());
}

TEST_F(Machine, TakesAModuleWithoutRefcntForLoadedOnAKernelThatCannotUnload) {
  file("/proc/modules",
       "nvidia 104136704 - - Live 0x0000000000000000 (O)\nnvidia_uvm 2097152 - - Live 0x0000000000000000 (O)\n");
  file("/sys/module/nvidia/version", "580.159.04\n");
  file("/sys/module/nvidia/initstate", "live\n");
  const auto modules = host.modules();
  ASSERT_EQ(modules->size(), 2u);
  EXPECT_EQ(modules->front().version, "580.159.04");
  EXPECT_FALSE(modules->front().references);
  EXPECT_TRUE(modules->front().used_by.empty());
  EXPECT_FALSE(host.can_unload_modules());
}

TEST_F(Machine, FindsAModuleThatOnlySysShowsAndNoneThatIsBuiltIn) {
  file("/proc/modules", "");
  file("/sys/module/tenstorrent/initstate", "live\n");
  file("/sys/module/tenstorrent/version", "2.3.0\n");
  file("/sys/module/tenstorrent/refcnt", "1\n");
  file("/sys/module/printk/parameters/time", "Y\n");
  const auto modules = host.modules();
  ASSERT_EQ(modules->size(), 1u);
  EXPECT_EQ(modules->front().name, "tenstorrent");
  EXPECT_EQ(modules->front().references, 1);
}

TEST_F(Machine, AsksTheKernelsConfigurationWhenNothingIsLoaded) {
  file("/proc/modules", "");
  EXPECT_TRUE(host.can_unload_modules());
  file("/boot/config-6.8.0-90-generic", "CONFIG_MODULES=y\n# CONFIG_MODULE_UNLOAD is not set\n");
  EXPECT_FALSE(host.can_unload_modules());
}

TEST_F(Machine, AsksTheKernelItselfWhenNothingElseTells) {
  file("/proc/modules", "");
  outcome = ENOSYS;
  EXPECT_FALSE(host.can_unload_modules());
  outcome = ENOENT;
  EXPECT_TRUE(host.can_unload_modules());
  EXPECT_THAT(calls, ElementsAre("unload drover_no_such_module", "unload drover_no_such_module"));
}

TEST_F(Machine, SaysSoWhenItCannotTellWhatIsLoaded) {
  EXPECT_THAT(host.modules().error().message, HasSubstr("cannot tell which modules are loaded"));
}

TEST(ModuleLine, SurvivesGarbage) {
  for (const char* line : {"", " ", "nvidia", "a b c", "../x 1 0 - Live 0x0", "x 1 notanumber - Live 0x0"}) {
    const auto module = parse_module_line(line);
    EXPECT_TRUE(!module || !module->references) << line;
  }
  EXPECT_TRUE(parse_module_line("xt_foo 1 0 [permanent], Live 0x0")->used_by.empty());
}

TEST_F(Machine, TellsWhyTheKernelDoesNotUnload) {
  EXPECT_TRUE(host.unload("nvidia"));
  for (const auto& [error, kind] : std::vector<std::pair<int, Fault::Kind>>{{EAGAIN, Fault::Kind::Refused},
                                                                            {EBUSY, Fault::Kind::Refused},
                                                                            {ENOENT, Fault::Kind::NotFound},
                                                                            {EPERM, Fault::Kind::Forbidden}}) {
    outcome = error;
    EXPECT_EQ(host.unload("nvidia").error().kind, kind) << error;
  }
  outcome = ENOSYS;
  EXPECT_THAT(host.unload("nvidia").error().message, HasSubstr("cannot unload modules"));
  calls.clear();
  EXPECT_FALSE(host.unload("../../etc"));
  EXPECT_TRUE(calls.empty());
}

TEST_F(Machine, LoadsAFileWithParametersAndTellsWhyNot) {
  file("/lib/x.ko", "elf");
  file("/lib/x.ko.xz", "xz");
  EXPECT_TRUE(host.load("/lib/x.ko", "debug=1"));
  EXPECT_TRUE(host.load("/lib/x.ko.xz", ""));
  EXPECT_THAT(calls, ElementsAre("load debug=1 0", "load  4"));
  EXPECT_EQ(host.load("/lib/none.ko", "").error().kind, Fault::Kind::NotFound);
  outcome = ENOEXEC;
  EXPECT_THAT(host.load("/lib/x.ko", "").error().message, HasSubstr("6.8.0-90-generic"));
  outcome = EEXIST;
  EXPECT_EQ(host.load("/lib/x.ko", "").error().kind, Fault::Kind::AlreadyExists);
  outcome = EKEYREJECTED;
  EXPECT_THAT(host.load("/lib/x.ko", "").error().message, HasSubstr("signature"));
}

TEST_F(Machine, FindsHoldersByOpenFilesAndMappingsAndNamesTheirPods) {
  process("1200", "python3",
          "0::/kubepods.slice/kubepods-burstable.slice/"
          "kubepods-burstable-pod0a1b2c3d_1111_2222_3333_444455556666.slice/cri-x.scope\n");
  link("/proc/1200/fd/3", "/dev/nvidia0");
  link("/proc/1200/fd/4", "/dev/nvidia0");
  link("/proc/1200/fd/5", "/dev/null");
  process("90", "nvidia-persiste", "0::/system.slice/nvidia-persistenced.service\n");
  file("/proc/90/maps",
       "7f0000000000-7f0000001000 rw-s 00000000 00:06 412 /dev/nvidiactl\n7f1-7f2 r--p 0 08:01 1 /usr/lib/x.so\n");
  process("77", "bash", "0::/user.slice\n");
  link("/proc/77/fd/0", "/dev/pts/0");
  const auto holders = host.holders("/dev/nvidia");
  ASSERT_TRUE(holders);
  ASSERT_EQ(holders->size(), 2u);
  EXPECT_EQ((*holders)[0].pid, 90);
  EXPECT_EQ((*holders)[0].path, "/dev/nvidiactl");
  EXPECT_EQ((*holders)[0].pod_uid, "");
  EXPECT_EQ((*holders)[1].pid, 1200);
  EXPECT_EQ((*holders)[1].command, "python3");
  EXPECT_EQ((*holders)[1].pod_uid, "0a1b2c3d-1111-2222-3333-444455556666");
}

TEST(Cgroup, NamesThePodForBothDriversAndBothVersions) {
  constexpr const char* kUid = "0a1b2c3d-1111-2222-3333-444455556666";
  EXPECT_EQ(pod_uid_in("12:devices:/kubepods/besteffort/pod0a1b2c3d-1111-2222-3333-444455556666/f00\n0::/\n"), kUid);
  EXPECT_EQ(pod_uid_in("0::/kubelet.slice/kubelet-kubepods.slice/"
                       "kubelet-kubepods-pod0a1b2c3d_1111_2222_3333_444455556666.slice/x\n"),
            kUid);
  EXPECT_EQ(pod_uid_in("0::/kubepods/podd41d8cd98f00b204e9800998ecf8427e/abc\n"), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(pod_uid_in("0::/user.slice/podman-123.scope\n"), "");
  EXPECT_EQ(pod_uid_in(""), "");
}

TEST_F(Machine, KillsAProcessButNeverTheFirst) {
  EXPECT_TRUE(host.kill(1200));
  EXPECT_THAT(calls, ElementsAre("signal 1200 " + std::to_string(SIGKILL)));
  EXPECT_FALSE(host.kill(1));
  EXPECT_FALSE(host.kill(0));
  EXPECT_FALSE(host.kill(-1));
  EXPECT_EQ(calls.size(), 1u);
  outcome = ESRCH;
  EXPECT_EQ(host.kill(1200).error().kind, Fault::Kind::NotFound);
}

TEST_F(Machine, RebootsThroughSystemdWhenThatIsTheFirstProcess) {
  file("/proc/1/comm", "systemd\n");
  EXPECT_TRUE(host.reboot(host.boot_id()));
  EXPECT_THAT(calls, ElementsAre("signal 1 " + std::to_string(SIGRTMIN + 5)));
  file("/proc/1/comm", "init\n");
  calls.clear();
  EXPECT_TRUE(host.reboot(host.boot_id()));
  EXPECT_THAT(calls, ElementsAre("restart"));
}

TEST_F(Machine, DoesNotRebootABootThatTheCallerDidNotSee) {
  EXPECT_EQ(host.reboot("11111111-6f0e-4a5e-9d3b-1f2a3b4c5d6e").error().kind, Fault::Kind::Conflict);
  EXPECT_EQ(host.reboot("").error().kind, Fault::Kind::Conflict);
  fs::remove(root + "/proc/sys/kernel/random/boot_id");
  EXPECT_EQ(host.reboot("").error().kind, Fault::Kind::Conflict) << "an unknown boot never matches";
  EXPECT_TRUE(calls.empty());
}

TEST_F(Machine, WritesUnderItsRootAndRefusesToLeaveIt) {
  ASSERT_TRUE(host.write("/var/lib/drover/state", "one"));
  EXPECT_EQ(host.read("/var/lib/drover/state").value_or(""), "one");
  EXPECT_TRUE(fs::exists(root + "/var/lib/drover/state"));
  EXPECT_THAT(*host.list("/var/lib/drover"), ElementsAre("state"));
  EXPECT_TRUE(host.remove("/var/lib/drover/state"));
  EXPECT_TRUE(host.remove("/var/lib/drover/state")) << "what is absent is removed already";
  EXPECT_FALSE(host.exists("/var/lib/drover/state"));
  EXPECT_EQ(host.write("/../outside", "x").error().kind, Fault::Kind::Refused);
  EXPECT_EQ(host.read("relative").error().kind, Fault::Kind::Refused);
  EXPECT_EQ(host.list("/none").error().kind, Fault::Kind::NotFound);
}

TEST(RealMachine, ShowsItsKernelAndItsOwnOpenFiles) {
  LinuxHost host;
  EXPECT_FALSE(host.kernel_release().empty());
  EXPECT_TRUE(host.modules());
  const std::string path = ::testing::TempDir() + "held-" + std::to_string(getpid());
  std::ofstream held(path);
  const auto holders = host.holders(path);
  ASSERT_TRUE(holders);
  ASSERT_EQ(holders->size(), 1u);
  EXPECT_EQ(holders->front().pid, getpid());
  held.close();
  fs::remove(path);
}

TEST_F(Machine, TellsWhereALinkPoints) {
  link("/sys/bus/pci/devices/0000:18:00.0/driver", "../../drivers/nvidia");
  EXPECT_EQ(host.link("/sys/bus/pci/devices/0000:18:00.0/driver"), "../../drivers/nvidia");
  EXPECT_EQ(host.link("/sys/bus/pci/devices/0000:19:00.0/driver").error().kind, Fault::Kind::NotFound);
}

TEST_F(Machine, NamesThePodsThatHaveAProcessEachOnce) {
  const std::string uid = "5b3c8d8e-1111-4222-8333-944455556666";
  process("10", "a", "0::/kubepods/burstable/pod" + uid + "/aa\n");
  process("11", "b", "0::/kubepods/burstable/pod" + uid + "/bb\n");
  process("12", "sshd", "0::/system.slice/ssh.service\n");
  const auto pods = host.pods_with_processes();
  ASSERT_TRUE(pods);
  EXPECT_THAT(*pods, ElementsAre(uid));
}

TEST_F(Machine, LooksForAMountedFolderInItsOwnPlaceAndForNothingElse) {
  LinuxHost in_a_pod(root + "/host", Kernel::real(), {root + "/run/nvidia"});
  file("/run/nvidia/state", "here");
  file("/host/run/nvidia/state", "there");
  EXPECT_EQ(in_a_pod.read(root + "/run/nvidia/state"), "here");
  EXPECT_EQ(in_a_pod.read("/run/nvidia/state"), "there");
  EXPECT_FALSE(in_a_pod.read(root + "/run/nvidia-other"));
}

}  // namespace
}  // namespace drover::host
