// Tenstorrent's flow with an operator that dies at its k-th write, for every k, as crash_test.cc does it for NVIDIA's:
// the next one ends in the same state and has disturbed nobody twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "base/log.h"
#include "tenstorrent_play.h"

namespace drover::proof {
namespace {

using namespace std::chrono_literals;
using When = Death::When;

constexpr std::string_view kDevice = R"(, "volumes": [{"name": "tt", "hostPath": {"path": "/dev/tenstorrent/0"}}])";
constexpr std::string_view kFirst = "tenstorrent-1";

struct Tale {
  std::string name;
  std::string spec;  // of the first policy, further members
  std::function<void(TenstorrentPlay&)> tell;
};

void begin(TenstorrentPlay& play, const std::string& spec) {
  play.ask(kube::create(operate::testing::kDriverPolicies, "", operate::testing::driver_policy("2.7.0", spec)));
  play.rise();
  EXPECT_TRUE(play.run_until_loaded("2.7.0")) << play.told();
  play.world.run_for(1min);
}

const std::vector<Tale>& tales() {
  static const std::vector<Tale> kTales = {
      {"Upgrade", "",
       [](TenstorrentPlay& play) {
         play.run_work("train", 2, kDevice);
         play.run_work("web", 2);
         play.want("2.8.0");
         play.run_until_loaded("2.8.0");
       }},
      {"Blocked", "",
       [](TenstorrentPlay& play) {
         const int pid = play.hold_device(std::string(kFirst));
         play.want("2.8.0");
         play.world.run_for(10min);
         play.kubelets.host(std::string(kFirst))->close(pid);
         play.run_until_loaded("2.8.0");
       }},
      {"Budget", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 60}})",
       [](TenstorrentPlay& play) {
         play.run_work("train", 2, kDevice);
         play.create_budget("train", 2);
         play.want("2.8.0");
         play.world.run_for(20min);
       }},
      {"Pause", "",
       [](TenstorrentPlay& play) {
         play.patch(R"({"spec": {"paused": true}})");
         play.want("2.8.0");
         play.world.run_for(5min);
         play.patch(R"({"spec": {"paused": false}})");
         play.run_until_loaded("2.8.0");
       }},
      {"PolicyGoes", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 0}})",
       [](TenstorrentPlay& play) {
         play.run_work("train", 2, kDevice);
         play.create_budget("train", 2);
         play.want("2.8.0");
         play.world.run_for(5min);
         play.ask(kube::remove(operate::testing::kDriverPolicies, "", "default", ""));
         play.world.run_for(5min);
       }},
      {"PutBack", R"(, "upgradePolicy": {"drain": {"timeoutSeconds": 0}})",
       [](TenstorrentPlay& play) {
         play.run_work("train", 2, kDevice);
         play.create_budget("train", 2);
         play.want("2.8.0");
         play.world.run_for(5min);
         play.want("2.7.0");
         play.world.run_for(5min);
       }},
      {"BuildFails", "",
       [](TenstorrentPlay& play) {
         play.kubelets.host(std::string(kFirst))->set_luck(sim::HostLuck::MakeFails, true);
         play.want("2.8.0");
         play.world.run_for(15min);
         play.kubelets.host(std::string(kFirst))->set_luck(sim::HostLuck::MakeFails, false);
         play.run_until_loaded("2.8.0");
       }},
      {"AnotherImage", "",
       [](TenstorrentPlay& play) {
         play.patch(R"({"spec": {"installer": {"image": "drover:2"}}})");
         play.world.run_for(10min);
       }},
  };
  return kTales;
}

struct TaleEnding {
  std::string trouble;
  std::string state;
  std::string writes;
};

TaleEnding play(const Tale& tale, const Death& death) {
  TenstorrentPlay play(2, 1, death);
  begin(play, tale.spec);
  tale.tell(play);
  play.comes_to_rest();
  play.check_at_rest();
  TaleEnding ending{.trouble = {}, .state = play.ending(), .writes = {}};
  for (const std::string& breach : play.breaches()) ending.trouble += breach + "\n";
  for (const std::string& trouble : play.troubles) ending.trouble += trouble + "\n";
  if (!ending.trouble.empty()) ending.trouble += play.chronicle();
  play.fall();
  ending.writes = play.writes();
  return ending;
}

class TenstorrentCrash : public ::testing::TestWithParam<Tale> {};

// By default a sample; DROVER_CRASH_ALL: all three deaths at every write; DROVER_CRASH=k/v: that one alone.
bool is_chosen(int write, When when) {
  const char* alone = std::getenv("DROVER_CRASH");
  if (alone != nullptr) return fmt::format("{}/{}", write, static_cast<int>(when)) == alone;
  if (std::getenv("DROVER_CRASH_ALL") != nullptr) return true;
  constexpr int kEvery = 8;
  return write % kEvery == 0 && write / kEvery % 3 == static_cast<int>(when);
}

TEST_P(TenstorrentCrash, AtAnyWriteChangesNothing) {
  log::redirect([](std::string_view) {});
  const TaleEnding calm = play(GetParam(), {});
  ASSERT_EQ(calm.trouble, "");
  int played = 0;
  for (int write = 1; write <= static_cast<int>(calm.writes.size()); ++write) {
    for (const When when : {When::Before, When::Underway, When::After}) {
      if (!is_chosen(write, when)) continue;
      const TaleEnding run = play(GetParam(), {.write = write, .when = when});
      ++played;
      const std::string how = fmt::format("DROVER_CRASH={}/{} ({})", write, static_cast<int>(when), GetParam().name);
      ASSERT_EQ(run.trouble, "") << how;
      ASSERT_EQ(run.state, calm.state) << how;
    }
  }
  EXPECT_GT(played, 0);
}

INSTANTIATE_TEST_SUITE_P(Tales, TenstorrentCrash, ::testing::ValuesIn(tales()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace drover::proof
