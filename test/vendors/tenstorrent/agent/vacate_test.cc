// Vacating a DKMS-managed host: the whole procedure, repeated, refused, and cut off anywhere.
#include "vendors/tenstorrent/agent/vacate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/virtual_loop.h"
#include "vendors/tenstorrent/agent/kmd_yard.h"

namespace drover::agent::testing {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DkmsHost {
 public:
  explicit DkmsHost(Death death = {}) : death_(death) {
    for (const char* path :
         {"/var/lib/dkms/tenstorrent/2.6.0/source", "/usr/src/tenstorrent-2.6.0/dkms.conf",
          "/usr/src/tenstorrent-2.5.0/Makefile", "/lib/modules/6.8.0-90-generic/updates/dkms/tenstorrent.ko.zst",
          "/lib/modules/6.8.0-90-generic/kernel/drivers/net/e1000.ko", "/usr/src/linux-headers/Makefile"})
      EXPECT_TRUE(machine.write(path, "x"));
    EXPECT_TRUE(machine.insert("tenstorrent", "2.6.0"));
  }

  base::Result<void> vacate() {
    is_dead_ = false;
    base::Result<void> outcome = base::fault(base::Fault::Kind::Unknown, "no answer");
    bool is_done = false;
    CountedMachine door(machine, [this](const std::string& operation) { return lives_on(operation); });
    {
      const Vacate work(
          door, loop, [this](std::string_view line) { lines.emplace_back(line); },
          [&](const base::Result<void>& result) {
            outcome = result;
            is_done = true;
          });
      loop.run_until([&] { return is_done || is_dead_; }, std::chrono::minutes(5));
    }
    return outcome;
  }
  bool is_clean() {
    return !machine.loaded_version("tenstorrent") && !machine.exists("/var/lib/dkms/tenstorrent") &&
           !machine.exists("/usr/src/tenstorrent-2.6.0") && !machine.exists("/usr/src/tenstorrent-2.5.0") &&
           !machine.exists("/lib/modules/6.8.0-90-generic/updates/dkms/tenstorrent.ko.zst");
  }

  base::Random random{5};
  base::VirtualLoop loop;
  sim::SimHost machine{sim::makeup_of(*sim::find_template("tenstorrent")), random};
  std::vector<std::string> lines;
  std::vector<std::string> counters;

 private:
  bool lives_on(const std::string& operation) {
    if (is_dead_) return false;
    counters.push_back(operation);
    if (static_cast<int>(counters.size()) != death_.at) return true;
    is_dead_ = true;
    return death_.after;
  }
  Death death_;
  bool is_dead_ = false;
};

TEST(Vacate, LeavesNoDriverNoDkmsAndNothingToLoadAndSaysSo) {
  DkmsHost host;
  const auto done = host.vacate();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(host.is_clean());
  EXPECT_EQ(host.lines.back(), "host vacated; operator can take over");
  EXPECT_TRUE(host.machine.exists("/lib/modules/6.8.0-90-generic/kernel/drivers/net/e1000.ko"));
  EXPECT_TRUE(host.machine.exists("/usr/src/linux-headers/Makefile"));
}

TEST(Vacate, ChangesNothingOnACleanHost) {
  DkmsHost host;
  ASSERT_TRUE(host.vacate());
  host.counters.clear();
  ASSERT_TRUE(host.vacate());
  for (const std::string& operation : host.counters)
    EXPECT_THAT(operation, ::testing::StartsWith("run /")) << operation;
}

TEST(Vacate, RefusesWhileTheDeviceIsHeldAndTouchesNothing) {
  DkmsHost host;
  const auto pid = host.machine.open("/dev/tenstorrent/1", "", "tt-telemetry");
  ASSERT_TRUE(pid);
  const auto refused = host.vacate();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(fmt::format("pid {} (tt-telemetry)", *pid)));
  EXPECT_THAT(host.counters, IsEmpty());
  EXPECT_EQ(host.machine.loaded_version("tenstorrent"), "2.6.0");
  host.machine.close(*pid);
  host.machine.set_fault(sim::HostFault::ModuleStuck, true);
  EXPECT_THAT(host.vacate().error().message, HasSubstr("1 references that no process explains"));
  host.machine.set_fault(sim::HostFault::ModuleStuck, false);
  EXPECT_TRUE(host.vacate());
}

TEST(Vacate, WarnsOfAPackageThatWouldBringItBack) {
  DkmsHost host;
  ASSERT_TRUE(host.machine.write("/var/lib/dpkg/info/tenstorrent-dkms.list", ""));
  EXPECT_TRUE(host.vacate());
  EXPECT_THAT(host.lines, Contains(HasSubstr("apt remove tenstorrent-dkms")));
}

TEST(Vacate, CutOffAnywhereItIsFinishedByTheNextRun) {
  DkmsHost usual;
  ASSERT_TRUE(usual.vacate());
  const int counters = static_cast<int>(usual.counters.size());
  ASSERT_GE(counters, 4);
  for (int at = 1; at <= counters; ++at) {
    for (const bool after : {false, true}) {
      DkmsHost host({.at = at, .after = after});
      static_cast<void>(host.vacate());
      EXPECT_TRUE(host.vacate()) << "cut off at " << usual.counters[static_cast<std::size_t>(at - 1)];
      EXPECT_TRUE(host.is_clean());
    }
  }
}

}  // namespace
}  // namespace drover::agent::testing
