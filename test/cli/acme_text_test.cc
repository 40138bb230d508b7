// What people are shown of a vendor that nothing in src/ knows: its own words, from its folder alone.
#include <gmock/gmock.h>

#include "test/cli/look.h"
#include "test/operator/acme_stage.h"

namespace drover::cli {
namespace {

using operate::testing::AcmeStage;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

Look look_at(AcmeStage& stage) { return cli::look_at(stage, vendors::acme_driver()); }

TEST(AcmeText, ShowsItsFleet) {
  AcmeStage stage("acme=2");
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  EXPECT_THAT(status_lines(*look_at(stage)),
              Contains(AllOf(StartsWith("acme-1"), HasSubstr(" 3.1 "), HasSubstr("serving"))));
  EXPECT_THAT(status_lines(*look_at(stage)), Contains(StartsWith("npus (acme): 2 nodes, 2 done, 0 in flight")));
  const json::Value all = status_json(*look_at(stage));
  EXPECT_EQ(json::text_at(json::array_at(all, {"nodes"}).at(0), {"state"}), "serving");
  EXPECT_EQ(json::text_at(all, {"namespace"}), "acme-system");
}

TEST(AcmeText, NamesWhatIsInTheWay) {
  AcmeStage stage;
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  stage.run_training("train", 1, 4, "acme.example/npu");
  stage.create_budget("train", 1);
  stage.world.run_for(1min);
  stage.change("3.2");
  stage.world.run_for(1min);
  EXPECT_THAT(status_lines(*look_at(stage)),
              Contains(AllOf(StartsWith("acme-1"), HasSubstr("blocked by PodDisruptionBudget ml/train"))));
}

TEST(AcmeText, SaysHowToAskForAnotherTry) {
  AcmeStage stage("acme=1");
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  ASSERT_TRUE(stage.kubelets.images().prefer("*", "acme-check", "say no; exit 1"));
  stage.change("3.2");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.word("acme-1") == "broken"; }, 1h));
  EXPECT_THAT(explained(*look_at(stage), "acme-1"),
              HasSubstr("kubectl label node acme-1 acme.example/npu-upgrade=waiting --overwrite"));
}

TEST(AcmeText, SaysWhyANodeIsNotManaged) {
  AcmeStage stage("acme=1,cpu=1");
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  EXPECT_THAT(explained(*look_at(stage), "cpu-1"), HasSubstr("has no acme devices that policy npus would manage"));
}

}  // namespace
}  // namespace drover::cli
