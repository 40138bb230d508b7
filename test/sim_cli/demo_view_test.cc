// How the demo counts what is left.
#include "sim_cli/demo_view.h"

#include <gtest/gtest.h>

namespace drover::sim_cli {
namespace {

using core::Phase;

TEST(DemoView, AWayThroughThePhasesOnlyGoesForward) {
  double before = -1;
  for (const Phase phase : {Phase::Required, Phase::Cordon, Phase::WaitForJobs, Phase::EvictDevicePods, Phase::Drain,
                            Phase::Restart, Phase::Validate, Phase::Uncordon, Phase::Done}) {
    EXPECT_GT(part_done(phase), before) << core::name(phase);
    before = part_done(phase);
  }
  EXPECT_EQ(part_done(Phase::Required), 0);
  EXPECT_EQ(part_done(Phase::Done), 1);
}

}  // namespace
}  // namespace drover::sim_cli
