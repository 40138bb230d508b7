// Folders and large files of a real machine, and modules that are loaded only if they are the bytes we know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/text.h"
#include "host/fingerprint.h"
#include "host/linux_host.h"

namespace drover::host {
namespace {

namespace fs = std::filesystem;
using base::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kShaOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

class Files : public ::testing::Test {
 protected:
  std::string root = ::testing::TempDir() + "files-" + std::to_string(getpid()) + "-" +
                     ::testing::UnitTest::GetInstance()->current_test_info()->name();
  std::vector<std::string> loaded;  // what the kernel read from the descriptor
  std::function<void()> before_load = [] {};
  LinuxHost host{root, Kernel{.load_module =
                                  [this](int fd, const std::string&, int) {
                                    before_load();
                                    char bytes[64];
                                    const auto size = ::pread(fd, bytes, sizeof bytes, 0);
                                    loaded.emplace_back(bytes, static_cast<std::size_t>(size < 0 ? 0 : size));
                                    return 0;
                                  },
                              .unload_module = [](const std::string&) { return 0; },
                              .signal = [](int, int) { return 0; },
                              .restart = [] { return 0; }}};
  const Inside module{"/cache", "6.8/2.8.0/tenstorrent.ko"};

  void SetUp() override {
    fs::remove_all(root);
    fs::create_directories(root);
    ASSERT_TRUE(host.make_folder("/cache/6.8/2.8.0"));
    file(module.whole(), "abc");
  }
  void TearDown() override { fs::remove_all(root); }
  void file(const std::string& path, const std::string& text, unsigned mode = 0600) {
    std::ofstream(root + path) << text;
    ASSERT_EQ(::chmod((root + path).c_str(), mode), 0);
  }
};

TEST_F(Files, GrowByPiecesAndTellTheirSize) {
  EXPECT_EQ(host.size("/cache/part").error().kind, Fault::Kind::NotFound);
  ASSERT_TRUE(host.append("/cache/part", "one"));
  ASSERT_TRUE(host.append("/cache/part", "two"));
  EXPECT_EQ(host.size("/cache/part"), 6u);
  EXPECT_EQ(host.read("/cache/part"), "onetwo");
  ASSERT_EQ(::symlink("/etc/hostname", (root + "/cache/link").c_str()), 0);
  EXPECT_FALSE(host.append("/cache/link", "x"));
}

TEST_F(Files, AreReadInPiecesOnlyWhereNobodyElseCouldHaveWrittenThem) {
  std::string read;
  const auto take = [&](std::string_view piece) {
    read += piece;
    return Result<void>();
  };
  ASSERT_TRUE(host.read_in_pieces(module, take));
  EXPECT_EQ(read, "abc");
  const auto stop = [](std::string_view) -> Result<void> { return base::fault(Fault::Kind::Malformed, "enough"); };
  EXPECT_EQ(host.read_in_pieces(module, stop).error().message, "enough");
  ASSERT_EQ(::chmod((root + module.whole()).c_str(), 0666), 0);
  EXPECT_EQ(host.read_in_pieces(module, take).error().kind, Fault::Kind::Refused);
}

TEST_F(Files, AreLockedForOneAtATime) {
  auto first = host.lock("/cache/lock");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(host.lock("/cache/lock").error().kind, Fault::Kind::Conflict);
  first->reset();
  EXPECT_TRUE(host.lock("/cache/lock"));
}

TEST_F(Files, FingerprintIsSha256) {
  EXPECT_EQ(Fingerprint::of("abc"), kShaOfAbc);
  EXPECT_EQ(host.fingerprint(module).value_or(""), kShaOfAbc);
}

TEST_F(Files, FoldersAreOursOnly) {
  struct stat facts{};
  ASSERT_EQ(::stat((root + "/cache/6.8").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
}

TEST_F(Files, LoadsTheVeryBytesThatWereHashed) {
  ASSERT_TRUE(host.load_verified(module, kShaOfAbc));
  EXPECT_THAT(loaded, ElementsAre("abc"));
  // Another file is put in its place between the hash and the load.
  before_load = [&] {
    file("/cache/evil", "evil");
    fs::rename(root + "/cache/evil", root + module.whole());
  };
  ASSERT_TRUE(host.load_verified(module, kShaOfAbc));
  EXPECT_EQ(loaded.back(), "abc");
}

TEST_F(Files, LoadsNothingThatIsNotWhatWasBuilt) {
  file(module.whole(), "abd");
  EXPECT_EQ(host.load_verified(module, kShaOfAbc).error().kind, Fault::Kind::Malformed);
  EXPECT_EQ(host.load_verified(module, "").error().kind, Fault::Kind::Malformed);
  EXPECT_THAT(loaded, IsEmpty());
}

TEST_F(Files, FollowsNoLinkBelowItsFolder) {
  file("/elsewhere.ko", "abc");
  fs::remove(root + module.whole());
  fs::create_symlink(root + "/elsewhere.ko", root + module.whole());
  EXPECT_THAT(host.load_verified(module, kShaOfAbc).error().message, HasSubstr("a link on the way"));
  fs::remove_all(root + "/cache/6.8");
  fs::create_directories(root + "/other/2.8.0");
  file("/other/2.8.0/tenstorrent.ko", "abc");
  fs::create_directory_symlink(root + "/other", root + "/cache/6.8");
  EXPECT_THAT(host.load_verified(module, kShaOfAbc).error().message, HasSubstr("a link on the way"));
  EXPECT_EQ(host.load_verified({"/cache", "../elsewhere.ko"}, kShaOfAbc).error().kind, Fault::Kind::Refused);
  EXPECT_THAT(loaded, IsEmpty());
}

TEST_F(Files, RefusesWhatOthersCouldHaveWritten) {
  ASSERT_EQ(::chmod((root + module.whole()).c_str(), 0622), 0);
  EXPECT_EQ(host.fingerprint(module).error().kind, Fault::Kind::Refused);
  ASSERT_EQ(::chmod((root + module.whole()).c_str(), 0600), 0);
  ASSERT_EQ(::chmod((root + "/cache").c_str(), 0777), 0);
  EXPECT_EQ(host.fingerprint(module).error().kind, Fault::Kind::Refused);
  ASSERT_EQ(::chmod((root + "/cache").c_str(), 0755), 0);
  ASSERT_EQ(::chmod((root + "/cache/6.8").c_str(), 0777), 0);
  EXPECT_EQ(host.fingerprint(module).error().kind, Fault::Kind::Refused);
  ASSERT_EQ(::chmod((root + "/cache/6.8").c_str(), 0755), 0);
  fs::create_hard_link(root + module.whole(), root + "/second-name");
  EXPECT_EQ(host.fingerprint(module).error().kind, Fault::Kind::Refused);
  fs::remove(root + "/second-name");
  EXPECT_TRUE(host.fingerprint(module));
}

TEST_F(Files, AFolderIsMovedWholeAndNotOverAnother) {
  ASSERT_TRUE(host.rename("/cache/6.8/2.8.0", "/cache/moved"));
  EXPECT_EQ(host.read("/cache/moved/tenstorrent.ko").value_or(""), "abc");
  ASSERT_TRUE(host.make_folder("/cache/full/of"));
  EXPECT_FALSE(host.rename("/cache/moved", "/cache/full"));
  EXPECT_EQ(host.rename("/cache/nothing", "/cache/x").error().kind, Fault::Kind::NotFound);
}

TEST_F(Files, ACopyReplacesWhatIsThereAtOnceWithItsMode) {
  file("/new", "the new one");
  file("/old", "the old one");
  const std::ifstream reader(root + "/old");  // who has the old one open keeps it
  ASSERT_TRUE(host.copy("/new", "/old", 0755));
  std::string text;
  std::getline(const_cast<std::ifstream&>(reader), text);
  EXPECT_EQ(text, "the old one");
  EXPECT_EQ(host.read("/old").value_or(""), "the new one");
  struct stat facts{};
  ASSERT_EQ(::stat((root + "/old").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0755U);
  EXPECT_FALSE(host.exists("/.old.new"));
  EXPECT_EQ(host.copy("/nothing", "/old", 0755).error().kind, Fault::Kind::NotFound);
}

TEST_F(Files, RemovesATreeAndNotWhatItsLinksPointTo) {
  file("/precious", "x");
  fs::create_symlink(root + "/precious", root + "/cache/6.8/link");
  ASSERT_TRUE(host.remove_tree("/cache"));
  EXPECT_FALSE(host.exists("/cache"));
  EXPECT_TRUE(host.exists("/precious"));
  EXPECT_TRUE(host.remove_tree("/cache"));
}

TEST_F(Files, FindsFilesByTheBeginningOfTheirNames) {
  file("/cache/6.8/tenstorrent.ko.zst", "x");
  file("/cache/6.8/other.ko", "x");
  fs::create_directory_symlink(root + "/cache", root + "/cache/loop");
  EXPECT_THAT(*host.find("/cache", "tenstorrent.ko"),
              ElementsAre("/cache/6.8/2.8.0/tenstorrent.ko", "/cache/6.8/tenstorrent.ko.zst"));
  EXPECT_EQ(host.find("/nowhere", "x").error().kind, Fault::Kind::NotFound);
}

TEST_F(Files, TellsTheSpaceAlsoWhereNothingIsYet) {
  EXPECT_GT(host.free_bytes("/cache").value_or(0), 0U);
  EXPECT_GT(host.free_bytes("/cache/not/yet").value_or(0), 0U);
}

TEST_F(Files, ReadsOffAModuleWhatItIs) {
  using std::string_literals::operator""s;
  file("/a.ko", "\177ELF...\0license=GPL\0version=2.8.0\0vermagic=6.8.0-90-generic SMP preempt\0"s);
  const auto module_file = host.module_file("/a.ko");
  ASSERT_TRUE(module_file) << module_file.error().message;
  EXPECT_EQ(module_file->version, "2.8.0");
  EXPECT_EQ(module_file->kernel, "6.8.0-90-generic");
  file("/b.ko", "#!/bin/sh");
  EXPECT_EQ(host.module_file("/b.ko").error().kind, Fault::Kind::Malformed);
  file("/c.ko", "\177ELF...\0"s);
  EXPECT_EQ(host.module_file("/c.ko").error().kind, Fault::Kind::Malformed);
  EXPECT_EQ(module_word("\0version=", "version"), "");
}

TEST_F(Files, NamesAProcessByItsNumber) {
  fs::create_directories(root + "/proc/77");
  file("/proc/77/comm", "train\n");
  file("/proc/77/cgroup", "0::/kubepods/besteffort/pod11111111-2222-3333-4444-555555555555/abc\n");
  const auto process = host.process(77);
  ASSERT_TRUE(process);
  EXPECT_EQ(process->command, "train");
  EXPECT_EQ(process->pod_uid, "11111111-2222-3333-4444-555555555555");
  EXPECT_EQ(host.process(78).error().kind, Fault::Kind::NotFound);
}

}  // namespace
}  // namespace drover::host
