// Every row of every flow, and every repair, has decided something: in a story on the embedded cluster, or, where no
// story reaches it, in a fleet that is written down for it (rules_cases.h). A row that never does is not needed, or not
// tried. Random trouble does not count: it is not the same after the next change of the swarm.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include "base/log.h"
#include "core/flows/flows.h"
#include "core/repair.h"
#include "rules_cases.h"
#include "rules_seen.h"
#include "story.h"

namespace drover::proof {
namespace {

using core::Flow;

constexpr std::array<const Flow& (*)(), 2> kFlows = {core::in_place, core::prepared};

void play_stories(RulesSeen& seen) {
  for (const Story& told : all_stories()) {
    PlayOptions options = options_of(told);
    options.on_pass = [&](operate::Operator& drover) { seen.look(drover); };
    Play play(options);
    tell(play, told);
  }
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += "\n  " + text;
  return lines;
}

// Some phases have two rules with the same words.
bool has_fired(const RulesSeen& seen, const RuleCase& one) {
  const auto rules = one.flow().rules();
  return std::any_of(rules.begin(), rules.end(), [&](const core::Rule& rule) {
    return rule.in.has(one.in) && rule.because == one.because && seen.has_fired(one.flow(), rule);
  });
}

TEST(Rules, EachFiresInTheFleetThatIsWrittenDownForIt) {
  for (const RuleCase& one : rule_cases()) {
    RulesSeen seen;
    seen.look(one.flow(), one.fleet());
    EXPECT_TRUE(has_fired(seen, one)) << one.flow().name() << ", " << core::name(one.in) << ": " << one.because;
  }
  for (const RepairCase& one : repair_cases()) {
    RulesSeen seen;
    seen.look(one.flow(), one.fleet());
    const std::vector<std::string> missing = seen.missing_repairs();
    EXPECT_EQ(std::count(missing.begin(), missing.end(), one.text), 0) << one.text;
  }
}

// DROVER_RULES=1 prints what no story reaches.
TEST(Rules, EveryOneHasFired) {
  log::redirect([](std::string_view) {});
  RulesSeen seen;
  play_stories(seen);
  if (std::getenv("DROVER_RULES") != nullptr) {
    for (const auto flow : kFlows)
      std::cout << flow().name() << ", in no story:" << lines_of(seen.missing(flow())) << "\n";
    std::cout << "repairs in no story:" << lines_of(seen.missing_repairs()) << "\n";
  }
  for (const RuleCase& one : rule_cases()) seen.look(one.flow(), one.fleet());
  for (const RepairCase& one : repair_cases()) seen.look(one.flow(), one.fleet());
  for (const auto flow : kFlows) {
    const std::vector<std::string> missing = seen.missing(flow());
    EXPECT_TRUE(missing.empty()) << flow().name() << ": " << missing.size() << " of " << flow().size
                                 << " rules have never fired:" << lines_of(missing);
  }
  EXPECT_TRUE(seen.missing_repairs().empty()) << "repairs that were never made:" << lines_of(seen.missing_repairs());
}

}  // namespace
}  // namespace drover::proof
