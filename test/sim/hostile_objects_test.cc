// Controllers and kubelets among objects that admission would never let in: whatever the store holds, the cluster goes
// on.
//
// Each test takes a sound object, puts nonsense into one place of it, lays it into the store past the server, lets
// time pass, and takes it out again; in the end a Deployment still gets its pods.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

const std::vector<json::Value>& nonsense() {
  static const std::vector<json::Value> kAll = {
      nullptr,
      true,
      -1,
      0,
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::uint64_t>::max(),
      -1e300,
      "",
      "-1%",
      "9999-12-31T23:59:59Z",
      json::Array(),
      json::Array{nullptr, 1, "x", json::Array(), json::Members()},
      json::Members(),
      json::Members{{"x", nullptr}, {"key", json::Array()}},
  };
  return kAll;
}

// Every place in a value, as the keys and indexes that lead to it.
using Place = std::vector<std::string>;
void places_in(const json::Value& value, Place& here, std::vector<Place>& all) {
  const auto go = [&](std::string step, const json::Value& inside) {
    here.push_back(std::move(step));
    all.push_back(here);
    places_in(inside, here, all);
    here.pop_back();
  };
  if (const auto* members = value.if_object()) {
    for (const auto& member : *members) go(std::string(member.key()), member.value());
  } else if (const auto* list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) go(std::to_string(i), (*list)[i]);
  }
}

json::Value* at(json::Value& value, const Place& place) {
  json::Value* found = &value;
  for (const std::string& step : place) {
    found = found->is_array() ? &found->get_array()[std::stoul(step)] : &found->get_object()[step];
  }
  return found;
}

// What the store itself cannot do without, and what would make it another object.
bool is_fixed(const Place& place) {
  return place.size() == 1
             ? place[0] == "metadata"
             : place.size() == 2 && place[0] == "metadata" && (place[1] == "name" || place[1] == "namespace");
}

class HostileObjects : public WorldTest {
 protected:
  HostileObjects() {
    add_nodes(3);
    world.run_for(1s);
  }

  void survive(const std::string& resource, const std::string& text) {
    mutate(resource, text);
    expect_life();
  }

  // Every nonsense in every place of `text`, an object of this resource.
  void mutate(const std::string& resource, const std::string& text) {
    const kube::Object sound = parsed(text);
    std::vector<Place> places;
    Place here;
    places_in(sound, here, places);
    for (const Place& place : places) {
      if (is_fixed(place)) continue;
      for (const json::Value& value : nonsense()) {
        kube::Object mutant(sound);
        *at(mutant, place) = value;
        world.server().store().put(resource, mutant);
        world.run_for(100ms);
        // Changed once more, so that what is compared with its state before is compared.
        world.server().store().put(resource, sound);
        world.server().store().put(resource, mutant);
        world.run_for(100ms);
        world.server().store().erase(resource, kube::key_of(sound));
        world.run_for(20ms);
      }
    }
  }

  void expect_life() {
    world.run_for(1min);
    create(kube::kDeployments, fmt::format(R"({{"metadata": {{"name": "sound", "namespace": "default"}},
                "spec": {{"replicas": 3, "selector": {{"matchLabels": {{"app": "sound"}}}}, "template": {}}}}})",
                                           pod_template("sound", "v1")));
    world.run_for(1min);
    const Stored deployment = world.store().find("deployments.apps", "default/sound");
    ASSERT_TRUE(deployment);
    EXPECT_EQ(json::int_at(*deployment, {"status", "availableReplicas"}), 3);
  }

  static std::string meta(const std::string& uid, const std::string& more = "") {
    return fmt::format(R"("metadata": {{"name": "mutant", "namespace": "default", "uid": "{}", "generation": 1,
      "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {{"app": "mutant"}},
      "annotations": {{"deployment.kubernetes.io/revision": "1"}} {}}})",
                       uid, more);
  }
  static std::string conditions() {
    return R"("conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"},
                             {"type": "Progressing", "status": "True", "reason": "x", "lastUpdateTime": "2026-01-01T00:00:00Z"}])";
  }
};

TEST_F(HostileObjects, AReplicaSetWithLessThanNoReplicasHasNone) {
  world.server().store().put("replicasets.apps", parsed(fmt::format(R"({{"kind": "ReplicaSet", "apiVersion": "apps/v1",
      {}, "spec": {{"replicas": -1, "selector": {{"matchLabels": {{"app": "mutant"}}}}, "template": {}}}}})",
                                                                    meta("u1"), pod_template("mutant", "v1"))));
  world.run_for(10s);
  EXPECT_EQ(world.store().count("pods"), 0u);
  expect_life();
}

