// A rollout on the embedded cluster, from the first driver to the next.
#include <gmock/gmock.h>

#include "stage.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words

TEST(Rollout, InstallsTheFirstDriverWithoutTakingANodeAway) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min)) << stage.state("nvidia-1");
  for (const std::string& name : stage.names()) {
    EXPECT_EQ(stage.driver_on(name), "535.129.03");
    EXPECT_FALSE(stage.is_cordoned(name));
  }
}

TEST(Rollout, BringsAnotherVersionNodeByNode) {
  Stage stage;
  stage.create_policy(cluster_policy("535.129.03"));
  stage.start_operator();
  ASSERT_TRUE(stage.run_until_all("upgrade-done", 10min));
  stage.set_version("550.54.15");
  int most = 0;
  const auto done = [&] {
    int away = 0;
    bool all = true;
    for (const std::string& name : stage.names()) {
      away += stage.is_cordoned(name) ? 1 : 0;
      all = all && stage.state(name) == "upgrade-done" && stage.driver_on(name) == "550.54.15";
    }
    most = std::max(most, away);
    return all;
  };
  EXPECT_TRUE(stage.world.run_until(done, 1h)) << stage.pods_text("gpu-operator");
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace drover::operate
