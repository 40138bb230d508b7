// Every story produces its chronicle, and breaks no promise. DROVER_UPDATE=1 rewrites the chronicles.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/log.h"
#include "story.h"

namespace drover::proof {
namespace {

class Scenario : public testing::TestWithParam<std::string> {};

TEST_P(Scenario, IsPlayedAsWritten) {
  log::redirect([](std::string_view) {});
  const Story told = story(GetParam());
  PlayOptions options = options_of(told);
  options.checker.counts_writes = true;
  Play play(options);
  const std::string trouble = tell(play, told);
  EXPECT_TRUE(trouble.empty()) << told.path << ": " << trouble;
  if (std::getenv("DROVER_UPDATE") != nullptr && trouble.empty()) {
    std::ofstream file(told.path);
    for (const std::string& sentence : told.sentences) file << sentence << "\n";
    file << "---\n" << play.checker->chronicle();
    return;
  }
  if (!trouble.empty()) return;
  EXPECT_EQ(play.checker->chronicle(), told.expected) << told.path;
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const Story& story : all_stories()) names.push_back(story.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, Scenario, testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace drover::proof
