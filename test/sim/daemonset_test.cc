#include "sim/controllers/daemonset.h"

#include <algorithm>

#include "sim/controllers/scheduler.h"
#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

constexpr auto kOnDelete = R"({"type": "OnDelete"})";

class DaemonSet : public WorldTest {
 protected:
  std::set<std::string> nodes_of(const std::string& app) {
    std::set<std::string> nodes;
    for (const Stored& pod : pods(app)) nodes.emplace(node_of(*pod));
    return nodes;
  }
  std::vector<Stored> revisions() {
    std::vector<Stored> found;
    world.store().each("controllerrevisions.apps", "default",
                       [&](const Stored& revision) { found.push_back(revision); });
    std::ranges::sort(found, {}, [](const Stored& revision) { return json::int_at(*revision, {"revision"}); });
    return found;
  }
};

TEST_F(DaemonSet, PutsOneReadyPodOnEveryNode) {
  add_nodes(3);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberReady") == 3; }));
  EXPECT_EQ(nodes_of("driver"), (std::set<std::string>{"node-0", "node-1", "node-2"}));
  EXPECT_EQ(status("daemonsets.apps", "driver", "desiredNumberScheduled"), 3);
  EXPECT_EQ(status("daemonsets.apps", "driver", "currentNumberScheduled"), 3);
  EXPECT_EQ(status("daemonsets.apps", "driver", "updatedNumberScheduled"), 3);
  EXPECT_EQ(status("daemonsets.apps", "driver", "numberAvailable"), 3);
  EXPECT_EQ(status("daemonsets.apps", "driver", "observedGeneration"), 1);
  EXPECT_FALSE(json::find(*find("daemonsets.apps", "default/driver"), {"status", "numberUnavailable"}));
  EXPECT_EQ(events("SuccessfulCreate"), 3U);
  EXPECT_EQ(events("Scheduled"), 3U);
}

TEST_F(DaemonSet, NamesThePodsNodeByAffinityAndToleratesTheNodesTroubles) {
  add_nodes(1);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready("driver") == 1; }));
  const kube::Object pod = *pods("driver")[0];
  const json::Value* terms = json::find(
      pod, {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  ASSERT_NE(terms, nullptr);
  EXPECT_EQ(json::text_of(*terms),
            R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["node-0"]}]}])");
  std::set<std::string> tolerated;
  for (const json::Value& toleration : json::array_at(pod, {"spec", "tolerations"})) {
    tolerated.insert(fmt::format("{}:{}", json::text_at(toleration, {"key"}), json::text_at(toleration, {"effect"})));
  }
  for (const char* key :
       {"node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/unreachable:NoExecute",
        "node.kubernetes.io/disk-pressure:NoSchedule", "node.kubernetes.io/memory-pressure:NoSchedule",
        "node.kubernetes.io/pid-pressure:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"}) {
    EXPECT_TRUE(tolerated.contains(key)) << key;
  }
  EXPECT_FALSE(tolerated.contains("node.kubernetes.io/network-unavailable:NoSchedule"));
  EXPECT_EQ(kube::label_of(pod, "controller-revision-hash"),
            kube::label_of(*revisions()[0], "controller-revision-hash"));
}

TEST_F(DaemonSet, ToleratesAMissingNetworkOnlyOnTheHostsNetwork) {
  add_nodes(1);
  add_daemonset("driver", R"({"type": "RollingUpdate"})", R"("hostNetwork": true)");
  ASSERT_TRUE(soon([&] { return ready("driver") == 1; }));
  const json::Array& tolerations = json::array_at(*pods("driver")[0], {"spec", "tolerations"});
  EXPECT_TRUE(std::ranges::any_of(tolerations, [](const json::Value& toleration) {
    return json::text_at(toleration, {"key"}) == "node.kubernetes.io/network-unavailable";
  }));
}

TEST_F(DaemonSet, RunsOnlyWhereTheSelectorMatchesAndFollowsALabel) {
  add_node("gpu", R"({"gpu": "true"})");
  add_node("plain");
  add_daemonset("driver", kOnDelete, R"("nodeSelector": {"gpu": "true"})");
  ASSERT_TRUE(soon([&] { return ready("driver") == 1; }));
  EXPECT_EQ(nodes_of("driver"), std::set<std::string>{"gpu"});
  patch(kube::kNodes, "", "plain", R"({"metadata": {"labels": {"gpu": "true"}}})");
  ASSERT_TRUE(soon([&] { return ready("driver") == 2; }));
  patch(kube::kNodes, "", "gpu", R"({"metadata": {"labels": {"gpu": null}}})");
  ASSERT_TRUE(soon([&] { return pods("driver").size() == 1; }));
  EXPECT_EQ(nodes_of("driver"), std::set<std::string>{"plain"});
}

