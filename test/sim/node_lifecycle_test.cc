#include "sim/controllers/node_lifecycle.h"

#include <algorithm>

#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

// A world whose nodes must renew their leases; those in `alive` do, every ten seconds.
class NodeLifecycleTest : public ::testing::Test {
 protected:
  NodeLifecycleTest() { renew(); }

  World live{WorldOptions{}};
  FakeKubelet live_kubelet{live};
  std::set<std::string> alive;
  base::Timer timer;

  void renew() {
    for (const std::string& node : alive) {
      const std::string now = base::rfc3339_micro(live.loop.wall());
      if (live.store().find("leases.coordination.k8s.io", "kube-node-lease/" + node)) {
        expect(live.server().serve(kube::patch(kube::kLeases, "kube-node-lease", node, kube::PatchKind::Merge,
                                               parsed(fmt::format(R"({{"spec": {{"renewTime": "{}"}}}})", now)))));
      } else {
        expect(live.server().serve(
            kube::create(kube::kLeases, "kube-node-lease",
                         parsed(fmt::format(R"({{"metadata": {{"name": "{0}", "namespace": "kube-node-lease"}},
                                 "spec": {{"holderIdentity": "{0}", "renewTime": "{1}"}}}})",
                                            node, now)))));
      }
    }
    timer = live.loop.after(10s, [this] { renew(); });
  }
  void add(const std::string& name) {
    alive.insert(name);
    expect(live.server().serve(kube::create(kube::kNodes, "", node_named(name))));
    say_ready(name, "True");
  }
  void say_ready(const std::string& name, const std::string& status) {
    expect(live.server().serve(
        kube::patch(kube::kNodes, "", name, kube::PatchKind::Merge,
                    parsed(fmt::format(R"({{"status": {{"allocatable": {{"pods": "110"}}, "conditions": [
               {{"type": "Ready", "status": "{}", "lastHeartbeatTime": "{}"}}]}}}})",
                                       status, base::rfc3339(live.loop.wall()))),
                    "status")));
  }
  void add_pod(const std::string& name, const std::string& node, const std::string& more = "") {
    expect(
        live.server().serve(kube::create(kube::kPods, "default",
                                         parsed(fmt::format(R"({{"metadata": {{"name": "{}", "namespace": "default"}},
                             "spec": {{"nodeName": "{}", "containers": [{{"name": "main", "image": "i"}}] {}}}}})",
                                                            name, node, more.empty() ? "" : ", " + more)))));
  }
  std::string ready_of(const std::string& node) {
    return std::string(condition_status(*live.store().find("nodes", node), "Ready"));
  }
  std::set<std::string> taints(const std::string& node) {
    std::set<std::string> found;
    for (const json::Value& taint : json::array_at(*live.store().find("nodes", node), {"spec", "taints"})) {
      found.insert(fmt::format("{}:{}", json::text_at(taint, {"key"}), json::text_at(taint, {"effect"})));
    }
    return found;
  }
  Stored pod(const std::string& name) { return live.store().find("pods", "default/" + name); }
  void lose(const std::string& node) {
    alive.erase(node);
    live_kubelet.dead.insert(node);
  }
};

TEST_F(NodeLifecycleTest, TrustsANodeAsLongAsItsLeaseIsRenewed) {
  add("a");
  live.run_for(1h);
  EXPECT_EQ(ready_of("a"), "True");
  EXPECT_TRUE(taints("a").empty());
}

TEST_F(NodeLifecycleTest, ANodeThatFallsSilentIsUnknownAfterTheGraceAndItsPodsAreNotReady) {
  add("a");
  add_pod("p", "a");
  live.run_for(30s);
  ASSERT_TRUE(pod_is_ready(*pod("p")));
  lose("a");
  live.run_for(39s);
  EXPECT_EQ(ready_of("a"), "True");
  live.run_for(15s);
  EXPECT_EQ(ready_of("a"), "Unknown");
  EXPECT_EQ(taints("a"), (std::set<std::string>{"node.kubernetes.io/unreachable:NoSchedule",
                                                "node.kubernetes.io/unreachable:NoExecute"}));
  EXPECT_FALSE(pod_is_ready(*pod("p")));
  EXPECT_EQ(phase_of(*pod("p")), "Running");
}

