// The helper that proves an image: it is small, needs nothing, and ends well.
#include "agent/noop_binary.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace drover::agent {
namespace {

// Runs it with nothing: no arguments, no environment, no shell.
int exit_code_of(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::string name = path;
    std::array<char*, 2> arguments{name.data(), nullptr};
    std::array<char*, 1> environment{nullptr};
    ::execve(path.c_str(), arguments.data(), environment.data());
    ::_exit(126);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

TEST(ExitWell, EndsWellOnThisMachine) {
  const auto file = noop_binary();
  if (!file) GTEST_SKIP() << file.error().message;
  const auto path = std::filesystem::temp_directory_path() / ("exit-well-" + std::to_string(::getpid()));
  ASSERT_TRUE(base::write_file(path.string(), *file, 0755));
  EXPECT_EQ(exit_code_of(path.string()), 0);
  std::filesystem::remove(path);
}

TEST(ExitWell, IsSmallAndNamesItsMachine) {
  for (const Machine machine : {Machine::X86_64, Machine::AArch64}) {
    const std::string file = noop_binary(machine);
    EXPECT_LE(file.size(), 256U);
    EXPECT_EQ(file.substr(0, 4),
              "\x7f"
              "ELF");
    EXPECT_EQ(static_cast<unsigned char>(file[18]), static_cast<unsigned>(machine));
  }
}

}  // namespace
}  // namespace drover::agent
