#include <algorithm>

#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

class Deployment : public WorldTest {
 protected:
  void SetUp() override { add_nodes(3); }
  void add_deployment(int replicas, const std::string& strategy = R"({"type": "RollingUpdate"})",
                      const std::string& more = "") {
    create(kube::kDeployments,
           fmt::format(R"({{"metadata": {{"name": "web", "namespace": "default"}}, "spec": {{"replicas": {},
           "selector": {{"matchLabels": {{"app": "web"}}}}, "strategy": {}, "template": {} {}}}}})",
                       replicas, strategy, pod_template("web", "v1"), more.empty() ? "" : ", " + more));
  }
  std::string condition(std::string_view type) {
    const json::Value* found = find_condition(*find("deployments.apps", "default/web"), type);
    if (!found) return "";
    return fmt::format("{} {}", json::text_at(*found, {"status"}), json::text_at(*found, {"reason"}));
  }
  // As `kubectl rollout status` decides.
  bool rolled_out() {
    const Stored web = find("deployments.apps", "default/web");
    const auto number = [&](std::string_view field) { return json::int_at(*web, {"status", field}); };
    const std::int64_t wanted = json::int_at(*web, {"spec", "replicas"});
    return number("observedGeneration") >= json::int_at(*web, {"metadata", "generation"}) &&
           number("updatedReplicas") >= wanted && number("replicas") <= number("updatedReplicas") &&
           number("availableReplicas") >= number("updatedReplicas");
  }
  std::vector<Stored> sets() {
    std::vector<Stored> found;
    world.store().each("replicasets.apps", "default", [&](const Stored& set) { found.push_back(set); });
    return found;
  }
  std::string revision() {
    return std::string(
        kube::annotation_of(*find("deployments.apps", "default/web"), "deployment.kubernetes.io/revision"));
  }
};

TEST_F(Deployment, RollsOutAndSaysSo) {
  add_deployment(3);
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  world.run_for(1s);
  EXPECT_EQ(ready("web"), 3U);
  EXPECT_EQ(condition("Available"), "True MinimumReplicasAvailable");
  EXPECT_EQ(condition("Progressing"), "True NewReplicaSetAvailable");
  EXPECT_EQ(revision(), "1");
  ASSERT_EQ(sets().size(), 1U);
  const std::string_view hash = kube::label_of(*sets()[0], "pod-template-hash");
  EXPECT_EQ(kube::name_of(*sets()[0]), fmt::format("web-{}", hash));
  EXPECT_EQ(kube::label_of(*pods("web")[0], "pod-template-hash"), hash);
  EXPECT_EQ(events("ScalingReplicaSet"), 1U);
}

TEST_F(Deployment, StaysBetweenItsSurgeAndItsUnavailability) {
  add_deployment(8, R"({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2, "maxUnavailable": 1}})");
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  std::size_t fewest = 8;
  std::int64_t most = 8;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource == "pods") fewest = std::min(fewest, ready("web"));
    // What is asked for is what is promised; ReplicaSets follow in their own time.
    std::int64_t asked = 0;
    for (const Stored& set : sets()) asked += json::int_at(*set, {"spec", "replicas"});
    most = std::max(most, asked);
  });
  set_image(kube::kDeployments, "web", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("web", "v2") == 8 && rolled_out(); }));
  EXPECT_EQ(fewest, 7U);
  EXPECT_EQ(most, 10);
  EXPECT_EQ(revision(), "2");
}

TEST_F(Deployment, RecreateNeverRunsTwoVersionsAtOnce) {
  add_deployment(3, R"({"type": "Recreate"})");
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  bool mixed = false;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource != "pods") return;
    std::set<std::string> images;
    for (const Stored& pod : pods("web")) {
      if (!pod_is_terminal(*pod)) images.emplace(image_of(*pod));
    }
    mixed |= images.size() > 1;
  });
  set_image(kube::kDeployments, "web", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("web", "v2") == 3 && rolled_out(); }));
  EXPECT_FALSE(mixed);
}

