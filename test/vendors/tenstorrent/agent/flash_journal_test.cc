// The machine's memory of its flashes: a chip is written once, whoever asks again and whatever was cut off.
#include "vendors/tenstorrent/agent/flash_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "vendors/tenstorrent/agent/firmware_yard.h"

namespace drover::agent::testing {
namespace {

using protocol::Outcome;
using ::testing::HasSubstr;

constexpr const char* kTarget = "19.9.0.0#7";
constexpr const char* kBoot = "boot-1";
constexpr Readback kReadbacks[] = {Readback::AtTarget, Readback::Differs, Readback::Unread};

FlashAsk ask_of(bool forces = false, bool continues = false) {
  return {.claim = "claim-2", .target = kTarget, .boot = kBoot, .forces = forces, .continues_unread = continues};
}

// Every note that can be written, of this claim and another, this target and another.
std::vector<FlashNote> all_notes() {
  std::vector<FlashNote> notes;
  for (const char* claim : {"claim-1", "claim-2"}) {
    for (const char* target : {kTarget, "19.9.0.0#6", "19.8.0.0#7"}) {
      for (int bits = 1; bits < 32; bits += 2) {  // begun
        FlashNote note{.claim = claim, .target = target, .boot = kBoot, .begun = true};
        note.written = (bits & 2) != 0;
        note.verified = (bits & 4) != 0 && note.written;
        note.reset = (bits & 8) != 0 && note.verified;
        note.finished = (bits & 16) != 0;
        if (!note.finished) {
          notes.push_back(note);
          continue;
        }
        for (const Outcome outcome : {Outcome::Done, Outcome::Failed, Outcome::Mismatch, Outcome::Wedged}) {
          note.outcome = outcome;
          notes.push_back(note);
        }
      }
    }
  }
  return notes;
}

template <class Check>
void each_case(const Check& check) {
  for (const FlashNote& note : all_notes()) {
    for (const bool forces : {false, true}) {
      for (const bool continues : {false, true}) {
        for (const char* boot : {kBoot, "boot-2", ""}) {
          for (const Readback readback : kReadbacks) {
            const FlashAsk ask = ask_of(forces, continues);
            SCOPED_TRACE(
                fmt::format("claim {} target {} written {} verified {} reset {} finished {} as {}, forced {} "
                            "boot \"{}\" readback {}",
                            note.claim, note.target, note.written, note.verified, note.reset, note.finished,
                            note.outcome ? word(*note.outcome) : "-", forces, boot, static_cast<int>(readback)));
            check(note, ask, std::string(boot), readback, decide(note, ask, boot, readback));
          }
        }
      }
    }
  }
}

TEST(FlashJournal, NeverWritesASecondTimeForWhatWasBegun) {
  each_case(
      [](const FlashNote& note, const FlashAsk& ask, const std::string&, Readback, const FlashDecision& decision) {
        const bool was_ours = note.target == ask.target && (!note.finished || note.claim == ask.claim);
        if (was_ours) {
          EXPECT_NE(decision.step, FlashStep::Flash);
        }
      });
}

TEST(FlashJournal, NeverWritesAgainWhatFailedUntilAnotherTargetIsAskedFor) {
  each_case(
      [](const FlashNote& note, const FlashAsk& ask, const std::string&, Readback, const FlashDecision& decision) {
        if (note.target == ask.target && note.finished && note.outcome != Outcome::Done) {
          EXPECT_NE(decision.step, FlashStep::Flash);
        }
      });
}

TEST(FlashJournal, WritesForAnotherTargetOnThisBootWhateverBecameOfTheLast) {
  each_case([](const FlashNote& note, const FlashAsk& ask, const std::string& boot, Readback readback,
               const FlashDecision& decision) {
    if (note.target == ask.target || boot != kBoot) return;
    const bool is_wanted =
        ask.forces || readback == Readback::Differs || (readback == Readback::Unread && ask.continues_unread);
    EXPECT_EQ(decision.step == FlashStep::Flash, is_wanted);
  });
}

TEST(FlashJournal, NeverWritesOnAnotherBoot) {
  each_case([](const FlashNote&, const FlashAsk&, const std::string& boot, Readback, const FlashDecision& decision) {
    if (boot != kBoot) {
      EXPECT_NE(decision.step, FlashStep::Flash);
    }
  });
}

TEST(FlashJournal, ResetsOnceAndOnlyWhereEveryWriteWasVerified) {
  each_case([](const FlashNote& note, const FlashAsk& ask, const std::string&, Readback readback,
               const FlashDecision& decision) {
    if (decision.step != FlashStep::ReadAndReset) return;
    EXPECT_TRUE(note.verified && !note.reset && !note.finished && note.target == ask.target);
    EXPECT_NE(readback, Readback::AtTarget);
  });
}

TEST(FlashJournal, NeverTakesAVersionForTheProofOfAForcedFlashThatWasNotVerified) {
  each_case([](const FlashNote& note, const FlashAsk& ask, const std::string&, Readback readback,
               const FlashDecision& decision) {
    if (ask.forces && note.target == ask.target && !note.finished && !note.verified) {
      EXPECT_EQ(decision.outcome(readback), Outcome::Failed);
    }
  });
}

TEST(FlashJournal, TellsTheLastWordOfAClaimAgain) {
  each_case([](const FlashNote& note, const FlashAsk& ask, const std::string&, Readback readback,
               const FlashDecision& decision) {
    if (note.claim != ask.claim || note.target != ask.target || !note.finished) return;
    EXPECT_EQ(decision.step, FlashStep::Nothing);
    EXPECT_EQ(decision.outcome(readback), note.outcome);
  });
}

TEST(FlashJournal, AlwaysSaysWhy) {
  each_case([](const FlashNote&, const FlashAsk&, const std::string&, Readback, const FlashDecision& decision) {
    EXPECT_NE(decision.why, "");
  });
}

TEST(FlashJournal, FlashesAForcedTargetExactlyOnceWhoeverAsks) {
  const FlashNote done{.claim = "claim-1",
                       .target = kTarget,
                       .boot = kBoot,
                       .begun = true,
                       .written = true,
                       .verified = true,
                       .finished = true,
                       .outcome = Outcome::Done};
  const auto again = decide(done, ask_of(true), kBoot, Readback::AtTarget);
  EXPECT_EQ(again.step, FlashStep::Read);
  EXPECT_EQ(again.outcome(Readback::AtTarget), Outcome::Done);
  FlashAsk next_epoch = ask_of(true);
  next_epoch.target = "19.9.0.0#8";
  EXPECT_EQ(decide(done, next_epoch, kBoot, Readback::AtTarget).step, FlashStep::Flash);
}

TEST(FlashJournal, GoesThereAndBackAndThereAgain) {
  // 19.9 was flashed, then somebody put 19.8 on the chips by hand.
  const FlashNote done{.claim = "claim-1",
                       .target = kTarget,
                       .boot = kBoot,
                       .begun = true,
                       .written = true,
                       .verified = true,
                       .finished = true,
                       .outcome = Outcome::Done};
  EXPECT_EQ(decide(done, ask_of(), kBoot, Readback::Differs).step, FlashStep::Flash);
}

TEST(FlashJournal, FlashesWhereTheJournalIsEmpty) {
  EXPECT_EQ(decide({}, ask_of(), kBoot, Readback::Differs).step, FlashStep::Flash);
  EXPECT_EQ(decide({}, ask_of(true), kBoot, Readback::Unread).step, FlashStep::Flash);
  EXPECT_EQ(decide({}, ask_of(false, true), kBoot, Readback::Unread).step, FlashStep::Flash);
  const auto unread = decide({}, ask_of(), kBoot, Readback::Unread);
  EXPECT_EQ(unread.step, FlashStep::Read);
  EXPECT_EQ(unread.outcome(Readback::Unread), Outcome::Wedged);
  EXPECT_THAT(unread.why, HasSubstr("continueOnReadbackFailure"));
}

class Note : public ::testing::Test {
 protected:
  FirmwareYard yard;
  FlashNote whole{.claim = "claim-1",
                  .target = kTarget,
                  .boot = kBoot,
                  .begun = true,
                  .written = true,
                  .verified = true,
                  .reset = true,
                  .finished = true,
                  .outcome = Outcome::Mismatch,
                  .message = "what \"happened\"",
                  .before = {{"0000:01:00.0", "19.8.0.0"}},
                  .read = {{"0000:01:00.0", ""}},
                  .output = {"FLASH SUCCESS"}};
};

TEST_F(Note, IsReadBackAsItWasWritten) {
  EXPECT_EQ(*read_flash_note(yard.host), std::nullopt);
  ASSERT_TRUE(write_flash_note(yard.host, whole));
  EXPECT_EQ(*read_flash_note(yard.host), whole);
  const FlashNote begun{.claim = "c", .target = kTarget, .boot = kBoot, .begun = true};
  ASSERT_TRUE(write_flash_note(yard.host, begun));
  EXPECT_EQ(*read_flash_note(yard.host), begun);
}

TEST_F(Note, CountsAsBegunWhereItCannotBeRead) {
  ASSERT_TRUE(write_flash_note(yard.host, whole));
  const std::string text = *yard.host.read(flash_journal_path());
  for (std::size_t size = 0; size + 1 < text.size(); size += 5) {
    ASSERT_TRUE(yard.host.write(flash_journal_path(), text.substr(0, size)));
    const auto note = read_flash_note(yard.host);
    ASSERT_FALSE(note) << size;
    EXPECT_THAT(note.error().message, HasSubstr("journal.json"));
    for (const Readback readback : kReadbacks)
      EXPECT_EQ(decide_without_note(ask_of(), note.error().message).step, FlashStep::Read)
          << static_cast<int>(readback);
  }
  for (const char* text_of_another : {"{\"v\":2}", "[]", "{\"v\":1,\"claim\":\"a\",\"target\":\"b\"}"}) {
    ASSERT_TRUE(yard.host.write(flash_journal_path(), text_of_another));
    EXPECT_FALSE(read_flash_note(yard.host)) << text_of_another;
  }
}

TEST_F(Note, IsOldOrNewWhereverTheWritingWasCut) {
  const FlashNote old{.claim = "old", .target = kTarget, .boot = kBoot};
  for (int at = 1; at <= 4; ++at) {
    for (const bool after : {false, true}) {
      ASSERT_TRUE(write_flash_note(yard.host, old));
      yard.die_at({.at = at, .after = after});
      static_cast<void>(write_flash_note(yard.host, whole));
      yard.die_at({});
      const auto note = read_flash_note(yard.host);
      ASSERT_TRUE(note && *note) << at;
      EXPECT_TRUE(**note == old || **note == whole) << at;
    }
  }
}

TEST_F(Note, IsLockedForOneAtATime) {
  auto first = lock_flash_journal(yard.host);
  ASSERT_TRUE(first);
  EXPECT_EQ(lock_flash_journal(yard.host).error().kind, base::Fault::Kind::Conflict);
  first->reset();
  EXPECT_TRUE(lock_flash_journal(yard.host));
}

}  // namespace
}  // namespace drover::agent::testing
