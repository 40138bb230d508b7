// Hostile words and files that got past the API server's rules: what comes of them in the agent. The rules themselves
// are asked in test/real/chart_test.sh, the system calls under it in test/host/linux_files_test.cc.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/fingerprint.h"
#include "host/linux_host.h"
#include "vendors/tenstorrent/agent/kmd_cache.h"
#include "vendors/tenstorrent/agent/kmd_yard.h"

namespace drover::agent::testing {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// No versions: commands, paths, options, too long, with a NUL, with a newline, look-alikes.
const std::vector<std::string>& no_versions() {
  static const std::vector<std::string> kWords = {"1.2;rm -rf /",
                                                  "$(id)",
                                                  "`id`",
                                                  "../../etc",
                                                  "-oProxyCommand=x",
                                                  "-2.8.0",
                                                  std::string(300, '1') + ".0.0",
                                                  std::string("2.8.0\0", 6),
                                                  "2.8.0\n",
                                                  "2.8.0\nLD_PRELOAD=x",
                                                  "2․8․0",
                                                  "２.８.０",
                                                  "2.8.0 --upload-pack=id"};
  return kWords;
}

TEST(Hostile, AnEnvironmentWithSuchAVersionIsRefusedByTheNameOfTheVariable) {
  for (const std::string& version : no_versions()) {
    const auto settings = read_load_settings(
        {{"NODE_NAME", "n"}, {"POD_UID", "p"}, {"DRIVER_CONFIG_DIGEST", "d"}, {"TT_KMD_VERSION", version}});
    ASSERT_FALSE(settings) << version;
    EXPECT_THAT(settings.error().message, HasSubstr("TT_KMD_VERSION"));
    EXPECT_THAT(settings.error().message, Not(HasSubstr("\n"))) << "one line in a log";
  }
}

TEST(Hostile, AnOrderToPrepareSuchAVersionStartsNothingAndIsReported) {
  for (const std::string& version : no_versions()) {
    KmdYard yard;
    ASSERT_TRUE(yard.machine->insert("tenstorrent", "2.7.0"));
    yard.start_pod("2.7.0");
    ASSERT_TRUE(yard.settles_at("2.7.0"));
    yard.order({.id = "", .target = "digest-2.8.0", .prepare = version});
    yard.world.run_for(10min);
    EXPECT_TRUE(yard.report().cannot_prepare || yard.report().prepared.empty()) << version;
    EXPECT_NE(yard.report().prepared, version);
    EXPECT_THAT(yard.commands, IsEmpty()) << version;
    EXPECT_TRUE(yard.serves("2.7.0")) << version;
  }
}

TEST(Hostile, TheCacheTakesNoSuchWordForAPartOfAPath) {
  base::Random random(1);
  sim::SimHost machine(sim::makeup_of(*sim::find_template("tenstorrent")), random);
  std::vector<KmdKey> keys;
  for (const std::string& word : no_versions()) keys.push_back({kKernel, word});
  for (const char* kernel : {"../../etc", "a/b", "", ".", "-6.8", "6.8\n", "6.8 x"}) keys.push_back({kernel, "2.8.0"});
  for (const KmdKey& key : keys) {
    EXPECT_EQ(find_kmd(machine, key).error().kind, Fault::Kind::Refused) << key.kernel << " " << key.version;
    EXPECT_EQ(make_bench(machine, key).error().kind, Fault::Kind::Refused) << key.kernel << " " << key.version;
    EXPECT_EQ(quarantine_kmd(machine, key).error().kind, Fault::Kind::Refused) << key.kernel << " " << key.version;
    EXPECT_EQ(keep_kmd(machine, key, "/x", "y").error().kind, Fault::Kind::Refused) << key.kernel << " " << key.version;
    EXPECT_FALSE(has_kmd(machine, key));
  }
}

// What the pod's environment holds besides reaches neither program, and of git's own switches only ours are set.
TEST(Hostile, OfThePodsEnvironmentOnlyProxiesReachGitAndNothingReachesMake) {
  KmdYard yard;
  yard.more = {{"LD_PRELOAD", "/tmp/evil.so"}, {"GIT_SSH_COMMAND", "id"},  {"GIT_CONFIG_COUNT", "1"},
               {"MAKEFLAGS", "--eval=x"},      {"CC", "/tmp/evil"},        {"BASH_ENV", "/tmp/evil"},
               {"HTTPS_PROXY", "http://p:1"},  {"KUBERNETES_TOKEN", "abc"}};
  yard.start_pod("2.7.0");
  ASSERT_TRUE(yard.settles_at("2.7.0"));
  ASSERT_EQ(yard.commands.size(), 2U);
  EXPECT_EQ(yard.commands[0].environment, (Environment{{"GIT_ALLOW_PROTOCOL", "https"},
                                                       {"GIT_CONFIG_NOSYSTEM", "1"},
                                                       {"GIT_CONFIG_GLOBAL", "/dev/null"},
                                                       {"GIT_TERMINAL_PROMPT", "0"},
                                                       {"HOME", "/nonexistent"},
                                                       {"HTTPS_PROXY", "http://p:1"}}));
  EXPECT_THAT(yard.commands[1].environment, IsEmpty());
  const std::vector<std::string>& git = yard.commands[0].args;
  const auto end = std::find(git.begin(), git.end(), "--");
  ASSERT_EQ(git.end() - end, 3) << "the source and the folder, and nothing else, come after --";
  for (auto word = end + 1; word != git.end(); ++word) EXPECT_FALSE(word->starts_with("-")) << *word;
}

// ---- the cache, on a real file system

class PlantedCache : public ::testing::Test {
 protected:
  static constexpr const char* kKo = "/var/cache/tt-kmd/6.8/2.8.0/tenstorrent.ko";
  static constexpr const char* kEntry = "/var/cache/tt-kmd/6.8/2.8.0";
  const KmdKey key{"6.8", "2.8.0"};
  std::string root = ::testing::TempDir() + "planted-" + std::to_string(getpid()) + "-" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  int loads = 0;
  host::LinuxHost host{root, host::Kernel{.load_module =
                                              [this](int, const std::string&, int) {
                                                ++loads;
                                                return 0;
                                              },
                                          .unload_module = [](const std::string&) { return 0; },
                                          .signal = [](int, int) { return 0; },
                                          .restart = [] { return 0; }}};

