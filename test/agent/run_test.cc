// Programs that the host runs for the agent: no shell, nothing of our environment, and no longer than they may.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
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

TEST(Run, RefusesWhatIsNoProgramOfTheMachine) {
  EXPECT_EQ(ran({.path = "/usr/bin/no-such-program"}).error().kind, Fault::Kind::NotFound);
  EXPECT_EQ(ran({.path = "echo"}).error().kind, Fault::Kind::Refused);
  EXPECT_EQ(ran({.path = "/usr/../bin/echo"}).error().kind, Fault::Kind::Refused);
}

}  // namespace
}  // namespace drover::host
