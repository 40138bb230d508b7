// What `drover agent inspect` says about machines whose /proc and /sys are folders beside this file.
#include "agent/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/program.h"
#include "host/linux_host.h"

namespace drover::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kTrainUid = "5b3c8d8e-1111-4222-8333-944455556666";

const DeviceKind& kind_of(std::string_view vendor) {
  for (const DeviceKind* kind : devices_of(all())) {
    if (kind->vendor == vendor) return *kind;
  }
  ADD_FAILURE() << vendor;
  return *devices_of(all()).front();
}

Inspection seen_on(const std::string& machine) {
  host::LinuxHost host("test/agent/fixtures/" + machine);
  auto seen = inspect(host, devices_of(all()));
  EXPECT_TRUE(seen) << (seen ? "" : seen.error().message);
  return seen ? std::move(*seen) : Inspection();
}

TEST(Inspect, CountsTheAcceleratorsOfEachVendorAndNotTheOtherFunctionsOfACard) {
  const Inspection two = seen_on("two-gpus-held");
  EXPECT_EQ(two.accelerators("nvidia"), 2);
  EXPECT_EQ(two.accelerators("tenstorrent"), 1);
  EXPECT_EQ(two.accelerators("ascend"), 0);
  const Inspection h200 = seen_on("h200-cannot-unload");
  EXPECT_EQ(h200.accelerators("nvidia"), 1);
  ASSERT_EQ(h200.devices.size(), 2u);  // the bridge of another vendor does not count
  EXPECT_FALSE(h200.devices[1].is_accelerator);
  EXPECT_EQ(h200.devices[0].model, "NVIDIA H200");
}

TEST(Inspect, TellsWhichKernelDriverIsBoundToADevice) {
  const Inspection seen = seen_on("two-gpus-held");
  ASSERT_EQ(seen.devices.size(), 3u);
  EXPECT_EQ(seen.devices[0].vendor, "tenstorrent");
  EXPECT_EQ(seen.devices[0].driver, "");
  EXPECT_EQ(seen.devices[1].driver, "nvidia");
}

TEST(Inspect, TellsTheVendorsModulesAndWhatStandsOnThem) {
  const Inspection seen = seen_on("two-gpus-held");
  std::vector<std::string> names;
  for (const host::Module& module : seen.modules) names.push_back(module.name);
  EXPECT_THAT(names, ElementsAre("nvidia", "nvidia_fs", "nvidia_modeset", "nvidia_uvm"));
  ASSERT_NE(seen.driver("nvidia"), nullptr);
  EXPECT_EQ(seen.driver("nvidia")->version, "550.54.15");
  EXPECT_EQ(seen.driver("nvidia")->references, 15);
  EXPECT_EQ(seen.driver("tenstorrent"), nullptr);
  EXPECT_EQ(seen.told_version("nvidia"), "550.54.15");
}

TEST(Inspect, NamesEveryProcessThatHoldsADeviceOnceWithItsPod) {
  const Inspection seen = seen_on("two-gpus-held");
  ASSERT_EQ(seen.holders.size(), 2u);
  EXPECT_EQ(seen.holders[0].pid, 900);
  EXPECT_EQ(seen.holders[0].pod_uid, "");
  EXPECT_EQ(seen.holders[1].pid, 4242);
  EXPECT_EQ(seen.holders[1].pod_uid, kTrainUid);
  EXPECT_EQ(seen.holders[1].pod, "ml/train-7");
  EXPECT_THAT(seen.holders[1].paths, ElementsAre("/dev/nvidia-uvm", "/dev/nvidia0", "/dev/nvidiactl"));
}

TEST(Inspect, SaysWhoIsInTheWay) {
  const Inspection seen = seen_on("two-gpus-held");
  EXPECT_THAT(text_of(seen),
              HasSubstr("=> nvidia: 2 accelerators, driver 550.54.15 is loaded and cannot be unloaded now: "
                        "held by pid 900 (nvidia-persiste) of no pod, pid 4242 (python3) of pod ml/train-7\n"));
  EXPECT_THAT(text_of(seen), HasSubstr("=> tenstorrent: 1 accelerator, and no driver is loaded\n"));
}

TEST(Inspect, TakesAModuleWithoutRefcntForLoadedAndSaysThatThisKernelCannotUnloadIt) {
  const Inspection seen = seen_on("h200-cannot-unload");
  EXPECT_FALSE(seen.can_unload);
  ASSERT_NE(seen.driver("nvidia"), nullptr);
  EXPECT_EQ(seen.driver("nvidia")->version, "580.159.04");
  EXPECT_EQ(seen.told_version("nvidia"), "580.159.04");
  EXPECT_THAT(text_of(seen), HasSubstr("kernel    6.18.0, cannot unload modules\n"));
  EXPECT_THAT(text_of(seen), HasSubstr("references unknown"));
  EXPECT_THAT(in_the_way(seen, kind_of("nvidia")), HasSubstr("by a reboot only"));
}

TEST(Inspect, GivesProgramsTheSameFacts) {
  const json::Value seen = json_of(seen_on("two-gpus-held"));
  EXPECT_EQ(json::text_at(seen, {"kernel"}), "6.8.0-90-generic");
  EXPECT_TRUE(json::flag_at(seen, {"canUnload"}));
  EXPECT_EQ(json::int_at(seen, {"drivers", "nvidia", "accelerators"}), 2);
  EXPECT_TRUE(json::flag_at(seen, {"drivers", "nvidia", "loaded"}));
  EXPECT_FALSE(json::flag_at(seen, {"drivers", "tenstorrent", "loaded"}, true));
  EXPECT_EQ(json::text_at(json::array_at(seen, {"holders"})[1], {"pod"}), "ml/train-7");
  EXPECT_TRUE(
      json::find(json::array_at(json_of(seen_on("h200-cannot-unload")), {"modules"})[0], {"references"})->is_null());
}

TEST(Inspect, SaysSoWhereThereIsNoMachine) {
  host::LinuxHost host("test/agent/fixtures/no-such-machine");
  const auto seen = inspect(host, devices_of(all()));
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().message, HasSubstr("neither /proc/modules nor /sys/module"));
}

TEST(Inspect, SaysSoWhenNoDriverIsLoaded) {
  const std::string text = text_of(seen_on("no-driver"));
  EXPECT_THAT(text, HasSubstr("modules   none of a known vendor is loaded\n"));
  EXPECT_THAT(text, HasSubstr("=> tenstorrent: 1 accelerator, and no driver is loaded\n"));
  EXPECT_THAT(text, Not(HasSubstr("nvidia")));
}

TEST(VersionInProc, IsFoundInBothSpellings) {
  EXPECT_EQ(version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024\n"),
            "550.54.15");
  EXPECT_EQ(version_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"),
            "580.159.04");
  EXPECT_EQ(version_in(""), "");
  EXPECT_EQ(version_in("NVRM version: nothing of the kind"), "");
}

}  // namespace
}  // namespace drover::agent
