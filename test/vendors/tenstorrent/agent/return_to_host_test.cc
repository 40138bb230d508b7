// Handing a machine back to DKMS.
#include "vendors/tenstorrent/agent/return_to_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/virtual_loop.h"
#include "sim/nodes.h"
#include "sim/sim_host.h"

namespace drover::agent {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;

class OurHost {
 public:
  OurHost() { EXPECT_TRUE(machine.insert("tenstorrent", "2.8.0")); }

  // Nothing while it waits.
  std::optional<base::Result<void>> hand_back(base::Span at_most) {
    std::optional<base::Result<void>> outcome;
    const HandBack work(
        machine, loop, [this](std::string_view line) { lines.emplace_back(line); },
        [&](const base::Result<void>& result) { outcome = result; });
    loop.run_until([&] { return outcome.has_value(); }, at_most);
    return outcome;
  }

  base::Random random{5};
  base::VirtualLoop loop;
  sim::SimHost machine{sim::makeup_of(*sim::find_template("tenstorrent")), random};
  std::vector<std::string> lines;
};

TEST(HandBack, UnloadsOursAndWaitsForDkms) {
  OurHost host;
  EXPECT_FALSE(host.hand_back(10min));
  EXPECT_FALSE(host.machine.loaded_version("tenstorrent"));
  EXPECT_THAT(host.lines, Contains(HasSubstr("apt install --reinstall tenstorrent-dkms")));
  ASSERT_TRUE(host.machine.write("/var/lib/dkms/tenstorrent/2.6.0/source", "x"));
  EXPECT_FALSE(host.hand_back(10min)) << "installed, and not loaded yet";
  ASSERT_TRUE(host.machine.insert("tenstorrent", "2.6.0"));
  const auto outcome = host.hand_back(1min);
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(*outcome);
  EXPECT_EQ(host.machine.loaded_version("tenstorrent"), "2.6.0") << "the host's own is not ours to unload";
}

TEST(HandBack, RefusesWhileTheDeviceIsHeld) {
  OurHost host;
  ASSERT_TRUE(host.machine.open(host.machine.devices_of("tenstorrent").front(), "", "tt-smi"));
  const auto outcome = host.hand_back(1min);
  ASSERT_TRUE(outcome && !*outcome);
  EXPECT_THAT(outcome->error().message, HasSubstr("tt-smi"));
  EXPECT_EQ(host.machine.loaded_version("tenstorrent"), "2.8.0");
}

}  // namespace
}  // namespace drover::agent
