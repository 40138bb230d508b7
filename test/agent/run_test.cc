// Programs that the host runs for the agent: no shell, nothing of our environment, and no longer than they may.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/linux_host.h"
#include "kube/http_api.h"

namespace drover::host {
namespace {

using base::Fault;
using ::testing::HasSubstr;
using ::testing::Not;

Result<Ran> ran(const Command& command) {
  kube::AsioLoop loop;
  LinuxHost host;
  Result<Ran> outcome = base::fault(Fault::Kind::Unknown, "no answer");
  host.run(command, loop, [&](Result<Ran> answer) {
    outcome = std::move(answer);
    loop.stop();
  });
  loop.run();
  return outcome;
}

TEST(Run, GivesBackWhatAProgramSaidAndHowItEnded) {
  const auto echo = ran({.path = "/bin/echo", .args = {"$HOME; `id`"}});
  ASSERT_TRUE(echo) << echo.error().message;
  EXPECT_EQ(echo->code, 0);
  EXPECT_EQ(echo->output, "$HOME; `id`\n");
  EXPECT_EQ(ran({.path = "/bin/false"})->code, 1);
}

TEST(Run, GivesAProgramNothingOfOurEnvironment) {
  ASSERT_EQ(setenv("DROVER_SECRET", "canary", 1), 0);
  const auto env = ran({.path = "/usr/bin/env"});
  ASSERT_TRUE(env);
  EXPECT_THAT(env->output, HasSubstr("PATH="));
  EXPECT_THAT(env->output, Not(HasSubstr("canary")));
}

TEST(Run, GivesAProgramTheVariablesThatItIsTold) {
  const auto env = ran({.path = "/usr/bin/env", .environment = {{"HTTPS_PROXY", "http://a b;c"}}});
  ASSERT_TRUE(env);
  EXPECT_THAT(env->output, HasSubstr("HTTPS_PROXY=http://a b;c\n"));
}

TEST(Run, ShutsAProgramOffFromNetworkAndTokensOrDoesNotRunIt) {
  const std::string folder = ::testing::TempDir() + "token-" + std::to_string(::getpid());
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  std::ofstream(folder + "/token") << "secret";
  const auto look = ran({.path = "/bin/cat",
                         .args = {folder + "/token", "/proc/net/dev"},
                         .offline = true,
                         .hidden = {folder, "/no/such/folder"}});
  std::remove((folder + "/token").c_str());
  ::rmdir(folder.c_str());
  ASSERT_TRUE(look);
  EXPECT_THAT(look->output, Not(HasSubstr("secret")));
  EXPECT_NE(look->code, 0);
  if (look->code == 126) GTEST_SKIP() << "not allowed to confine: " << look->output;
  EXPECT_THAT(look->output, HasSubstr("No such file"));
  EXPECT_THAT(look->output, HasSubstr("lo:"));
  EXPECT_THAT(look->output, Not(HasSubstr("eth")));
}

// In a read-only root, as a container's is.
int look_at_what_is_shown(const std::string& folder) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 3;
  if (::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) return 3;
  if (::mkdir((folder + "/new").c_str(), 0755) == 0 || errno != EROFS) return 3;  // a disk of its own
  const auto look = ran({.path = "/bin/cat",
                         .args = {folder + "/place/tool", "/proc/self/mountinfo"},
                         .shown = {{folder + "/elsewhere", folder + "/place"}, {"/no/such", folder}}});
  if (!look || look->code != 0 || look->output.find("the tool") == std::string::npos) return 1;
  const std::size_t root = look->output.find(" / / ");  // of "26 1 8:1 / / ro,relatime"
  return root != std::string::npos && look->output.substr(root + 5, 2) == "ro" ? 0 : 2;
}

TEST(Run, ShowsAProgramAFolderWhereThereIsNoneAlsoInARootThatIsReadOnly) {
  const std::string folder = ::testing::TempDir() + "shown-" + std::to_string(::getpid());
  ASSERT_EQ(::mkdir(folder.c_str(), 0755), 0);
  ASSERT_EQ(::mkdir((folder + "/elsewhere").c_str(), 0755), 0);
  std::ofstream(folder + "/elsewhere/tool") << "the tool";
  const pid_t pid = ::fork();
  if (pid == 0) _exit(look_at_what_is_shown(folder));
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 3) GTEST_SKIP() << "not allowed to mount";
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: it was not found; 2: the root stayed open";
}

TEST(Run, EndsAProgramThatTakesTooLong) {
  const auto sleep = ran({.path = "/bin/sleep", .args = {"600"}, .within = std::chrono::milliseconds(1)});
  ASSERT_TRUE(sleep);
  EXPECT_TRUE(sleep->ran_out);
  EXPECT_EQ(sleep->code, 128 + 9);
}

TEST(Run, ReadsAllThatAProgramWritesAndKeepsTheBeginning) {
  const auto much = ran({.path = "/usr/bin/head", .args = {"-c", "300000", "/dev/zero"}});
  ASSERT_TRUE(much);
  EXPECT_EQ(much->code, 0);
  EXPECT_EQ(much->output.size(), 16u * 1024);
}

TEST(Run, HandsOnAllThatAProgramWritesAsItComes) {
  std::size_t heard = 0;
  const auto much =
      ran({.path = "/usr/bin/head", .args = {"-c", "300000", "/dev/zero"}, .heard = [&](std::string_view piece) {
             heard += piece.size();
           }});
  ASSERT_TRUE(much);
  EXPECT_EQ(heard, 300000u);
}

TEST(Run, GivesAnUninterruptedProgramASessionOfItsOwnAndAllItsTime) {
  // Its own session's leader: "7 (cat) R 1 7 7 …" has its pid as group and session, too.
  const auto stat = ran({.path = "/bin/cat", .args = {"/proc/self/stat"}, .uninterrupted = true});
  ASSERT_TRUE(stat);
  const std::string pid = stat->output.substr(0, stat->output.find(' '));
  EXPECT_THAT(stat->output, HasSubstr(" " + pid + " " + pid + " "));
  const auto slow =
      ran({.path = "/bin/sleep", .args = {"0.3"}, .within = std::chrono::milliseconds(1), .uninterrupted = true});
  ASSERT_TRUE(slow);
  EXPECT_FALSE(slow->ran_out);
  EXPECT_EQ(slow->code, 0);
}

TEST(Run, LetsAnUninterruptedProgramGoOnWhenTheLoopForgetsAboutIt) {
  const std::string mark = ::testing::TempDir() + "uninterrupted-" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(mark.c_str(), 0600), 0);
  {
    kube::AsioLoop loop;
    LinuxHost host;
    // Waits until somebody reads what it writes: by then the loop is gone.
    host.run({.path = "/bin/dd", .args = {"if=/dev/zero", "of=" + mark, "bs=1", "count=1"}, .uninterrupted = true},
             loop, [](const Result<Ran>&) {});
    loop.post([&] { loop.stop(); });
    loop.run();
  }
  std::ifstream reader(mark);
  EXPECT_EQ(reader.get(), 0);
  std::remove(mark.c_str());
}

TEST(Run, RefusesWhatIsNoProgramOfTheMachine) {
  EXPECT_EQ(ran({.path = "/usr/bin/no-such-program"}).error().kind, Fault::Kind::NotFound);
  EXPECT_EQ(ran({.path = "echo"}).error().kind, Fault::Kind::Refused);
  EXPECT_EQ(ran({.path = "/usr/../bin/echo"}).error().kind, Fault::Kind::Refused);
}

}  // namespace
}  // namespace drover::host
