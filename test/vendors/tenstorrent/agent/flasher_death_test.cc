// A flash that dies: the pod is killed, or the power goes, before or after each of its deeds.
#include <gtest/gtest.h>

#include "vendors/tenstorrent/agent/firmware_yard.h"

namespace drover::agent::testing {
namespace {

using protocol::Outcome;

// What is asked of every life: however it dies, the next one writes nothing a second time, resets nothing that is not
// verified, and has a verdict that the one after it repeats.
struct Life {
  bool forces = false;
  PlayedFlash plays = {};
  bool loses_power = false;
};

void live(const Life& life, Death death) {
  FirmwareYard yard;
  yard.put_bundle_into_cache();
  yard.forces = life.forces;
  yard.flash_plays = life.plays;
  yard.die_at(death);
  yard.start("flash");
  const bool ended = yard.wait();
  yard.kill();
  const auto note = read_flash_note(yard.host);
  ASSERT_TRUE(note) << note.error().message;
  yard.die_at({});
  if (life.loses_power && !ended) {
    yard.host.boot = "boot-2";
    for (PlayedChip& chip : yard.chips) chip.running = chip.stored;
    yard.show_chips();
  }
  const auto second = yard.flash();
  EXPECT_LE(yard.flashes(), 1);
  EXPECT_LE(yard.resets(), 1);
  if (!life.plays.verifies) {
    EXPECT_EQ(yard.resets(), 0);
  }
  // Noted and not begun looks like begun: then a person has to look.
  if (!*note && !life.loses_power && life.plays.verifies) {
    EXPECT_EQ(second.outcome, Outcome::Done) << second.message;
  }
  const auto third = yard.flash();
  EXPECT_EQ(third.outcome, second.outcome);
  EXPECT_LE(yard.flashes(), 1);
  EXPECT_LE(yard.resets(), 1);
}

TEST(FlashDeath, LeavesNoChipWrittenTwiceWhereverItComes) {
  const PlayedFlash good{};
  const PlayedFlash staged{.resets = false};
  const PlayedFlash broken{.verifies = false, .code = 1};
  const PlayedFlash failed_reset{.resets = false, .fails_in_reset = true, .code = 1};
  int number = 0;
  for (const PlayedFlash& plays : {good, staged, broken, failed_reset}) {
    for (const bool forces : {false, true}) {
      for (const bool loses_power : {false, true}) {
        for (int at = 1; at <= 14; ++at) {
          for (const bool after : {false, true}) {
            SCOPED_TRACE(fmt::format("flash {} forced {} power {} dies at {} {}", number / 112, forces, loses_power, at,
                                     after ? "after" : "before"));
            live({.forces = forces, .plays = plays, .loses_power = loses_power}, {.at = at, .after = after});
            ++number;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace drover::agent::testing
