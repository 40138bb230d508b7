// The loader on a simulated machine: build, load, swap, stand down, and every way in which that can be disturbed.
#include <gmock/gmock.h>

#include "protocol/message.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/kmd_yard.h"

namespace drover::agent::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// ---- the first install

TEST(Loader, BuildsAndLoadsWhereNothingIsLoadedWithoutAskingAnybody) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  EXPECT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_TRUE(yard.log.said("cloning tt-kmd 2.7.0"));
  EXPECT_TRUE(yard.log.said("running make modules"));
  EXPECT_TRUE(yard.log.said("insmod: loading tt-kmd 2.7.0"));
  EXPECT_EQ(yard.report().wants, protocol::AgentRequest::Nothing);
  EXPECT_EQ(yard.note(), (KmdNote{.boot = yard.machine->boot_id(), .version = "2.7.0"}));
}

TEST(Loader, RunsGitAndMakeWithFixedArgumentsAndNothingElse) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  ASSERT_EQ(yard.commands.size(), 2U);
  const host::Command& git = yard.commands[0];
  EXPECT_EQ(git.path, "/usr/bin/git");
  EXPECT_THAT(git.args, Contains("ttkmd-2.7.0"));
  EXPECT_THAT(git.args, Contains("core.hooksPath=/dev/null"));
  EXPECT_THAT(git.args, Contains("--"));
  EXPECT_FALSE(git.offline);
  const host::Command& make = yard.commands[1];
  EXPECT_EQ(make.path, "/usr/bin/make");
  EXPECT_THAT(make.args, ElementsAre("-j4", "-C", fmt::format("/lib/modules/{}/build", kKernel),
                                     fmt::format("M=/var/cache/tt-kmd/.build/{}-2.7.0/source", kKernel), "modules"));
  EXPECT_TRUE(make.offline);
  EXPECT_THAT(make.environment, IsEmpty());
  for (const host::Command& command : yard.commands) EXPECT_THAT(command.hidden, Contains("/var/run/secrets"));
}

TEST(Loader, KeepsWhatIsThereAlready) {
  KmdYard yard;
  ASSERT_TRUE(yard.machine->insert("tenstorrent", "2.7.0"));
  yard.start_pod("2.7.0");
  EXPECT_TRUE(yard.settles_at("2.7.0"));
  yard.world.run_for(5min);
  EXPECT_EQ(yard.log.count("load"), 0);
  EXPECT_EQ(yard.log.count("unload"), 0);
}

TEST(Loader, ReadinessIsWhatTheKernelHasOrThatTheHostManagesIt) {
  KmdYard yard;
  sim::SimHost& machine = *yard.machine;
  EXPECT_FALSE(serves(machine, "2.7.0"));
  ASSERT_TRUE(machine.insert("tenstorrent", "2.7.0"));
  EXPECT_TRUE(serves(machine, "2.7.0"));
  EXPECT_FALSE(serves(machine, "2.8.0"));
  ASSERT_TRUE(machine.write("/usr/src/tenstorrent-2.6.0/dkms.conf", ""));
  EXPECT_TRUE(serves(machine, "2.8.0"));
}

TEST(Loader, IsQuietWhenAllIsWell) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.world.run_for(1min);
  const auto counters = yard.log.counters.size();
  const auto lines = yard.log.lines.size();
  const auto version = kube::version_of(*yard.world.store().find("nodes", "tenstorrent-1"));
  yard.world.run_for(1h);
  EXPECT_EQ(yard.log.counters.size(), counters);
  EXPECT_EQ(yard.log.lines.size(), lines);
  EXPECT_EQ(kube::version_of(*yard.world.store().find("nodes", "tenstorrent-1")), version);
}

// ---- the upgrade

TEST(Loader, BuildsTheNextVersionAndAsksBeforeItTouchesTheOld) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  EXPECT_EQ(yard.report().prepared, "2.8.0");
  EXPECT_TRUE(yard.machine->exists(entry("2.8.0") + "/tenstorrent.ko"));
  yard.world.run_for(1h);
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_FALSE(yard.is_ready);
  EXPECT_EQ(yard.log.count("unload"), 0);
  EXPECT_EQ(yard.restarts, 0);
  yard.permit("2.8.0");
  EXPECT_TRUE(yard.settles_at("2.8.0"));
}