TEST_F(Deployment, ARollbackReusesTheReplicaSetUnderANewNumber) {
  add_deployment(2);
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  const std::string first(kube::name_of(*sets()[0]));
  set_image(kube::kDeployments, "web", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("web", "v2") == 2 && rolled_out(); }));
  set_image(kube::kDeployments, "web", "v1");
  ASSERT_TRUE(soon([&] { return ready_with("web", "v1") == 2 && rolled_out(); }));
  EXPECT_EQ(sets().size(), 2U);
  EXPECT_EQ(revision(), "3");
  const Stored reused = find("replicasets.apps", "default/" + first);
  EXPECT_EQ(kube::annotation_of(*reused, "deployment.kubernetes.io/revision"), "3");
  EXPECT_EQ(kube::annotation_of(*reused, "deployment.kubernetes.io/revision-history"), "1");
}

TEST_F(Deployment, ScalesUpAndDownWithoutANewReplicaSet) {
  add_deployment(2);
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  patch(kube::kDeployments, "default", "web", R"({"spec": {"replicas": 5}})");
  ASSERT_TRUE(soon([&] { return ready("web") == 5 && rolled_out(); }));
  patch(kube::kDeployments, "default", "web", R"({"spec": {"replicas": 0}})");
  ASSERT_TRUE(soon([&] { return pods("web").empty(); }));
  EXPECT_EQ(sets().size(), 1U);
}

TEST_F(Deployment, DoesNotRollWhilePaused) {
  add_deployment(2);
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  patch(kube::kDeployments, "default", "web", R"({"spec": {"paused": true}})");
  set_image(kube::kDeployments, "web", "v2");
  world.run_for(10min);
  EXPECT_EQ(ready_with("web", "v1"), 2U);
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentPaused");
  patch(kube::kDeployments, "default", "web", R"({"spec": {"paused": null}})");
  EXPECT_TRUE(soon([&] { return ready_with("web", "v2") == 2 && rolled_out(); }));
}

TEST_F(Deployment, SaysWhenItMakesNoProgress) {
  add_deployment(2, R"({"type": "RollingUpdate"})", R"("progressDeadlineSeconds": 60)");
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  kubelet.never_ready.insert("web");
  set_image(kube::kDeployments, "web", "v2");
  world.run_for(30s);
  EXPECT_EQ(condition("Progressing"), "True ReplicaSetUpdated");
  world.run_for(2min);
  EXPECT_EQ(condition("Progressing"), "False ProgressDeadlineExceeded");
  EXPECT_EQ(ready_with("web", "v1"), 2U);
}

TEST_F(Deployment, KeepsOnlyAsManyOldReplicaSetsAsAsked) {
  add_deployment(1, R"({"type": "RollingUpdate"})", R"("revisionHistoryLimit": 1)");
  for (int i = 1; i <= 4; ++i) {
    set_image(kube::kDeployments, "web", fmt::format("v{}", i));
    ASSERT_TRUE(soon([&] { return ready_with("web", fmt::format("v{}", i)) == 1 && rolled_out(); }));
  }
  world.run_for(1min);
  EXPECT_EQ(sets().size(), 2U);
}

TEST_F(Deployment, ScalesInProportionInTheMiddleOfARollout) {
  add_deployment(10, R"({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 3, "maxUnavailable": 2}})");
  ASSERT_TRUE(soon([&] { return rolled_out(); }));
  kubelet.never_ready.insert("web");
  set_image(kube::kDeployments, "web", "v2");
  world.run_for(30s);
  patch(kube::kDeployments, "default", "web", R"({"spec": {"replicas": 15}})");
  world.run_for(30s);
  std::vector<std::int64_t> sizes;
  for (const Stored& set : sets()) sizes.push_back(json::int_at(*set, {"spec", "replicas"}));
  std::ranges::sort(sizes);
  // 8 old and 5 new of 13 become 11 and 7 of 18.
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{7, 11}));
}

}  // namespace
}  // namespace drover::sim