  void SetUp() override {
    fs::remove_all(root);
    fs::create_directories(root);
    ASSERT_TRUE(host.make_folder(kEntry));
    file(kKo, "the module");
    file(std::string(kEntry) + "/manifest.json",
         fmt::format(R"({{"v":1,"kernel":"6.8","machine":"{}","version":"2.8.0","source":"s","sha256":"{}"}})",
                     host.machine(), host::Fingerprint::of("the module")));
    ASSERT_TRUE(find_kmd(host, key)) << find_kmd(host, key).error().message;
  }
  void TearDown() override { fs::remove_all(root); }
  void file(const std::string& path, const std::string& text) {
    std::ofstream(root + path) << text;
    ASSERT_EQ(::chmod((root + path).c_str(), 0600), 0);
  }
  // Neither found nor loaded; and when it is put aside, what it pointed to stays.
  void expect_unused(const std::string& why) {
    const auto found = find_kmd(host, key);
    ASSERT_FALSE(found) << why;
    EXPECT_EQ(found.error().kind, Fault::Kind::Malformed) << why;
    EXPECT_FALSE(
        host.load_verified({std::string(kKmdCache), "6.8/2.8.0/tenstorrent.ko"}, host::Fingerprint::of("the module")))
        << why;
    EXPECT_EQ(loads, 0) << why;
    EXPECT_TRUE(quarantine_kmd(host, key)) << why;
    EXPECT_FALSE(host.exists(kEntry)) << why;
  }
};

TEST_F(PlantedCache, ALinkInPlaceOfTheModuleIsNotFollowed) {
  file("/elsewhere.ko", "the module");
  fs::remove(root + kKo);
  fs::create_symlink(root + "/elsewhere.ko", root + kKo);
  expect_unused("a link");
  EXPECT_TRUE(fs::exists(root + "/elsewhere.ko"));
}

TEST_F(PlantedCache, ALinkInPlaceOfTheEntryIsNotFollowed) {
  fs::rename(root + kEntry, root + "/elsewhere");
  fs::create_directory_symlink(root + "/elsewhere", root + kEntry);
  expect_unused("a link to a whole entry");
  EXPECT_TRUE(fs::exists(root + "/elsewhere/tenstorrent.ko"));
}

TEST_F(PlantedCache, AModuleWithASecondNameIsNotUsed) {
  fs::create_hard_link(root + kKo, root + "/second-name");
  expect_unused("a hard link");
}

TEST_F(PlantedCache, AModuleThatOthersMayWriteIsNotUsed) {
  ASSERT_EQ(::chmod((root + kKo).c_str(), 0666), 0);
  expect_unused("a world-writable file");
}

TEST_F(PlantedCache, AnEntryThatOthersMayWriteIsNotUsed) {
  ASSERT_EQ(::chmod((root + kEntry).c_str(), 0777), 0);
  expect_unused("a world-writable folder");
}

TEST_F(PlantedCache, AModuleWithAnotherFingerprintIsNotUsed) {
  file(kKo, "another one");
  // Even if it is asked for by the fingerprint that it should have.
  expect_unused("another file");
}

// ---- between the check and the load

TEST(Hostile, AModuleThatWasExchangedAfterItsCheckCostsTheNodeNothing) {
  KmdYard yard;
  make_upgrade(yard);
  ASSERT_TRUE(yard.comes_to([&] { return yard.wants_load(); }));
  ASSERT_TRUE(
      yard.machine->write(entry("2.8.0") + "/tenstorrent.ko", sim::SimHost::module_text("evil", "2.8.0", "", kKernel)));
  bool was_away = false;
  yard.machine->on_run = [&](const host::Command&) { was_away = was_away || !yard.loaded(); };
  yard.permit("2.8.0");
  EXPECT_TRUE(yard.settles_at("2.8.0"));
  EXPECT_FALSE(yard.machine->loaded_version("evil"));
  EXPECT_FALSE(was_away) << "it is built again while the old driver serves";
  EXPECT_TRUE(yard.log.said("it is put aside and built again"));
}

}  // namespace
}  // namespace drover::agent::testing
