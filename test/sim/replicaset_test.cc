#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class ReplicaSet : public WorldTest {
 protected:
  void SetUp() override { add_nodes(3); }
  void add_set(int replicas) {
    create(kube::kReplicaSets,
           fmt::format(R"({{"metadata": {{"name": "web", "namespace": "default"}}, "spec": {{"replicas": {},
           "selector": {{"matchLabels": {{"app": "web"}}}}, "template": {}}}}})",
                       replicas, pod_template("web", "v1")));
  }
  void scale(int replicas) {
    patch(kube::kReplicaSets, "default", "web", fmt::format(R"({{"spec": {{"replicas": {}}}}})", replicas));
  }
};

TEST_F(ReplicaSet, KeepsAsManyPodsAsAskedFor) {
  add_set(3);
  ASSERT_TRUE(soon([&] { return status("replicasets.apps", "web", "availableReplicas") == 3; }));
  EXPECT_EQ(status("replicasets.apps", "web", "replicas"), 3);
  EXPECT_EQ(status("replicasets.apps", "web", "fullyLabeledReplicas"), 3);
  EXPECT_EQ(status("replicasets.apps", "web", "readyReplicas"), 3);
  remove(kube::kPods, "default", std::string(kube::name_of(*pods("web")[0])));
  world.run_for(1s);
  EXPECT_EQ(count("web", pod_is_active), 3U);
  EXPECT_TRUE(soon([&] { return ready("web") == 3 && pods("web").size() == 3; }));
}

TEST_F(ReplicaSet, TakesAwayThePodsThatAreMissedLeast) {
  add_set(2);
  ASSERT_TRUE(soon([&] { return ready("web") == 2; }));
  std::set<std::string> old;
  for (const Stored& pod : pods("web")) old.emplace(kube::name_of(*pod));
  kubelet.never_ready.insert("web");
  scale(4);
  world.run_for(5s);
  scale(2);
  world.run_for(5s);
  std::set<std::string> left;
  for (const Stored& pod : pods("web")) left.emplace(kube::name_of(*pod));
  EXPECT_EQ(left, old);
}

TEST_F(ReplicaSet, AdoptsAPodThatMatchesAndReleasesOneThatDoesNot) {
  create(kube::kPods, R"({"metadata": {"name": "loner", "namespace": "default", "labels": {"app": "web"}},
                          "spec": {"containers": [{"name": "main", "image": "i"}]}})");
  add_set(2);
  ASSERT_TRUE(soon([&] { return ready("web") == 2; }));
  EXPECT_EQ(pods("web").size(), 2U);
  EXPECT_EQ(controller_name(*find("pods", "default/loner"), "ReplicaSet"), "web");
  patch(kube::kPods, "default", "loner", R"({"metadata": {"labels": {"app": "other"}}})");
  ASSERT_TRUE(soon([&] { return ready("web") == 2; }));
  EXPECT_EQ(controller_uid(*find("pods", "default/loner")), "");
}

TEST_F(ReplicaSet, CountsAPodAsAvailableOnlyAfterMinReadySeconds) {
  add_set(1);
  patch(kube::kReplicaSets, "default", "web", R"({"spec": {"minReadySeconds": 20}})");
  ASSERT_TRUE(soon([&] { return status("replicasets.apps", "web", "readyReplicas") == 1; }));
  EXPECT_EQ(status("replicasets.apps", "web", "availableReplicas"), 0);
  world.run_for(25s);
  EXPECT_EQ(status("replicasets.apps", "web", "availableReplicas"), 1);
}

}  // namespace
}  // namespace drover::sim