TEST_F(DaemonSet, LeavesPodsUnderATaintThatOnlyForbidsSchedulingAndCountsThemAsMisscheduled) {
  add_nodes(2);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready("driver") == 2; }));
  set_taints("node-0", R"([{"key": "k", "effect": "NoSchedule"}])");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberMisscheduled") == 1; }));
  world.run_for(5min);
  EXPECT_EQ(pods("driver").size(), 2U);
  EXPECT_EQ(status("daemonsets.apps", "driver", "desiredNumberScheduled"), 1);
}

TEST_F(DaemonSet, TakesItsPodsFromATaintedNodeAndReturnsWhenTheTaintGoes) {
  add_nodes(2);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready("driver") == 2; }));
  set_taints("node-1", R"([{"key": "k", "effect": "NoExecute"}])");
  ASSERT_TRUE(soon([&] { return pods("driver").size() == 1; }));
  EXPECT_EQ(nodes_of("driver"), std::set<std::string>{"node-0"});
  world.run_for(1min);
  EXPECT_EQ(pods("driver").size(), 1U);
  set_taints("node-1", "null");
  EXPECT_TRUE(soon([&] { return ready("driver") == 2; }));
}

TEST_F(DaemonSet, StaysOnACordonedNode) {
  add_nodes(1);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready("driver") == 1; }));
  patch(kube::kNodes, "", "node-0", R"({"spec": {"unschedulable": true}})");
  world.run_for(1min);
  remove(kube::kPods, "default", std::string(kube::name_of(*pods("driver")[0])));
  EXPECT_TRUE(soon([&] { return ready("driver") == 1; }));
}

TEST_F(DaemonSet, WithOnDeleteReplacesOnlyDeletedPods) {
  add_nodes(3);
  add_daemonset("driver", kOnDelete);
  ASSERT_TRUE(soon([&] { return ready("driver") == 3; }));
  set_image(kube::kDaemonSets, "driver", "v2");
  world.run_for(10min);
  EXPECT_EQ(ready_with("driver", "v1"), 3U);
  EXPECT_EQ(status("daemonsets.apps", "driver", "updatedNumberScheduled"), 0);
  const Stored victim = pods("driver")[0];
  remove(kube::kPods, "default", std::string(kube::name_of(*victim)));
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v2") == 1; }));
  world.run_for(10min);
  EXPECT_EQ(ready_with("driver", "v1"), 2U);
  EXPECT_EQ(status("daemonsets.apps", "driver", "updatedNumberScheduled"), 1);
}

TEST_F(DaemonSet, RollingUpdateNeverHasMoreUnavailableThanAllowed) {
  add_nodes(7);
  add_daemonset("driver", R"({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}})");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberAvailable") == 7; }));
  std::size_t fewest = 7;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource == "pods") fewest = std::min(fewest, ready("driver"));
  });
  set_image(kube::kDaemonSets, "driver", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v2") == 7; }));
  EXPECT_EQ(fewest, 5U);
}

TEST_F(DaemonSet, RollingUpdateCountsAPercentageUp) {
  add_nodes(5);
  add_daemonset("driver", R"({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "30%"}})");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberAvailable") == 5; }));
  std::size_t fewest = 5;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource == "pods") fewest = std::min(fewest, ready("driver"));
  });
  set_image(kube::kDaemonSets, "driver", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v2") == 5; }));
  EXPECT_EQ(fewest, 3U);
}

TEST_F(DaemonSet, RollingUpdateStopsAtANewPodThatDoesNotBecomeReady) {
  add_nodes(4);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberAvailable") == 4; }));
  kubelet.never_ready.insert("driver");
  set_image(kube::kDaemonSets, "driver", "v2");
  world.run_for(1h);
  EXPECT_EQ(ready_with("driver", "v1"), 3U);
  EXPECT_EQ(status("daemonsets.apps", "driver", "numberUnavailable"), 1);
}

TEST_F(DaemonSet, RollingUpdateReplacesBrokenOldPodsWithoutAskingForRoom) {
  add_nodes(4);
  kubelet.never_ready.insert("driver");
  add_daemonset("driver");
  ASSERT_TRUE(
      soon([&] { return count("driver", [](const kube::Object& pod) { return phase_of(pod) == "Running"; }) == 4; }));
  kubelet.never_ready.clear();
  set_image(kube::kDaemonSets, "driver", "v2");
  EXPECT_TRUE(soon([&] { return ready_with("driver", "v2") == 4; }, 10s));
}