TEST_F(HostileObjects, ADeploymentWithLessThanNoReplicasHasNone) {
  world.server().store().put("deployments.apps", parsed(fmt::format(R"({{"kind": "Deployment", "apiVersion": "apps/v1",
      {}, "spec": {{"replicas": -1, "selector": {{"matchLabels": {{"app": "mutant"}}}}, "template": {}}}}})",
                                                                    meta("u1"), pod_template("mutant", "v1"))));
  world.run_for(10s);
  EXPECT_EQ(world.store().count("pods"), 0u);
  expect_life();
}

TEST_F(HostileObjects, AJobWithLessThanNoParallelismHasNoPods) {
  world.server().store().put("jobs.batch", parsed(fmt::format(R"({{"kind": "Job", "apiVersion": "batch/v1",
      {}, "spec": {{"parallelism": -3, "completions": 2, "selector": {{"matchLabels": {{"app": "mutant"}}}}, "template": {}}}}})",
                                                              meta("u1"), pod_template("mutant", "v1"))));
  world.run_for(10s);
  EXPECT_EQ(world.store().count("pods"), 0u);
  expect_life();
}

TEST_F(HostileObjects, Deployments) {
  survive("deployments.apps",
          fmt::format(R"({{"kind": "Deployment", "apiVersion": "apps/v1", {}, "spec": {{"replicas": 1, "paused": false,
      "minReadySeconds": 1, "progressDeadlineSeconds": 10, "revisionHistoryLimit": 1,
      "selector": {{"matchLabels": {{"app": "mutant"}}}},
      "strategy": {{"type": "RollingUpdate", "rollingUpdate": {{"maxSurge": 1, "maxUnavailable": "25%"}}}}, "template": {}}},
      "status": {{"replicas": 1, "availableReplicas": 1, "updatedReplicas": 1, "collisionCount": 1, {}}}}})",
                      meta("u1"), pod_template("mutant", "v1"), conditions()));
}

TEST_F(HostileObjects, ReplicaSets) {
  survive("replicasets.apps",
          fmt::format(R"({{"kind": "ReplicaSet", "apiVersion": "apps/v1", {}, "spec": {{"replicas": 1,
      "minReadySeconds": 1, "selector": {{"matchLabels": {{"app": "mutant"}}}}, "template": {}}},
      "status": {{"replicas": 1, "availableReplicas": 1, {}}}}})",
                      meta("u1"), pod_template("mutant", "v1"), conditions()));
}

TEST_F(HostileObjects, DaemonSets) {
  survive("daemonsets.apps",
          fmt::format(R"({{"kind": "DaemonSet", "apiVersion": "apps/v1", {}, "spec": {{"minReadySeconds": 1,
      "revisionHistoryLimit": 1, "selector": {{"matchLabels": {{"app": "mutant"}}}},
      "updateStrategy": {{"type": "RollingUpdate", "rollingUpdate": {{"maxSurge": 0, "maxUnavailable": 1}}}},
      "template": {}}}, "status": {{"numberReady": 1, "collisionCount": 1, {}}}}})",
                      meta("u1"), pod_template("mutant", "v1"), conditions()));
}

TEST_F(HostileObjects, Jobs) {
  survive("jobs.batch",
          fmt::format(R"({{"kind": "Job", "apiVersion": "batch/v1", {}, "spec": {{"parallelism": 1, "completions": 1,
      "backoffLimit": 1, "activeDeadlineSeconds": 100, "ttlSecondsAfterFinished": 1, "suspend": false,
      "selector": {{"matchLabels": {{"app": "mutant"}}}}, "template": {}}},
      "status": {{"startTime": "2026-01-01T00:00:00Z", "succeeded": 0, "failed": 0, "terminating": 0,
      "uncountedTerminatedPods": {{"succeeded": ["u"], "failed": ["v"]}}, {}}}}})",
                      meta("u1"), pod_template("mutant", "v1", R"("restartPolicy": "OnFailure")"), conditions()));
}

