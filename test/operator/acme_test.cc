// A vendor is one folder: the operator serves one that nothing in src/ knows.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "acme_stage.h"
#include "operator/metrics.h"

namespace drover::operate {
namespace {

using testing::AcmeStage;
using testing::cluster_policy;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::parsed;
using namespace std::chrono_literals;

constexpr const char* kFirst = "acme-1";

// Everything that happens to nodes and to workloads, as it is written.
class Watching {
 public:
  explicit Watching(AcmeStage& stage)
      : stage_(stage),
        subscription_(stage.world.server().store().subscribe([this](const sim::Commit& commit) { look_at(commit); })) {}
  ~Watching() { stage_.world.server().store().unsubscribe(subscription_); }

  std::map<std::string, std::vector<std::string>> words;  // by node, each once in a row
  int most_cordoned = 0;
  int evicted = 0;
  std::vector<std::string> removed_otherwise;              // workloads
  std::map<std::string, std::vector<std::string>> events;  // about nodes

 private:
  void look_at(const sim::Commit& commit) {
    const std::string name(kube::name_of(*commit.after));
    if (commit.resource == "nodes") {
      std::vector<std::string>& so_far = words[name];
      std::string word(kube::label_of(*commit.after, "acme.example/npu-upgrade"));
      if (so_far.empty() || so_far.back() != word) so_far.push_back(std::move(word));
      most_cordoned = std::max(most_cordoned, stage_.cordoned_nodes());
    }
    if (commit.resource == "events" && json::text_at(*commit.after, {"reason"}) == "NpuUpgrade") {
      const std::string about(json::text_at(*commit.after, {"involvedObject", "name"}));
      events[about].emplace_back(json::text_at(*commit.after, {"message"}));
    }
    const bool goes = commit.before && !kube::is_being_deleted(*commit.before) && kube::is_being_deleted(*commit.after);
    if (commit.resource != "pods" || kube::namespace_of(*commit.after) != "ml" || !goes) return;
    const json::Array& conditions = json::array_at(*commit.after, {"status", "conditions"});
    const bool is_eviction = std::any_of(conditions.begin(), conditions.end(), [](const json::Value& one) {
      return json::text_at(one, {"reason"}) == "EvictionByEvictionAPI";
    });
    is_eviction ? static_cast<void>(++evicted) : removed_otherwise.push_back(name);
  }