TEST_F(DaemonSet, WaitsMinReadySecondsBeforeTheNextNode) {
  add_nodes(3);
  add_daemonset("driver", R"({"type": "RollingUpdate"})", "", R"("minReadySeconds": 30)");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberReady") == 3; }));
  EXPECT_EQ(status("daemonsets.apps", "driver", "numberAvailable"), 0);
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberAvailable") == 3; }));
  const auto began = world.loop.now();
  set_image(kube::kDaemonSets, "driver", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v2") == 3; }));
  EXPECT_GE(world.loop.now() - began, 60s);
}

TEST_F(DaemonSet, SurgesWithoutEverLosingAReadyPod) {
  add_nodes(4);
  add_daemonset("driver", R"({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}})");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "numberAvailable") == 4; }));
  std::size_t fewest_nodes = 4;
  std::size_t most_pods = 4;
  world.server().store().subscribe([&](const Commit& commit) {
    if (commit.resource != "pods") return;
    std::set<std::string> served;
    for (const Stored& pod : pods("driver")) {
      if (pod_is_ready(*pod)) served.emplace(node_of(*pod));
    }
    fewest_nodes = std::min(fewest_nodes, served.size());
    most_pods =
        std::max(most_pods, count("driver", [](const kube::Object& pod) { return !kube::is_being_deleted(pod); }));
  });
  set_image(kube::kDaemonSets, "driver", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v2") == 4 && pods("driver").size() == 4; }));
  EXPECT_EQ(fewest_nodes, 4U);
  EXPECT_EQ(most_pods, 5U);
}

TEST_F(DaemonSet, ARollbackFindsTheOldRevisionAndMakesItTheNewest) {
  add_nodes(1);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v1") == 1; }));
  const std::string first(kube::name_of(*revisions()[0]));
  set_image(kube::kDaemonSets, "driver", "v2");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v2") == 1; }));
  ASSERT_EQ(revisions().size(), 2U);
  EXPECT_EQ(json::int_at(*revisions()[1], {"revision"}), 2);
  set_image(kube::kDaemonSets, "driver", "v1");
  ASSERT_TRUE(soon([&] { return ready_with("driver", "v1") == 1; }));
  ASSERT_EQ(revisions().size(), 2U);
  EXPECT_EQ(kube::name_of(*revisions()[1]), first);
  EXPECT_EQ(json::int_at(*revisions()[1], {"revision"}), 3);
}

TEST_F(DaemonSet, ARollbackUnderOnDeleteMakesUntouchedPodsCurrentAgain) {
  add_nodes(2);
  add_daemonset("driver", kOnDelete);
  ASSERT_TRUE(soon([&] { return ready("driver") == 2; }));
  set_image(kube::kDaemonSets, "driver", "v2");
  ASSERT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "observedGeneration") == 2; }));
  EXPECT_EQ(status("daemonsets.apps", "driver", "updatedNumberScheduled"), 0);
  set_image(kube::kDaemonSets, "driver", "v1");
  EXPECT_TRUE(soon([&] { return status("daemonsets.apps", "driver", "updatedNumberScheduled") == 2; }));
}

TEST_F(DaemonSet, KeepsOnlyAsManyOldRevisionsAsAsked) {
  add_nodes(1);
  add_daemonset("driver", R"({"type": "RollingUpdate"})", "", R"("revisionHistoryLimit": 2)");
  for (int i = 1; i <= 6; ++i) {
    set_image(kube::kDaemonSets, "driver", fmt::format("v{}", i));
    ASSERT_TRUE(soon([&] { return ready_with("driver", fmt::format("v{}", i)) == 1; }));
  }
  world.run_for(1min);
  EXPECT_EQ(revisions().size(), 3U);
}

TEST_F(DaemonSet, ReplacesAFailedPodEverMoreSlowly) {
  add_nodes(1);
  kubelet.ends_as["driver"] = "Failed";
  add_daemonset("driver");
  std::size_t created = 0;
  world.server().store().subscribe(
      [&](const Commit& commit) { created += commit.resource == "pods" && commit.kind == Commit::Kind::Created; });
  world.run_for(10min);
  EXPECT_GE(created, 5U);
  EXPECT_LE(created, 15U);
  EXPECT_GE(events("FailedDaemonPod"), 1U);
}

TEST_F(DaemonSet, AdoptsThePodsOfADaemonSetThatWasDeletedAsOrphaning) {
  add_nodes(2);
  add_daemonset("driver", kOnDelete);
  ASSERT_TRUE(soon([&] { return ready("driver") == 2; }));
  std::set<std::string> before;
  for (const Stored& pod : pods("driver")) before.emplace(kube::uid_of(*pod));
  remove(kube::kDaemonSets, "default", "driver", kube::Propagation::Orphan);
  ASSERT_TRUE(soon([&] { return !find("daemonsets.apps", "default/driver"); }));
  world.run_for(1min);
  ASSERT_EQ(pods("driver").size(), 2U);
  add_daemonset("driver", kOnDelete);
  world.run_for(1min);
  std::set<std::string> after;
  for (const Stored& pod : pods("driver")) after.emplace(kube::uid_of(*pod));
  EXPECT_EQ(after, before);
  EXPECT_EQ(status("daemonsets.apps", "driver", "updatedNumberScheduled"), 2);
  EXPECT_EQ(revisions().size(), 1U);
}

