// How the demo counts what is left.
#include "sim_cli/demo_view.h"

#include <gtest/gtest.h>

namespace drover::sim_cli {
namespace {

using core::Phase;
using namespace std::chrono_literals;

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

TEST(DemoView, SaysNothingOfTheTimeLeftBeforeATwentiethIsDone) {
  EXPECT_FALSE(time_left(0, 1min));
  EXPECT_FALSE(time_left(0.04, 1min));
  EXPECT_EQ(time_left(0.5, 1min), base::Span(1min));
  EXPECT_EQ(time_left(0.25, 1min), base::Span(3min));
  EXPECT_EQ(time_left(1, 1min), base::Span(10s));
}

}  // namespace
}  // namespace drover::sim_cli
