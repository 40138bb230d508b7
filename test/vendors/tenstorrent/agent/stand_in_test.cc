// The flash on a real machine's terms: programs that are started, signals, pipes, exit codes, files. tt-flash and
// tt-smi are scripts (stand_in/) below a root of the test.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "kube/http_api.h"
#include "vendors/tenstorrent/agent/firmware_yard.h"

namespace drover::agent::testing {
namespace {

namespace fs = std::filesystem;
using protocol::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

class StandIn : public ::testing::Test {
 protected:
  StandIn() {
    fs::create_directories(root + "/opt/tt/bin");
    fs::create_directories(root + "/proc");
    for (const char* name : {"tt-flash", "tt-smi"})
      fs::copy_file(std::string("test/vendors/tenstorrent/agent/stand_in/") + name, root + "/opt/tt/bin/" + name);
    file("/proc/sys/kernel/random/boot_id", "boot-1\n");
    const std::string chip = "/sys/bus/pci/devices/0000:01:00.0";
    file(chip + "/vendor", "0x1e52\n");
    file(chip + "/class", "0x120000\n");
    file(chip + "/subsystem_device", "0x0014\n");
    file(chip + "/tenstorrent/tenstorrent!0/tt_fw_bundle_ver", "19.8.0.0\n");
    fs::create_symlink("../../drivers/tenstorrent", root + chip + "/driver");
    file("/state/shown", root + chip + "/tenstorrent/tenstorrent!0/tt_fw_bundle_ver\n");
    file("/state/stored", "19.8.0.0\n");
    file("/state/running", "19.8.0.0\n");
    const auto url = *vendors::parse_bundle_url("https://example.com/b");
    EXPECT_TRUE(host.make_folder(std::string(vendors::kFirmwareFolder) + "/part"));
    EXPECT_TRUE(host.append(bundle_part(url), make_bundle()));
    EXPECT_TRUE(keep_bundle(host, url));
  }
  ~StandIn() override { fs::remove_all(root); }

  void file(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string text(const std::string& path) { return host.read(path).value_or(""); }

  protocol::Verdict flash(const std::string& plays) {
    file("/state/plays", plays);
    const auto settings = read_flash_settings({{"DROVER_CLAIM", "claim-1"},
                                               {"DROVER_BOOT_ID", "boot-1"},
                                               {"DROVER_TARGET", "19.9.0.0#0"},
                                               {"TT_FW_BUNDLE_URL", "https://example.com/b"}});
    EXPECT_TRUE(settings);
    std::string told;
    Flasher flasher(*settings, {.host = host,
                                .api = api,
                                .loop = loop,
                                .random = base::Random(1),
                                .say =
                                    [&](std::string_view line) {
                                      lines.emplace_back(line);
                                      on_line(flasher_, line);
                                    },
                                .exit = [&](int) { loop.stop(); },
                                .tell_verdict = [&](std::string_view verdict) { told = verdict; }});
    flasher_ = &flasher;
    flasher.start();
    loop.run();
    const auto verdict = protocol::parse_verdict(told);
    EXPECT_TRUE(verdict) << told;
    return verdict.value_or(protocol::Verdict());
  }

  class NoApi final : public kube::Api {
   public:
    kube::Call call(kube::Request, Answer) override { return {}; }
    kube::Call list(kube::ListRequest, kube::ListSink) override { return {}; }
    kube::Call watch(kube::WatchRequest, kube::WatchSink) override { return {}; }
  };

  std::string root = ::testing::TempDir() + "stand-in-" + std::to_string(::getpid());
  kube::AsioLoop loop;
  host::LinuxHost host{root};
  NoApi api;
  Flasher* flasher_ = nullptr;
  std::vector<std::string> lines;
  std::function<void(Flasher*, std::string_view)> on_line = [](Flasher*, std::string_view) {};
};

TEST_F(StandIn, IsRunInASessionOfItsOwnWithTheBundleOfTheCache) {
  const auto verdict = flash("good");
  EXPECT_EQ(verdict.outcome, Outcome::Done) << verdict.message;
  EXPECT_THAT(text("/state/runs"), HasSubstr("--no-color --no-tty flash --fw-tar /var/lib/drover/"));
  EXPECT_EQ(text("/state/session"), "own session\n");
  EXPECT_THAT(text("/state/smi-runs"), Not(HasSubstr("-r")));
}

TEST_F(StandIn, IsRunOnceAndOnlyReadThen) {
  EXPECT_EQ(flash("good").outcome, Outcome::Done);
  EXPECT_EQ(flash("good").outcome, Outcome::Done);
  const std::string runs = text("/state/runs");
  EXPECT_EQ(std::count(runs.begin(), runs.end(), '\n'), 1);
}

TEST_F(StandIn, EndsByItselfAfterSigterm) {
  ASSERT_EQ(::mkfifo((root + "/state/go").c_str(), 0600), 0);
  // Open for both ends, so that nobody waits for the other.
  const int go = ::open((root + "/state/go").c_str(), O_RDWR | O_CLOEXEC);
  on_line = [&](Flasher* flasher, std::string_view line) {
    if (line != "tt-flash: writing") return;
    flasher->terminate();
    EXPECT_EQ(::write(go, "on\n", 3), 3);
  };
  const auto verdict = flash("waits");
  ::close(go);
  EXPECT_EQ(verdict.outcome, Outcome::Done) << verdict.message;
  EXPECT_THAT(text("/state/smi-runs"), Not(HasSubstr("-r")));
}

TEST_F(StandIn, IsNotFollowedByAResetWhereItFailedOrWasKilled) {
  for (const char* plays : {"fails-before", "second-verification", "killed"}) {
    EXPECT_TRUE(host.remove(flash_journal_path()));
    const auto verdict = flash(plays);
    EXPECT_EQ(verdict.outcome, Outcome::Failed) << plays << ": " << verdict.message;
    EXPECT_THAT(text("/state/smi-runs"), Not(HasSubstr("-r"))) << plays;
  }
}

TEST_F(StandIn, IsFollowedByOneResetWhereOnlyThatIsMissing) {
  for (const char* plays : {"fails-in-reset", "no-reset"}) {
    EXPECT_TRUE(host.remove(flash_journal_path()));
    for (const char* name : {"stored", "running"}) file(std::string("/state/") + name, "19.8.0.0\n");
    const auto verdict = flash(plays);
    EXPECT_EQ(verdict.outcome, Outcome::Done) << plays << ": " << verdict.message;
  }
  const std::string runs = text("/state/smi-runs");
  EXPECT_EQ(runs, "-s\n-s\n-r\n-s\n-s\n-s\n-r\n-s\n");
}

TEST_F(StandIn, IsNotBelievedWhenItSaysSuccess) {
  const auto verdict = flash("no-write");
  EXPECT_EQ(verdict.outcome, Outcome::Mismatch);
  EXPECT_THAT(verdict.message, HasSubstr("19.8.0.0"));
}

TEST_F(StandIn, IsNotStartedWhereItsInterpreterIsMissing) {
  file("/opt/tt/bin/tt-flash", "#!/opt/tt/bin/no-python\n");
  EXPECT_EQ(flash("good").outcome, Outcome::NotBegun);
  EXPECT_FALSE(host.exists(flash_journal_path()));
}

}  // namespace
}  // namespace drover::agent::testing