TEST(Loader, ReloadsFromTheCacheWithoutBuilding) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.permit("2.8.0");
  ASSERT_TRUE(yard.settles_at("2.8.0"));
  yard.commands.clear();
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }, 5s));
  yard.permit("2.7.0");
  const base::Instant asked = yard.world.loop.now();
  EXPECT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_LT(yard.world.loop.now() - asked, 1s);
  EXPECT_THAT(yard.commands, IsEmpty());
}

TEST(Loader, APermissionForAnotherPodOrDriverIsNone) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.order({.id = "pod-1", .target = "digest-2.8.0", .may_load = true});
  yard.world.run_for(5min);
  yard.order({.id = yard.pod_uid, .target = "digest-2.9.0", .may_load = true});
  yard.world.run_for(5min);
  yard.order({.id = yard.pod_uid, .target = "digest-2.8.0", .may_load = true, .is_paused = true});
  yard.world.run_for(5min);
  yard.order_text("{\"v\": 1, \"id\": \"$(id)\"}");
  yard.world.run_for(5min);
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_THAT(yard.report().message, HasSubstr("drover.dev/order-tenstorrent-driver cannot be read"));
}

TEST(Loader, PreparesWhatTheOrderAsksForWhileTheNodeServes) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.order({.id = "", .target = "digest-2.8.0", .prepare = "2.8.0"});
  EXPECT_TRUE(yard.comes_to([&] { return yard.report().prepared == "2.8.0"; }));
  EXPECT_TRUE(yard.serves("2.7.0"));
  EXPECT_TRUE(yard.commands.back().in_background);
  EXPECT_EQ(yard.log.count("unload"), 0);
  yard.machine->set_fault(sim::HostFault::MakeFails, true);
  yard.order({.id = "", .target = "digest-2.9.0", .prepare = "2.9.0"});
  EXPECT_TRUE(yard.comes_to([&] { return yard.report().cannot_prepare; }));
  EXPECT_THAT(yard.report().message, HasSubstr("running make modules for tt-kmd 2.9.0"));
  EXPECT_THAT(yard.report().message, HasSubstr("implicit declaration"));
  EXPECT_TRUE(yard.serves("2.7.0"));
  yard.machine->set_fault(sim::HostFault::MakeFails, false);
  EXPECT_TRUE(yard.comes_to([&] { return yard.report().prepared == "2.9.0" && !yard.report().cannot_prepare; }, 30min));
}

TEST(Loader, PreparesNothingThatIsNoVersion) {
  KmdYard yard;
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  yard.commands.clear();
  yard.order({.id = "", .target = "digest-2.8.0", .prepare = "..-..-etc"});
  EXPECT_TRUE(yard.comes_to([&] { return yard.report().cannot_prepare; }));
  yard.world.run_for(1h);
  EXPECT_THAT(yard.commands, IsEmpty());
}

// ---- in the way

TEST(Loader, BlockedByAWorkloadItNamesWhoAndCrashLoopsUntilTheyLeave) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.machine->write("/var/log/pods/ml_train-0_0a1b2c3d-0000-0000-0000-000000000000/x", ""));
  const auto pid = yard.machine->open("/dev/tenstorrent/0", "0a1b2c3d-0000-0000-0000-000000000000", "python3");
  ASSERT_TRUE(pid);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.permit("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.restarts >= 2; }));
  EXPECT_EQ(yard.last_code, 1);
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_THAT(yard.report().message, HasSubstr(fmt::format("held by pid {} (python3) of pod ml/train-0", *pid)));
  EXPECT_THAT(yard.report().message, HasSubstr("forceUnload"));
  yard.machine->close(*pid);
  EXPECT_TRUE(yard.settles_at("2.8.0"));
}

TEST(Loader, KillsHoldersOnlyWhereThePolicyForces) {
  KmdYard yard;
  make_upgrade(yard, true);
  ASSERT_TRUE(yard.machine->open("/dev/tenstorrent/0", "", "tt-smi"));
  ASSERT_TRUE(yard.machine->open("/dev/tenstorrent/2", "", "train"));
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.world.run_for(10min);
  EXPECT_EQ(yard.log.count("kill"), 0) << "no process dies before the permission";
  yard.permit("2.8.0");
  EXPECT_TRUE(yard.settles_at("2.8.0"));
  EXPECT_EQ(yard.log.count("kill"), 2);
}

