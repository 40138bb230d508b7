// The tables themselves: every phase has a way out.
#include "core/flows/flows.h"

#include <gtest/gtest.h>

#include <set>

#include "core/decide.h"

namespace drover::core {
namespace {

std::set<Phase> reachable_from(const Flow& flow, Phase start) {
  std::set<Phase> seen = {start};
  bool grew = true;
  while (grew) {
    grew = false;
    for (const Rule& rule : flow.rules()) {
      if (rule.kind != Rule::Kind::Move) continue;
      for (const Phase phase : std::set<Phase>(seen)) {
        if (rule.in.has(phase)) grew = seen.insert(rule.to).second || grew;
      }
    }
  }
  return seen;
}

class EveryFlow : public ::testing::TestWithParam<const Flow*> {
 protected:
  const Flow& flow() const { return *GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Flows, EveryFlow, ::testing::Values(&in_place(), &prepared()), [](const auto& row) {
  std::string name(row.param->name());
  std::erase(name, '-');
  return name;
});

TEST(UpgradeInPlace, ReachesEveryPhaseThatItUses) {
  const Flow& flow = in_place();
  const std::set<Phase> reached = reachable_from(flow, Phase::Idle);
  for (const PhaseRow& row : kPhaseTable) {
    EXPECT_EQ(reached.contains(row.phase), flow.spec.phases.has(row.phase)) << row.name;
  }
}

// What only an odd record says has a way out, and no rule leads there.
TEST(UpgradeWhenPrepared, ReachesThePhasesThatItsVendorHasAWordFor) {
  const std::set<Phase> reached = reachable_from(prepared(), Phase::Idle);
  for (const Phase phase : {Phase::WaitForJobs, Phase::EvictDevicePods, Phase::Validate})
    EXPECT_FALSE(reached.contains(phase)) << name(phase);
  EXPECT_EQ(reached.size(), kPhases - 3);
}

TEST_P(EveryFlow, FromEveryPhaseTheNodeCanBecomeDoneAndFailed) {
  const Flow& flow = this->flow();
  for (const PhaseRow& row : kPhaseTable) {
    EXPECT_TRUE(reachable_from(flow, row.phase).contains(Phase::Done)) << row.name;
    EXPECT_TRUE(reachable_from(flow, row.phase).contains(Phase::Failed)) << row.name;
  }
}

TEST_P(EveryFlow, NoPhaseIsEnteredFromItself) {
  for (const Rule& rule : flow().rules()) {
    EXPECT_FALSE(rule.kind == Rule::Kind::Move && rule.in.has(rule.to)) << rule.because;
  }
}

TEST_P(EveryFlow, EveryRuleSaysWhy) {
  for (const Rule& rule : flow().rules()) {
    EXPECT_FALSE(rule.because.empty());
    EXPECT_FALSE(rule.when.first.text.empty());
    EXPECT_NE(rule.because.back(), '.') << "reasons are continued with details: " << rule.because;
  }
}

TEST_P(EveryFlow, NothingThatTakesANodeAwayHappensInAPhaseThatGivesItBack) {
  for (const Rule& rule : flow().rules()) {
    if (rule.kind != Rule::Kind::Work || rule.action == Action::ReplaceValidator) continue;
    EXPECT_FALSE(rule.in.has(Phase::Validate) || rule.in.has(Phase::Uncordon)) << rule.because;
  }
}

}  // namespace
}  // namespace drover::core
