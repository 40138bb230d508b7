#include "operator/node_pods.h"

#include "stage.h"
#include "vendors/nvidia/module.h"

namespace drover::operate {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): a stage in few words

// A bare pod on a node, past the scheduler.
void put_pod(Stage& stage, const std::string& name, const std::string& node) {
  stage.ask(kube::create(kube::kPods, "ml",
                         parsed(fmt::format(R"({{"metadata": {{"name": "{}"}},
    "spec": {{"nodeName": "{}", "containers": [{{"name": "a", "image": "a"}}]}}}})",
                                            name, node))));
}

std::size_t known_on(const NodePods& pods, const std::string& node) {
  const auto* cache = pods.of(node);
  return cache == nullptr ? 999 : cache->size();
}

class NodePodsTest : public ::testing::Test {
 protected:
  // The first `count` nodes of the stage.
  static std::set<std::string> first(int count) {
    std::set<std::string> nodes;
    for (int i = 1; i <= count; ++i) nodes.insert(fmt::format("nvidia-{}", i));
    return nodes;
  }
  Stage stage{StageOptions{.nodes = "nvidia=40"}};
  std::set<std::string> changed;
  NodePods pods{stage.world.api("watcher"), stage.world.loop, base::Random(1), vendors::nvidia_driver(),
                [this](const std::string& node) { changed.insert(node); }};
};

TEST_F(NodePodsTest, AreKnownOnlyOnceTheyWereListed) {
  put_pod(stage, "a", "nvidia-1");
  pods.want(first(1));
  EXPECT_EQ(pods.of("nvidia-1"), nullptr);
  stage.world.run_for(1s);
  EXPECT_EQ(known_on(pods, "nvidia-1"), 1U);
  EXPECT_TRUE(changed.contains("nvidia-1"));
  pods.want({});
  EXPECT_EQ(pods.of("nvidia-1"), nullptr);
  EXPECT_EQ(pods.watches(), 0U);
}

TEST_F(NodePodsTest, ManyNodesShareOneWatch) {
  put_pod(stage, "a", "nvidia-1");
  put_pod(stage, "z", "nvidia-9");
  pods.want(first(40));
  EXPECT_EQ(pods.watches(), kMostOwnWatches + 1);
  stage.world.run_for(2s);
  for (const std::string& node : first(40)) {
    EXPECT_EQ(known_on(pods, node), node == "nvidia-1" || node == "nvidia-9" ? 1U : 0U) << node;
  }
  changed.clear();
  put_pod(stage, "b", "nvidia-9");  // the last by name: served by the wide watch
  stage.world.run_for(1s);
  EXPECT_EQ(known_on(pods, "nvidia-9"), 2U);
  EXPECT_TRUE(changed.contains("nvidia-9"));
}

TEST_F(NodePodsTest, ANodeThatComesLaterIsListedByItself) {
  put_pod(stage, "z", "nvidia-9");
  auto nodes = first(40);
  nodes.erase("nvidia-9");
  pods.want(nodes);
  stage.world.run_for(2s);
  nodes.insert("nvidia-9");
  pods.want(nodes);
  EXPECT_EQ(pods.of("nvidia-9"), nullptr);
  stage.world.run_for(1s);
  EXPECT_EQ(known_on(pods, "nvidia-9"), 1U);
  const sim::Stored pod = stage.world.store().find("pods", "ml/z");
  kube::Request request = kube::remove(kube::kPods, "ml", "z", std::string(kube::uid_of(*pod)));
  request.grace = 0s;
  stage.ask(request);
  stage.world.run_for(2s);
  EXPECT_EQ(known_on(pods, "nvidia-9"), 0U);
}

TEST_F(NodePodsTest, OneWatchIsEnoughAgainWhenFewAreLeft) {
  pods.want(first(40));
  stage.world.run_for(2s);
  pods.want(first(2));
  EXPECT_EQ(pods.watches(), 2U);
}

}  // namespace
}  // namespace drover::operate
