// The proof of the proof: every deliberate bug is caught, by the promise that it breaks.
#include "bugs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/log.h"
#include "story.h"

namespace drover::proof {
namespace {

class DeliberateBug : public testing::TestWithParam<Bug> {};

TEST_P(DeliberateBug, IsCaught) {
  log::redirect([](std::string_view) {});
  const Bug& bug = GetParam();
  const Story told = story(std::string(bug.story));
  PlayOptions options{.nodes = told.nodes, .checker = {.counts_writes = true}};
  if (bug.alter != nullptr) options.alter = bug.alter;
  if (bug.see != nullptr) options.see = bug.see;
  Play play(options);
  const std::string report = tell(play, told);
  const auto& breaches = play.checker->breaches();
  EXPECT_TRUE(std::any_of(breaches.begin(), breaches.end(),
                          [&](const Breach& breach) { return breach.invariant == bug.invariant; }))
      << bug.name << ": " << report;
}

INSTANTIATE_TEST_SUITE_P(All, DeliberateBug, testing::ValuesIn(all_bugs().begin(), all_bugs().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace drover::proof
