// What sysfs and tt-smi say of the chips; what cannot be read is a value.
#include "vendors/tenstorrent/agent/chip_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vendors/tenstorrent/agent/firmware_yard.h"

namespace drover::agent::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const FirmwareVersion kOld = *parse_firmware_version("19.8.0.0");

class Reading : public ::testing::Test {
 protected:
  FirmwareYard yard;
};

TEST_F(Reading, NamesFunctionsBoardsDriversAndVersions) {
  const auto reading = read_chips(yard.host);
  EXPECT_THAT(reading.functions, ElementsAre(ChipFunction{"0000:01:00.0", 0x14, "tenstorrent"},
                                             ChipFunction{"0000:02:00.0", 0x14, "tenstorrent"}));
  EXPECT_THAT(reading.chips, ElementsAre(Chip{"0000:01:00.0", "19.8.0.0"}, Chip{"0000:02:00.0", "19.8.0.0"}));
  EXPECT_EQ(compare(reading, kOld), Readback::AtTarget);
}

TEST_F(Reading, CountsAChipWithoutADriverAsUnread) {
  std::filesystem::remove_all(yard.root + "/sys/bus/pci/devices/0000:02:00.0/tenstorrent");
  const auto reading = read_chips(yard.host);
  EXPECT_THAT(reading.functions, SizeIs(2));
  EXPECT_EQ(unread_chips(reading), "0000:02:00.0");
  EXPECT_EQ(compare(reading, kOld), Readback::Unread);
}

TEST_F(Reading, KnowsTheDriverWhereTheMachineShowsNoLinks) {
  std::filesystem::remove(yard.root + "/sys/bus/pci/devices/0000:01:00.0/driver");
  EXPECT_EQ(read_chips(yard.host).functions[0].driver, "tenstorrent");
  std::filesystem::remove_all(yard.root + "/sys/bus/pci/devices/0000:01:00.0/tenstorrent");
  EXPECT_EQ(without_driver(read_chips(yard.host)), "0000:01:00.0 (no driver)");
}

TEST_F(Reading, TakesNothingButAVersionForAVersion) {
  for (const char* text :
       {"", "\n", "19", "19.8", "v19.8.0.0", "19.8.0.0.0", "0xffffffff", "19.8.0.x", "99999.1.1.1"}) {
    yard.chips[0].running = text;
    yard.show_chips();
    EXPECT_EQ(read_chips(yard.host).chips[0].version, "") << text;
  }
}

TEST_F(Reading, LeavesOtherDevicesOut) {
  yard.file("/sys/bus/pci/devices/0000:03:00.0/vendor", "0x1e52\n");
  yard.file("/sys/bus/pci/devices/0000:03:00.0/class", "0x060400\n");  // a bridge of theirs
  EXPECT_THAT(read_chips(yard.host).functions, SizeIs(2));
}

TEST_F(Reading, SeesNothingOnAMachineWithoutABus) {
  std::filesystem::remove_all(yard.root + "/sys");
  const auto reading = read_chips(yard.host);
  EXPECT_EQ(compare(reading, kOld), Readback::Unread);
  EXPECT_EQ(text_of(reading), "no chip on the PCI bus");
}

TEST_F(Reading, TakesWhatTtSmiSaysFirst) {
  const auto reading = with_smi(read_chips(yard.host), R"(Detected Chips: 2 {wait}
{"device_info": [{"board_info": {"bus_id": "0000:01:00.0"}, "firmwares": {"fw_bundle_version": "19.9.0.0"}},
 {"board_info": {"bus_id": "N/A"}, "firmwares": {"fw_bundle_version": "19.9.0.0"}},
 {"board_info": {"bus_id": "0000:02:00.0"}, "firmwares": {"fw_bundle_version": "N/A"}}]}
)");
  EXPECT_THAT(reading.chips, ElementsAre(Chip{"0000:01:00.0", "19.9.0.0"}, Chip{"0000:02:00.0", "19.8.0.0"},
                                         Chip{"chip 1", "19.9.0.0"}));
  EXPECT_EQ(reading.told_by_smi, 3);
  EXPECT_EQ(reading.smi_trouble, "");
}

TEST_F(Reading, KeepsWhatSysfsSaysWhereTtSmiTellsNothing) {
  for (const char* text :
       {"", "No Tenstorrent driver detected!", "{", "{}", "}{", "{\"device_info\": 3}", "{\"a\": {\"b"}) {
    const auto reading = with_smi(read_chips(yard.host), text);
    EXPECT_EQ(compare(reading, kOld), Readback::AtTarget) << text;
    EXPECT_EQ(reading.told_by_smi, -1) << text;
    EXPECT_NE(reading.smi_trouble, "") << text;
  }
}

TEST_F(Reading, BelievesNothingThatDevicesAreCalled) {
  const auto reading = with_smi({}, R"({"device_info": [7, {"board_info": {"bus_id": "\"; rm -rf /"}}, {}]})");
  EXPECT_THAT(reading.chips, ElementsAre(Chip{"chip 0", ""}, Chip{"chip 1", ""}, Chip{"chip 2", ""}));
}

TEST_F(Reading, KeepsAllThatTtSmiPrintsAndNotOnlyTheBeginning) {
  yard.chips.clear();
  for (int i = 0; i < 9; ++i) yard.chips.push_back({.address = fmt::format("0000:0{}:00.0", i)});
  yard.show_chips();
  std::optional<ChipReading> reading;
  read_drained_chips(yard.host, yard.loop, [&](ChipReading read) { reading = std::move(read); });
  yard.loop.run_for(1min);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->told_by_smi, 9);
}

TEST_F(Reading, EndsATtSmiThatHangs) {
  yard.host.play = [&](const host::Command& command, base::Loop& loop, const auto& done) {
    EXPECT_LE(command.within, 2min);
    loop.post([done] { done(host::Ran{.code = 137, .output = {}, .ran_out = true}); });
  };
  std::optional<ChipReading> reading;
  read_drained_chips(yard.host, yard.loop, [&](ChipReading read) { reading = std::move(read); });
  yard.loop.run_for(1min);
  ASSERT_TRUE(reading);
  EXPECT_THAT(reading->smi_trouble, HasSubstr("hangs"));
  EXPECT_EQ(compare(*reading, kOld), Readback::AtTarget);
}

TEST_F(Reading, IsToldWithWhatTheFewestChipsSayFirst) {
  ChipReading reading;
  for (int i = 1; i <= 8; ++i) reading.chips.push_back({fmt::format("0000:0{}:00.0", i), "19.9.0.0"});
  reading.chips[6].version = "19.8.0.0";
  reading.chips[7].version = "";
  EXPECT_EQ(text_of(reading),
            "no version (0000:08:00.0), 19.8.0.0 (0000:07:00.0), "
            "19.9.0.0 (0000:01:00.0, 0000:02:00.0, 0000:03:00.0, 0000:04:00.0 and 2 more)");
}

TEST_F(Reading, ComparesVersionsAndNotTexts) {
  ChipReading reading;
  reading.chips = {{"0000:01:00.0", "19.8.0"}};
  EXPECT_EQ(compare(reading, kOld), Readback::AtTarget);
  reading.chips = {{"0000:01:00.0", "80.17.1.0"}};
  EXPECT_EQ(compare(reading, *parse_firmware_version("17.1.0.0")), Readback::AtTarget);
}

}  // namespace
}  // namespace drover::agent::testing
