// The operator dies at its k-th write, for every k: before the write leaves, with its answer on the way, and after the
// answer. The next one finds everything on the API server, ends in the same state, and has disturbed no pod twice.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/log.h"
#include "story.h"

namespace drover::proof {
namespace {

using When = Death::When;

struct Ending {
  std::string trouble;
  std::string state;
  std::map<std::string, Effects> effects;
  std::string writes;  // see Door
};

Ending play(const Story& told, const Death& death) {
  PlayOptions options = options_of(told);
  options.death = death;
  Play play(options);
  Ending run;
  run.trouble = tell(play, told);
  run.state = play.final_state();
  run.effects = play.effects();
  play.kill();
  run.writes = play.writes();
  return run;
}

std::string text_of(const std::map<std::string, Effects>& effects) {
  std::string text;
  for (const auto& [node, effect] : effects) {
    text += fmt::format("{}: {} of {} driver pods deleted, {} evictions, {} deletes\n", node, effect.driver_deletes,
                        effect.driver_pods, effect.evictions, effect.deletes);
  }
  return text;
}

int cordons_in(const std::map<std::string, Effects>& effects) {
  int cordons = 0;
  for (const auto& [node, effect] : effects) cordons += effect.cordons;
  return cordons;
}

class Crash : public testing::TestWithParam<std::string> {};

// Which deaths are played: at every write all three (DROVER_CRASH_ALL) or one of them in turn (DROVER_CRASH_EACH), as
// scripts/proof says. By default a sample of each shape. DROVER_CRASH=k/v: that one alone; v is 0 (before), 1 (under
// way) or 2 (after).
class Choice {
 public:
  bool takes(int write, When when) const {
    if (!alone_.empty()) return name(write, when) == alone_;
    return all_ || (write % every_ == 0 && write / every_ % 3 == static_cast<int>(when));
  }
  static std::string name(int write, When when) { return fmt::format("{}/{}", write, static_cast<int>(when)); }

 private:
  static std::string variable(const char* name) {
    const char* text = std::getenv(name);
    return text == nullptr ? "" : text;
  }
  std::string alone_ = variable("DROVER_CRASH");
  bool all_ = !variable("DROVER_CRASH_ALL").empty();
  int every_ = variable("DROVER_CRASH_EACH").empty() ? 8 : 1;
};

TEST_P(Crash, AtAnyWriteChangesNothing) {
  log::redirect([](std::string_view) {});
  const Choice choice;
  const Story told = story(GetParam());
  const Ending calm = play(told, {});
  ASSERT_TRUE(calm.trouble.empty()) << calm.trouble;
  int played = 0;
  for (int k = 1; k <= static_cast<int>(calm.writes.size()); ++k) {
    for (const When when : {When::Before, When::Underway, When::After}) {
      if (!choice.takes(k, when)) continue;
      const Ending run = play(told, {.write = k, .when = when});
      ++played;
      const std::string how =
          fmt::format("DROVER_CRASH={} test_proof --gtest_filter='*Crash*{}'", Choice::name(k, when), GetParam());
      ASSERT_TRUE(run.trouble.empty()) << how << "\n" << run.trouble;
      ASSERT_EQ(run.state, calm.state) << how;
      ASSERT_EQ(text_of(run.effects), text_of(calm.effects)) << how;
      // Fewer may be: an operator that starts during a pause cannot know that no pod was evicted, and keeps the cordon.
      ASSERT_LE(cordons_in(run.effects), cordons_in(calm.effects)) << how;
    }
  }
  EXPECT_GT(played, 0);
  RecordProperty("crashes", played);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, Crash,
    testing::Values("plain", "wait-too-long", "eviction", "drain-fallback", "budget-freed", "budget-forced",
                    "validation-failure", "image-missing", "pause", "pause-after-eviction", "retry", "version-put-back",
                    "policy-deleted", "policy-deleted-after-swap", "alone", "alone-budget", "alone-agent-dies",
                    "tenstorrent-plain", "tenstorrent-blocked", "tenstorrent-budget", "tenstorrent-pause",
                    "tenstorrent-policy-deleted", "tenstorrent-put-back", "tenstorrent-build-fails",
                    "tenstorrent-another-image", "acme-plain", "acme-budget", "acme-check-fails", "acme-skip-and-ask",
                    "tenstorrent-retry", "tenstorrent-load-fails", "tenstorrent-force", "tenstorrent-narrow",
                    "tenstorrent-pause-after-eviction", "together-plain", "together-pods", "together-policy-deleted"),
    [](const auto& info) {
      std::string name = info.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace drover::proof
