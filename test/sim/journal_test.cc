#include "sim/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "base/text.h"
#include "base/virtual_loop.h"

namespace drover::sim {
namespace {

using ::testing::HasSubstr;

TEST(Journal, StampsEachLineWithBothClocks) {
  base::VirtualLoop loop;
  std::string text;
  Journal journal(loop, [&](std::string_view line) { text += line; });
  loop.run_for(std::chrono::milliseconds(1500));
  journal.note("ready", {.node = "gpu-1", .pod = "ml/a", .uid = "u"}, {{"restarts", 2}});
  EXPECT_EQ(
      text,
      "{\"at\":\"2026-01-01T00:00:01.500000Z\",\"event\":\"ready\",\"node\":\"gpu-1\",\"pod\":\"ml/a\",\"uid\":\"u\","
      "\"restarts\":2,\"mono\":1.500000000}\n");
  EXPECT_TRUE(json::parse(text));
}

TEST(Journal, IsReadableWhileItIsBeingWrittenAndIsAppendedTo) {
  base::VirtualLoop loop;
  const std::string path = ::testing::TempDir() + "journal-" + std::to_string(getpid());
  for (int round = 0; round < 2; ++round) {
    auto journal = Journal::open(loop, path);
    ASSERT_TRUE(journal) << journal.error().message;
    (*journal)->note("booted", {.node = "gpu-1"});
    EXPECT_EQ(base::split(*base::read_file(path), '\n').size(), static_cast<std::size_t>(round) + 2);
  }
  std::remove(path.c_str());
}

TEST(Journal, SaysWhichFileItCannotWrite) {
  base::VirtualLoop loop;
  EXPECT_THAT(Journal::open(loop, "/nowhere/at/all").error().message, HasSubstr("/nowhere/at/all"));
}

}  // namespace
}  // namespace drover::sim
