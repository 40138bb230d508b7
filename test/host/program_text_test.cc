#include "host/program_text.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace drover::host {
namespace {

// Of this process, in kB.
std::int64_t mapped_files() {
  const auto status = base::read_file("/proc/self/status");
  for (const std::string_view line : base::split(status.value_or(""), '\n')) {
    if (line.starts_with("RssFile:")) return base::parse_int(base::trim(line.substr(8, line.size() - 10))).value_or(-1);
  }
  return -1;
}

TEST(ProgramText, IsGivenBackAndComesBackByItself) {
  const std::int64_t before = mapped_files();
  ASSERT_GT(before, 0);
  give_back_program_text();
  const std::int64_t after = mapped_files();  // what this very call needs has come back
  ASSERT_GT(after, 0);
  EXPECT_LT(after, before);
}

}  // namespace
}  // namespace drover::host
