// The operator dies at its k-th write, for every k: before the write leaves, with its answer on the way, and after the
// answer. The next one finds everything on the API server, ends in the same state, and has disturbed nobody twice.
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
  Play play({.nodes = told.nodes, .checker = {.slack = std::chrono::seconds(4)}, .death = death});
  Ending run;
  run.trouble = tell(play, told);
  run.state = play.final_state();
  run.effects = play.checker->effects();
  play.kill();
  run.writes = play.writes();
  return run;
}

std::string text_of(const std::map<std::string, Effects>& effects) {
  std::string text;
  for (const auto& [node, effect] : effects) {
    text += fmt::format("{}: {} driver pods, {} evictions, {} deletes\n", node, effect.driver_deletes, effect.evictions,
                        effect.deletes);
  }
  return text;
}

int cordons_in(const std::map<std::string, Effects>& effects) {
  int cordons = 0;
  for (const auto& [node, effect] : effects) cordons += effect.cordons;
  return cordons;
}

class Crash : public testing::TestWithParam<std::string> {};

TEST_P(Crash, AtAnyWriteChangesNothing) {
  log::redirect([](std::string_view) {});
  const bool thorough = std::getenv("DROVER_CRASH_ALL") != nullptr;
  if (!thorough && GetParam() != "plain") GTEST_SKIP() << "takes minutes: make soak plays it";
  const Story told = story(GetParam());
  const Ending calm = play(told, {});
  ASSERT_TRUE(calm.trouble.empty()) << calm.trouble;
  // DROVER_CRASH=k/v plays one death alone: v is 0 (before), 1 (under way) or 2 (after).
  const char* alone = std::getenv("DROVER_CRASH");
  int played = 0;
  for (int k = 1; k <= static_cast<int>(calm.writes.size()); ++k) {
    // Nothing depends on an Event or a status that was not written: of those a few deaths are enough.
    const bool is_minor = !thorough && calm.writes[static_cast<std::size_t>(k - 1)] == 'e';
    if (!thorough && alone == nullptr && k % 4 != 0) continue;
    for (const When when : {When::Before, When::Underway, When::After}) {
      if (is_minor && alone == nullptr && when != When::Before) continue;
      const std::string which = fmt::format("{}/{}", k, static_cast<int>(when));
      if (alone != nullptr && which != alone) continue;
      const Ending run = play(told, {.write = k, .when = when});
      ++played;
      const std::string how = fmt::format("DROVER_CRASH={} test_proof --gtest_filter='*Crash*{}'", which, GetParam());
      ASSERT_TRUE(run.trouble.empty()) << how << "\n" << run.trouble;
      ASSERT_EQ(run.state, calm.state) << how;
      ASSERT_EQ(text_of(run.effects), text_of(calm.effects)) << how;
      // Fewer may be: whoever starts during a pause cannot know that nobody was evicted, and keeps the cordon.
      ASSERT_LE(cordons_in(run.effects), cordons_in(calm.effects)) << how;
    }
  }
  RecordProperty("crashes", played);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Crash,
                         testing::Values("plain", "wait-too-long", "eviction", "drain-fallback", "budget-freed",
                                         "budget-forced", "validation-failure", "image-missing", "pause",
                                         "pause-after-eviction", "retry", "version-put-back", "policy-deleted",
                                         "policy-deleted-after-swap"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace drover::proof
