// Whether an operator is at work, told from its lease and from what it wrote.
#include "cli/operator_at_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/leader.h"
#include "test/operator/stage.h"

namespace drover::cli {
namespace {

using namespace operate::testing;  // NOLINT(google-build-using-namespace): a stage in few words

class OperatorAtWorkTest : public ::testing::Test {
 protected:
  void serve(bool with_lease) {
    operate::Settings settings{.vendors = {{.profile = &vendors::nvidia_driver(), .operands = {}}},
                               .instance = "drover-0"};
    if (with_lease) settings.lease = kube::LeaseTerms{.ns = "gpu-operator", .name = "drover", .identity = "one"};
    stage.create_policy(cluster_policy("535.129.03"));
    stage.drover = std::make_unique<operate::Operator>(stage.luck, stage.world.loop, stage.world.cluster.random("o"),
                                                       std::move(settings));
    stage.drover->start();
    ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
    stage.world.run_for(10s);
  }
  OperatorAtWork look() {
    OperatorLook one(stage.person, stage.world.loop);
    std::optional<OperatorAtWork> found;
    const auto policy = stage.policy();
    one.begin({&*policy}, [&](OperatorAtWork answer) { found = std::move(answer); });
    EXPECT_TRUE(stage.world.run_until([&] { return found.has_value(); }, 1min));
    return found.value_or(OperatorAtWork{});
  }

  Stage stage{{.nodes = "nvidia=1"}};
};

TEST_F(OperatorAtWorkTest, ALeaseThatIsRenewedHasAnOperator) {
  serve(true);
  const OperatorAtWork found = look();
  EXPECT_EQ(found.is_at_work, true);
  EXPECT_THAT(found.text(), ::testing::HasSubstr("operator drover-0 (0.1.0, since 2026-"));
  EXPECT_THAT(found.text(), ::testing::HasSubstr("is at work, lease gpu-operator/drover"));
}

TEST_F(OperatorAtWorkTest, ALeaseThatNothingRenewsHasNone) {
  serve(true);
  stage.kill_operator();
  const OperatorAtWork found = look();
  EXPECT_EQ(found.is_at_work, false);
  EXPECT_THAT(found.text(), ::testing::HasSubstr("! no operator is at work: lease gpu-operator/drover"));
}

TEST_F(OperatorAtWorkTest, WithoutALeaseItCannotBeTold) {
  serve(false);
  EXPECT_FALSE(look().is_at_work.has_value());
  EXPECT_THAT(look().text(), ::testing::HasSubstr("works without a lease"));
}

TEST_F(OperatorAtWorkTest, APolicyThatNoOperatorHasSeenSaysSo) {
  stage.create_policy(cluster_policy("535.129.03"));
  const OperatorAtWork found = look();
  EXPECT_THAT(found.text(), ::testing::HasSubstr("is drover running?"));
  EXPECT_TRUE(found.row().is_null());
}

}  // namespace
}  // namespace drover::cli