TEST_F(DaemonSet, LetsGoOfAPodThatNoLongerMatchesAndMakesAnother) {
  add_nodes(1);
  add_daemonset("driver");
  ASSERT_TRUE(soon([&] { return ready("driver") == 1; }));
  const std::string name(kube::name_of(*pods("driver")[0]));
  patch(kube::kPods, "default", name, R"({"metadata": {"labels": {"app": "under-study"}}})");
  ASSERT_TRUE(soon([&] { return ready("driver") == 1; }));
  ASSERT_TRUE(find("pods", "default/" + name));
  EXPECT_EQ(controller_uid(*find("pods", "default/" + name)), "");
}

TEST_F(DaemonSet, ComesBackToLifeWithTheControllersThatDied) {
  add_nodes(3);
  add_daemonset("driver", kOnDelete);
  ASSERT_TRUE(soon([&] { return ready("driver") == 3; }));
  world.cluster.stop_controllers();
  remove(kube::kPods, "default", std::string(kube::name_of(*pods("driver")[0])));
  world.run_for(1min);
  EXPECT_EQ(pods("driver").size(), 2U);
  world.cluster.start_controllers();
  EXPECT_TRUE(
      soon([&] { return ready("driver") == 3 && status("daemonsets.apps", "driver", "numberAvailable") == 3; }));
}

// Sanitizers make everything ten times slower; what grows too fast shows in a smaller fleet as well.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kLargeFleet = 1'000;
#else
constexpr int kLargeFleet = 10'000;
#endif

// The measure is work, not time: seats looked at, nodes looked at and commits, each per node, must not grow with the
// fleet.
TEST(DaemonSetAtScale, ARolloutCostsTheSamePerNodeAtTenThousandNodesAsAtAHundred) {
  struct Cost {
    double seats;
    double looks;  // of the scheduler at a node
    double commits;
    double callbacks;
  };
  const auto cost_per_node = [](int nodes) {
    World world({.cluster = {.patience = {.silence = {}, .startup = {}}}, .keeps_transcript = false});
    FakeKubelet kubelet(world);
    for (int i = 0; i < nodes; ++i) {
      kube::Object node = node_named(fmt::format("node-{}", i));
      json::ensure(node, {"status"}) =
          parsed(R"({"allocatable": {"pods": "110"}, "conditions": [{"type": "Ready", "status": "True"}]})");
      expect(world.server().serve(kube::create(kube::kNodes, "", std::move(node))));
    }
    kube::Object ds = parsed(R"({"metadata": {"name": "driver", "namespace": "default"}, "spec": {
      "selector": {"matchLabels": {"app": "driver"}},
      "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}},
      "template": {"metadata": {"labels": {"app": "driver"}}, "spec": {"containers": [{"name": "main", "image": "v1"}]}}}})");
    expect(world.server().serve(kube::create(kube::kDaemonSets, "default", std::move(ds))));
    const auto all_updated = [&](std::int64_t generation) {
      const Stored now = world.store().find("daemonsets.apps", "default/driver");
      return json::int_at(*now, {"status", "observedGeneration"}) == generation &&
             json::int_at(*now, {"status", "updatedNumberScheduled"}) == nodes &&
             json::int_at(*now, {"status", "numberAvailable"}) == nodes;
    };
    EXPECT_TRUE(world.run_until([&] { return all_updated(1); }, 1h));
    const auto seats = world.cluster.daemonsets()->seats_counted();
    const auto looks = world.cluster.scheduler()->looks();
    const auto commits = world.store().version();
    const auto callbacks = world.loop.callbacks_run();
    expect(world.server().serve(
        kube::patch(kube::kDaemonSets, "default", "driver", kube::PatchKind::Merge,
                    parsed(R"({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "v2"}]}}}})"))));
    EXPECT_TRUE(world.run_until([&] { return all_updated(2); }, 1h));
    return Cost{static_cast<double>(world.cluster.daemonsets()->seats_counted() - seats) / nodes,
                static_cast<double>(world.cluster.scheduler()->looks() - looks) / nodes,
                static_cast<double>(world.store().version() - commits) / nodes,
                static_cast<double>(world.loop.callbacks_run() - callbacks) / nodes};
  };
  const Cost small = cost_per_node(100);
  const Cost large = cost_per_node(kLargeFleet);
  EXPECT_LE(large.seats, small.seats * 1.5);
  EXPECT_LE(large.commits, small.commits * 1.1);
  EXPECT_LE(large.callbacks, small.callbacks * 1.1);
  EXPECT_LE(large.seats, 20);
  EXPECT_LE(large.looks, 2);
}

}  // namespace
}  // namespace drover::sim