TEST_F(NodeLifecycleTest, PodsOfALostNodeAreMarkedForDeletionAfterFiveMinutesAndStayUntilTheKubeletAnswers) {
  add("a");
  add_pod("p", "a");
  live.run_for(30s);
  lose("a");
  ASSERT_TRUE(live.run_until([&] { return ready_of("a") == "Unknown"; }, 2min));
  live.run_for(299s);
  EXPECT_FALSE(kube::is_being_deleted(*pod("p")));
  live.run_for(2s);
  ASSERT_TRUE(pod("p"));
  EXPECT_TRUE(kube::is_being_deleted(*pod("p")));
  EXPECT_EQ(condition_status(*pod("p"), "DisruptionTarget"), "True");
  live.run_for(1h);
  EXPECT_TRUE(pod("p"));
}

TEST_F(NodeLifecycleTest, ANodeThatComesBackInTimeKeepsItsPods) {
  add("a");
  add_pod("p", "a");
  live.run_for(30s);
  lose("a");
  ASSERT_TRUE(live.run_until([&] { return ready_of("a") == "Unknown"; }, 2min));
  live.run_for(200s);
  alive.insert("a");
  live_kubelet.dead.clear();
  say_ready("a", "True");
  live.run_for(1h);
  EXPECT_FALSE(kube::is_being_deleted(*pod("p")));
  EXPECT_TRUE(taints("a").empty());
}

TEST_F(NodeLifecycleTest, PodsThatTolerateForEverStay) {
  add("a");
  add_pod("p", "a",
          R"("tolerations": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"}])");
  lose("a");
  live.run_for(1h);
  EXPECT_FALSE(kube::is_being_deleted(*pod("p")));
}

TEST_F(NodeLifecycleTest, ANodeThatSaysItIsNotReadyIsTaintedAsSuch) {
  add("a");
  live.run_for(1s);
  say_ready("a", "False");
  live.run_for(1s);
  EXPECT_EQ(taints("a"), (std::set<std::string>{"node.kubernetes.io/not-ready:NoSchedule",
                                                "node.kubernetes.io/not-ready:NoExecute"}));
  say_ready("a", "True");
  live.run_for(1s);
  EXPECT_TRUE(taints("a").empty());
}

TEST_F(NodeLifecycleTest, ACordonIsATaintAndForeignTaintsStay) {
  add("a");
  live.run_for(1s);
  const auto set_spec = [&](const std::string& spec) {
    expect(live.server().serve(kube::patch(kube::kNodes, "", "a", kube::PatchKind::Merge, parsed(spec))));
    live.run_for(1s);
  };
  set_spec(R"({"spec": {"unschedulable": true, "taints": [{"key": "mine", "effect": "NoSchedule"}]}})");
  EXPECT_EQ(taints("a"), (std::set<std::string>{"mine:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule"}));
  set_spec(R"({"spec": {"unschedulable": false}})");
  EXPECT_EQ(taints("a"), std::set<std::string>{"mine:NoSchedule"});
}

TEST_F(NodeLifecycleTest, ANodeThatNeverReportsIsUnknownAfterItsStartup) {
  expect(live.server().serve(kube::create(kube::kNodes, "", node_named("mute"))));
  live.run_for(55s);
  EXPECT_EQ(ready_of("mute"), "");
  live.run_for(10s);
  EXPECT_EQ(ready_of("mute"), "Unknown");
}

TEST_F(NodeLifecycleTest, AnUntoleratedNoExecuteTaintEvictsAtOnceAndToleratedOnesLater) {
  add("a");
  add_pod("at-once", "a");
  add_pod("later", "a",
          R"("tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}])");
  live.run_for(5s);
  expect(live.server().serve(kube::patch(kube::kNodes, "", "a", kube::PatchKind::Merge,
                                         parsed(R"({"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}})"))));
  live.run_for(5s);
  EXPECT_FALSE(pod("at-once"));
  EXPECT_TRUE(pod("later"));
  live.run_for(60s);
  EXPECT_FALSE(pod("later"));
}

TEST_F(NodeLifecycleTest, PodsOfANodeThatWasDeletedAreCollected) {
  add("a");
  add_pod("p", "a");
  live.run_for(10s);
  lose("a");
  expect(live.server().serve(kube::remove(kube::kNodes, "", "a", "")));
  live.run_for(30s);
  EXPECT_TRUE(pod("p"));
  live.run_for(20s);
  EXPECT_FALSE(pod("p"));
}

}  // namespace
}  // namespace drover::sim
