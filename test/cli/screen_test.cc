#include "cli/screen.h"

#include <gtest/gtest.h>

#include <array>

namespace drover::cli {
namespace {

TEST(Bar, IsFullOnlyWhenEverythingIsDone) {
  EXPECT_EQ(bar(0, 4), "░░░░");
  EXPECT_EQ(bar(0.5, 4), "██░░");
  EXPECT_EQ(bar(0.999, 4), "███░");
  EXPECT_EQ(bar(1, 4), "████");
  EXPECT_EQ(bar(7, 4), "████");
  EXPECT_EQ(bar(-1, 4), "░░░░");
}

TEST(Table, AlignsByWhatIsShownNotByBytes) {
  EXPECT_EQ(table({{"NODE", "STATE"}, {"äöü", "ready"}, {"gpu-10", "x"}}),
            (std::vector<std::string>{"NODE    STATE", "äöü     ready", "gpu-10  x"}));
}

TEST(Screen, PrintsOnlyWhatStaysWhenThereIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  {
    Screen screen(file);
    EXPECT_FALSE(screen.is_terminal());
    screen.draw({"a picture"});
    screen.say("a line");
    screen.draw({"another picture"});
  }
  std::array<char, 200> text{};
  std::rewind(file);
  const std::size_t got = std::fread(text.data(), 1, text.size(), file);
  std::fclose(file);
  EXPECT_EQ(std::string(text.data(), got), "a line\n");
}

}  // namespace
}  // namespace drover::cli