TEST(Loader, AnUnexplainedReferenceIsNotForced) {
  KmdYard yard;
  make_upgrade(yard, true);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  yard.machine->set_fault(sim::HostFault::ModuleStuck, true);
  yard.permit("2.8.0");
  ASSERT_TRUE(yard.comes_to([&] { return yard.restarts >= 1; }));
  EXPECT_EQ(yard.loaded(), "2.7.0");
  EXPECT_EQ(yard.log.count("unload"), 0);
  EXPECT_THAT(yard.report().message, HasSubstr("references that no process explains"));
  yard.machine->set_fault(sim::HostFault::ModuleStuck, false);
  EXPECT_TRUE(yard.settles_at("2.8.0"));
}

TEST(Loader, AKernelThatCannotUnloadIsSaidAndNothingIsTouched) {
  KmdYard yard;
  make_upgrade(yard);
  yard.machine->set_fault(sim::HostFault::CannotUnload, true);
  ASSERT_TRUE(yard.comes_to([&] { return yard.restarts >= 1; }));
  EXPECT_FALSE(yard.report().can_unload);
  EXPECT_EQ(yard.loaded(), "2.7.0");
}

// The operator is to know it before it empties the node for the next driver.
TEST(Loader, AKernelThatCannotUnloadIsSaidWhileTheDriverServes) {
  KmdYard yard;
  yard.machine->set_fault(sim::HostFault::CannotUnload, true);
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  EXPECT_FALSE(yard.report().can_unload);
}

// ---- settings

TEST(LoadSettings, RefuseWhatMustNotReachAPathOrACommand) {
  const Environment good = {
      {"NODE_NAME", "n"}, {"POD_UID", "p"}, {"DRIVER_CONFIG_DIGEST", "d"}, {"TT_KMD_VERSION", "2.8.0"}};
  ASSERT_TRUE(read_load_settings(good));
  const auto refused = [&](const char* name, const std::string& value) {
    Environment bad = good;
    bad.emplace_back(name, value);
    return !read_load_settings(bad);
  };
  for (const std::string& version :
       {std::string("1.2;rm -rf /"), std::string("$(id)"), std::string("`id`"), std::string("../../etc"),
        std::string("-oProxyCommand=x"), std::string(300, '1'), std::string("2.8.0\0", 6), std::string("2.8.0\n"),
        std::string("2․8․0"), std::string("2.8"), std::string("2.8.0-rc1"), std::string("")})
    EXPECT_TRUE(refused("TT_KMD_VERSION", version)) << version;
  for (const char* url :
       {"http://a/b", "ext::sh -c id", "file:///etc", "https://user:pw@a/b", "https://a/b?c=d", "--upload-pack=id",
        "https://a", "https://a/../b", "https://-a/b", "ssh://a/b", "https://a/ b"})
    EXPECT_TRUE(refused("TT_KMD_SOURCE", url)) << url;
  Environment with_password = good;
  with_password.emplace_back("TT_KMD_SOURCE", "https://user:secret@a/b");
  EXPECT_THAT(read_load_settings(with_password).error().message, Not(HasSubstr("secret")));
  EXPECT_TRUE(refused("HTTPS_PROXY", "http://a\nLD_PRELOAD=x"));
  EXPECT_FALSE(refused("HTTPS_PROXY", "http://proxy.example:3128"));
  EXPECT_TRUE(refused("TT_FORCE_UNLOAD", "yes"));
  EXPECT_TRUE(refused("TT_SMI_VERSION", "../5"));
  EXPECT_THAT(read_load_settings({{"NODE_NAME", "n"},
                                  {"POD_UID", "p"},
                                  {"DRIVER_CONFIG_DIGEST", "d"},
                                  {"TT_KMD_VERSION", "2.8.0"},
                                  {"HTTPS_PROXY", "http://u:secret@a b"}})
                  .error()
                  .message,
              Not(HasSubstr("secret")));
}

TEST(LoadSettings, OnlyTheSixProxyVariablesReachGit) {
  const auto settings = read_load_settings({{"NODE_NAME", "n"},
                                            {"POD_UID", "p"},
                                            {"DRIVER_CONFIG_DIGEST", "d"},
                                            {"TT_KMD_VERSION", "2.8.0"},
                                            {"no_proxy", "10.0.0.0/8,.svc"},
                                            {"LD_PRELOAD", "x"},
                                            {"GIT_SSH_COMMAND", "id"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->proxies, (Environment{{"no_proxy", "10.0.0.0/8,.svc"}}));
}

}  // namespace
}  // namespace drover::agent::testing