TEST_F(HostileObjects, Pods) {
  const std::string owner =
      R"(, "finalizers": ["batch.kubernetes.io/job-tracking"], "deletionGracePeriodSeconds": 1, "ownerReferences":
         [{"apiVersion": "batch/v1", "kind": "Job", "name": "none", "uid": "none", "controller": true}])";
  const std::string spec = R"("restartPolicy": "Always", "terminationGracePeriodSeconds": 1, "schedulerName": "",
      "tolerations": [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}],
      "overhead": {"cpu": "1m"}, "nodeSelector": {}, "volumes": [{"name": "v", "hostPath": {"path": "/dev/x"}}],
      "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey":
        "kubernetes.io/hostname", "namespaces": ["default"], "labelSelector": {"matchLabels": {"a": "b"}}}]},
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchFields":
          [{"key": "metadata.name", "operator": "In", "values": ["node-1"]}]}]}}},
      "initContainers": [{"name": "i", "image": "i", "restartPolicy": "Always"}],
      "containers": [{"name": "c", "image": "i", "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
        "command": ["sleep", "1"], "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"x.y/z": 1}},
        "livenessProbe": {"periodSeconds": 1, "initialDelaySeconds": 1, "failureThreshold": 1, "successThreshold": 1}}])";
  const std::string status = R"("status": {"phase": "Pending", "startTime": "2026-01-01T00:00:00Z",
      "containerStatuses": [{"name": "c", "restartCount": 1, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}],
      "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]})";
  Kubelets kubelets(world.api("kubelets"), world.loop, base::Random(3), KubeletPlan{});
  patch(kube::kNodes, "", "node-1", fmt::format(R"({{"metadata": {{"labels": {{"{}": "true"}}}}}})", kSimulatedLabel));
  kubelets.start();
  mutate("pods", fmt::format(R"({{"kind": "Pod", "apiVersion": "v1", {}, "spec": {{{}}}, {}}})", meta("u1", owner),
                             spec, status));
  survive("pods", fmt::format(R"({{"kind": "Pod", "apiVersion": "v1", {}, "spec": {{"nodeName": "node-1", {}}}, {}}})",
                              meta("u2", owner), spec, status));
}

TEST_F(HostileObjects, Nodes) {
  survive("nodes", fmt::format(R"({{"kind": "Node", "apiVersion": "v1", "metadata": {{"name": "mutant", "uid": "u1",
      "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {{"a": "b"}}}},
      "spec": {{"unschedulable": false, "taints": [{{"key": "k", "value": "v", "effect": "NoExecute"}}]}},
      "status": {{"allocatable": {{"cpu": "1", "memory": "1Gi", "pods": "10"}}, {}}}}})",
                               conditions()));
}

TEST_F(HostileObjects, Leases) {
  survive("leases.coordination.k8s.io", R"({"kind": "Lease", "apiVersion": "coordination.k8s.io/v1", "metadata":
      {"name": "mutant", "namespace": "kube-node-lease", "uid": "u1", "ownerReferences":
       [{"apiVersion": "v1", "kind": "Node", "name": "node-1", "uid": "x"}]},
      "spec": {"holderIdentity": "node-1", "leaseDurationSeconds": 40, "renewTime": "2026-01-01T00:00:00.000000Z"}})");
}

TEST_F(HostileObjects, Budgets) {
  survive("poddisruptionbudgets.policy", fmt::format(R"({{"kind": "PodDisruptionBudget", "apiVersion": "policy/v1", {},
      "spec": {{"minAvailable": 1, "maxUnavailable": "10%", "selector": {{"matchLabels": {{"app": "mutant"}}}}}},
      "status": {{"disruptedPods": {{"a": "2026-01-01T00:00:00Z"}}, "observedGeneration": 1, {}}}}})",
                                                     meta("u1"), conditions()));
}

TEST_F(HostileObjects, Revisions) {
  survive("controllerrevisions.apps", fmt::format(R"({{"kind": "ControllerRevision", "apiVersion": "apps/v1", {},
      "revision": 1, "data": {{"spec": {{"template": {{}}}}}}}})",
                                                  meta("u1", R"(, "ownerReferences": [{"apiVersion": "apps/v1",
      "kind": "DaemonSet", "name": "mutant", "uid": "u9", "controller": true}])")));
}

TEST_F(HostileObjects, Namespaces) {
  survive("namespaces", R"({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": "mutant", "uid": "u1",
      "deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {"finalizers": ["kubernetes"]},
      "status": {"phase": "Terminating", "conditions": [{"type": "x", "status": "True"}]}})");
}

TEST_F(HostileObjects, Events) {
  survive("events", fmt::format(R"({{"kind": "Event", "apiVersion": "v1", {}, "count": 1,
      "lastTimestamp": "2026-01-01T00:00:00Z", "involvedObject": {{"kind": "Pod", "name": "x", "uid": "y"}}}})",
                                meta("u1")));
}

}  // namespace
}  // namespace drover::sim
