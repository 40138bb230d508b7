// The proof of the proof: every deliberate bug is caught, by the promise that it breaks, for each vendor that could
// have it.
#include "bugs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "story.h"

namespace drover::proof {
namespace {

struct Planted {
  const Bug* bug;
  std::string story;
};
void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.bug->name << " in " << planted.story; }

std::vector<Planted> all_planted() {
  std::vector<Planted> all;
  for (const Bug& bug : all_bugs()) {
    for (const std::string_view name : base::split(bug.stories, ',')) {
      if (!name.empty()) all.push_back({&bug, std::string(name)});
    }
  }
  return all;
}

class DeliberateBug : public testing::TestWithParam<Planted> {};

TEST_P(DeliberateBug, IsCaught) {
  log::redirect([](std::string_view) {});
  const Bug& bug = *GetParam().bug;
  const Story told = story(GetParam().story);
  const Vendor& vendor = *told.vendor;
  Play play(
      {.vendor = vendor, .nodes = told.nodes, .checker = {.counts_writes = true}, .mistakes = bug.mistakes(vendor)});
  const std::string report = tell(play, told);
  const auto& breaches = play.checker->breaches();
  EXPECT_TRUE(std::any_of(breaches.begin(), breaches.end(),
                          [&](const Breach& breach) { return breach.invariant == bug.invariant; }))
      << bug.name << ": " << report << "\n"
      << play.checker->chronicle();
}

INSTANTIATE_TEST_SUITE_P(All, DeliberateBug, testing::ValuesIn(all_planted()), [](const auto& info) {
  std::string name(info.param.bug->name);
  name += " in " + info.param.story;
  for (char& c : name) {
    if (c == ' ' || c == '-') c = '_';
  }
  return name;
});

}  // namespace
}  // namespace drover::proof