  AcmeStage& stage_;
  int subscription_;
};

TEST(Acme, BringsTheFirstDriverAndIsReady) {
  AcmeStage stage;
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  EXPECT_EQ(stage.cordoned_nodes(), 0);
  EXPECT_EQ(stage.condition("Ready"), "True/NpusServe");
  const std::string page = metrics_text(readings_of(*stage.drover, 0));
  EXPECT_THAT(page, HasSubstr("acme_npu_nodes_upgrades_done 3\n"));
  EXPECT_THAT(page, HasSubstr("acme_npu_upgrades_enabled 1\n"));
  EXPECT_THAT(page, HasSubstr("drover_nodes{vendor=\"acme\",state=\"serving\"} 3\n"));
}

TEST(Acme, GoesThroughItsStatesOneNodeAfterTheOther) {
  AcmeStage stage;
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  stage.run_training("train", 6, 2, "acme.example/npu");
  stage.run_training("web", 3, 1, "cpu");
  stage.create_budget("train", 4);
  stage.world.run_for(1min);
  Watching seen(stage);
  stage.change("3.2");
  ASSERT_TRUE(stage.run_until_serving("3.2")) << stage.pods_text("acme-system");
  stage.world.run_for(1min);
  EXPECT_EQ(seen.most_cordoned, 1);
  EXPECT_GT(seen.evicted, 0);
  EXPECT_THAT(seen.removed_otherwise, IsEmpty());
  for (const std::string& node : stage.names()) {
    EXPECT_THAT(seen.words[node], ElementsAre("waiting", "pods-leaving", "swapping", "checking", "serving")) << node;
    EXPECT_THAT(seen.events[node], ElementsAre("NPU driver: waiting", "NPU driver: closing", "NPU driver: jobs-ending",
                                               "NPU driver: pods-leaving", "NPU driver: swapping",
                                               "NPU driver: checking", "NPU driver: opening", "NPU driver: serving"))
        << node;
  }
}

TEST(Acme, LeavesOutANodeWithItsLabel) {
  AcmeStage stage;
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  stage.patch_node(kFirst, R"({"metadata": {"labels": {"acme.example/npu-upgrade.never": "true"}}})");
  stage.change("3.2");
  ASSERT_TRUE(stage.world.run_until(
      [&] { return stage.is_serving("acme-2", "3.2") && stage.is_serving("acme-3", "3.2"); }, 1h));
  stage.world.run_for(10min);
  EXPECT_EQ(stage.loaded_on(kFirst), "3.1");
  stage.patch_node(kFirst, R"({"metadata": {"labels": {"acme.example/npu-upgrade.never": null}}})");
  EXPECT_TRUE(stage.run_until_serving("3.2"));
}

TEST(Acme, UpgradesANodeThatIsAskedByItsAnnotation) {
  AcmeStage stage;
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  Watching seen(stage);
  stage.patch_node(kFirst, R"({"metadata": {"annotations": {"acme.example/npu-upgrade.now": "true"}}})");
  ASSERT_TRUE(stage.world.run_until([&] { return stage.word(kFirst) == "checking"; }, 10min));
  ASSERT_TRUE(stage.run_until_serving("3.1"));
  EXPECT_EQ(kube::annotation_of(*stage.node(kFirst), "acme.example/npu-upgrade.now"), "");
  EXPECT_THAT(seen.words["acme-2"], Each("serving"));
}

// One folder beside the other: the limit over both is a quarter of all nodes, whatever each policy allows.
TEST(Acme, SharesTheLimitOfTheFleetWithAnotherVendor) {
  AcmeStage stage("nvidia=2,acme=2");
  constexpr const char* kAllAtOnce = R"("maxParallelUpgrades": 0, "maxUnavailable": "100%")";
  stage.ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", "gpu-operator"}}}}));
  stage.create_policy(cluster_policy("535.129.03", kAllAtOnce));
  stage.want("3.1", kAllAtOnce);
  stage.serve(stage.luck, {{.profile = &vendors::nvidia_driver(), .operands = {}}, AcmeStage::served()});
  const auto all_serve = [&](std::string_view gpu_driver, std::string_view npu_driver) {
    const std::vector<std::string> all = stage.names();
    return std::all_of(all.begin(), all.end(), [&](const std::string& name) {
      if (name.starts_with("acme")) return stage.is_serving(name, npu_driver);
      return stage.state(name) == "upgrade-done" && stage.driver_on(name) == gpu_driver && !stage.is_cordoned(name);
    });
  };
  ASSERT_TRUE(stage.world.run_until([&] { return all_serve("535.129.03", "3.1"); }, 1h));
  Watching seen(stage);
  stage.set_version("550.54.15");
  stage.change("3.2");
  ASSERT_TRUE(stage.world.run_until([&] { return all_serve("550.54.15", "3.2"); }, 1h));
  EXPECT_EQ(seen.most_cordoned, 1);
}

TEST(Acme, HasNoOperatorOfItsOwnSoNoDeploymentIsTakenForIt) {
  AcmeStage stage("acme=1");
  stage.ask(kube::create(kube::kDeployments, "acme-system",
                         parsed(R"({"metadata": {"name": "dashboard"}, "spec": {"replicas": 1,
      "selector": {"matchLabels": {"app": "dashboard"}},
      "template": {"metadata": {"labels": {"app": "dashboard"}},
                   "spec": {"containers": [{"name": "web", "image": "web:1"}]}}}})")));
  ASSERT_NO_FATAL_FAILURE(stage.settle());
  EXPECT_EQ(stage.condition("ConflictingOperator"), "False/None");
}

TEST(Acme, SaysWhichOfItsFieldsCannotBeRead) {
  AcmeStage stage("acme=1");
  stage.want("3.1", R"("maxUnavailable": "many")");
  stage.start();
  EXPECT_EQ(stage.condition("Accepted"), "False/FieldsCannotBeRead");
  const sim::Stored policy = stage.world.store().find("acmedrivers.acme.example", "npus");
  EXPECT_THAT(json::text_of(*policy), HasSubstr("spec.rollout.maxUnavailable is"));
}

}  // namespace
}  // namespace drover::operate
