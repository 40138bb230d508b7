// A simulated cluster on which a plan is made first, and the real operator runs then.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/snapshot_reader.h"
#include "forecast/monte_carlo.h"
#include "protocol/keys.h"
#include "test/operator/stage.h"
#include "vendors/nvidia/module.h"

namespace drover::cli::testing {

using operate::testing::cluster_policy;
using operate::testing::parsed;
using operate::testing::Stage;
using operate::testing::StageOptions;
using namespace std::chrono_literals;

inline constexpr const char* kOld = "535.129.03";
inline constexpr const char* kNew = "550.54.14";
inline constexpr std::string_view kSkip = "nvidia.com/gpu-driver-upgrade.skip";

// The operator's door, with what it did to nodes and pods written down.
class WitnessedApi final : public kube::Api {
 public:
  WitnessedApi(kube::Api& api, sim::World& world) : api_(api), world_(world) {}

  kube::Call call(kube::Request request, Answer answer) override {
    const bool evicts = request.subresource == "eviction";
    const bool deletes = request.verb == kube::Verb::Delete && request.resource.plural == "pods" && request.ns == "ml";
    const bool takes = request.resource.plural == "nodes" && puts_our_taint(request.body);
    const std::string name = takes ? request.name : request.ns + "/" + request.name;
    const std::string whose = deletes ? whereabouts(name) : std::string();
    return api_.call(std::move(request), [=, this, answer = std::move(answer)](kube::Result<kube::Object> result) {
      if (result && evicts) evicted.push_back(name);
      if (result && deletes) deleted.push_back(name);
      if (result && deletes) deleted_from.insert(whose);
      if (result && takes) taken.push_back(name);
      if (result && (evicts || deletes || takes)) {
        said += fmt::format("{} {} {}\n",
                            base::human(std::chrono::round<std::chrono::seconds>(world_.loop.now() - begun_at)),
                            evicts    ? "evicts"
                            : deletes ? "deletes"
                                      : "takes",
                            name);
      }
      answer(std::move(result));
    });
  }
  kube::Call list(kube::ListRequest request, kube::ListSink sink) override {
    return api_.list(std::move(request), std::move(sink));
  }
  kube::Call watch(kube::WatchRequest request, kube::WatchSink sink) override {
    return api_.watch(std::move(request), std::move(sink));
  }

  std::vector<std::string> evicted;
  std::vector<std::string> deleted;
  std::multiset<std::string> deleted_from;  // "nvidia-1 ReplicaSet ml/train-5f6", "nvidia-1 ml/bare"
  std::vector<std::string> taken;
  std::string said;
  base::Instant begun_at = {};

 private:
  static bool puts_our_taint(const json::Value& patch) {
    const json::Array& taints = json::array_at(patch, {"spec", "taints"});
    return std::any_of(taints.begin(), taints.end(),
                       [](const json::Value& taint) { return json::text_at(taint, {"key"}) == protocol::kSwapTaint; });
  }
  std::string whereabouts(const std::string& pod) const {
    const sim::Stored stored = world_.store().find("pods", pod);
    if (!stored) return {};
    const std::string node(json::text_at(*stored, {"spec", "nodeName"}));
    const json::Array& owners = json::array_at(*stored, {"metadata", "ownerReferences"});
    if (owners.empty()) return node + " " + pod;
    return fmt::format("{} {} {}/{}", node, json::text_at(owners[0], {"kind"}), kube::namespace_of(*stored),
                       json::text_at(owners[0], {"name"}));
  }

  kube::Api& api_;
  sim::World& world_;
};

struct Workload {
  std::string name = "train";
  int replicas = 1;
  int gpus = 1;
  int grace = 5;
  bool local_data = false;
  bool is_bare = false;
  std::optional<int> available = {};  // its budget
};

inline std::string text_of(const Workload& one) {
  return fmt::format("{} x{} gpus={} grace={}s{}{}{}\n", one.name, one.replicas, one.gpus, one.grace,
                     one.local_data ? " emptyDir" : "", one.is_bare ? " bare" : "",
                     one.available ? fmt::format(" available={}", *one.available) : "");
}

// An NVIDIADriver and its nodes.
struct Pool {
  std::string name;
  std::string upgrade = {};
  bool changes = true;
};

inline kube::Object nvidia_driver(std::string_view name, std::string_view version, std::string_view spec) {
  return parsed(fmt::format(R"({{"apiVersion": "nvidia.com/v1alpha1", "kind": "NVIDIADriver",
      "metadata": {{"name": "{}"}}, "spec": {{"version": "{}",
      "startupProbe": {{"initialDelaySeconds": 0, "periodSeconds": 1}}, {}}}}})",
                            name, version, spec));
}

inline kube::Object driver_of(const Pool& pool, std::string_view version) {
  return nvidia_driver(pool.name, version,
                       fmt::format(R"("nodeSelector": {{"pool": "{}"}}, "upgradePolicy": {{"autoUpgrade": true{}{}}})",
                                   pool.name, pool.upgrade.empty() ? "" : ", ", pool.upgrade));
}

// One random cluster, from its seed.
struct Setting {
  int nodes = 3;
  std::string upgrade;
  std::vector<Pool> pools = {};                     // each node has one, in turn; none: a ClusterPolicy has all nodes
  std::optional<core::Share> max_unavailable = {};  // over all of them
  sim::Tempo tempo = {};
  std::vector<Workload> workloads;
  std::string skipped = {};   // a node that a person left out
  std::string cordoned = {};  // one that a person cordoned
  std::string clung_to = {};  // one with a daemon pod that would be back at once
};

inline json::Value pod_template(const Workload& work) {
  return parsed(fmt::format(
      R"({{"metadata": {{"labels": {{"app": "{0}"}}}},
      "spec": {{"terminationGracePeriodSeconds": {1}, {3} "containers": [{{"name": "c", "image": "train:1"{2}}}]}}}})",
      work.name, work.grace,
      work.gpus == 0 ? "" : fmt::format(R"(, "resources": {{"limits": {{"nvidia.com/gpu": "{}"}}}})", work.gpus),
      work.local_data ? R"("volumes": [{"name": "scratch", "emptyDir": {}}],)" : ""));
}

class Cluster : public Stage {
 public:
  Cluster(std::uint64_t seed, const Setting& setting)
      : Stage({.seed = seed,
               .nodes = fmt::format("nvidia={}", setting.nodes),
               .kubelets = {.tempo = setting.tempo, .events = false}}),
        door(world.api("operator"), world),
        max_unavailable(setting.max_unavailable),
        setting_(setting) {
    EXPECT_TRUE(kubelets.images().prefer("train:*", "", "deaf; wait forever"));
    if (setting.pools.empty()) create_policy(cluster_policy(kOld, setting.upgrade));
    for (int i = 0; i < setting.nodes && !setting.pools.empty(); ++i) {
      put_into(fmt::format("nvidia-{}", i + 1), setting.pools[static_cast<std::size_t>(i) % setting.pools.size()].name);
    }
    for (const Pool& pool : setting.pools)
      ask(kube::create(operate::testing::kNvidiaDrivers, "", driver_of(pool, kOld)));
    start();
    EXPECT_TRUE(run_until_all("upgrade-done"));
    for (const Workload& work : setting.workloads) add(work);
    if (!setting.skipped.empty()) {
      patch_node(setting.skipped, fmt::format(R"({{"metadata": {{"labels": {{"{}": "true"}}}}}})", kSkip));
    }
    if (!setting.cordoned.empty()) patch_node(setting.cordoned, R"({"spec": {"unschedulable": true}})");
    if (!setting.clung_to.empty()) add_clinging(fmt::format(R"("kubernetes.io/hostname": "{}")", setting.clung_to));
    world.run_for(90s);
    world.store().each("pods", "ml", [&](const sim::Stored& pod) { before.insert(kube::key_of(*pod)); });
  }

  void start() {
    operate::Settings settings;
    settings.vendors.push_back({.profile = &vendors::nvidia_driver(), .operands = {}});
    settings.max_unavailable = max_unavailable;
    drover =
        std::make_unique<operate::Operator>(door, world.loop, world.cluster.random("operator-1"), std::move(settings));
    drover->start();
  }
  void put_into(const std::string& node, std::string_view pool) {
    patch_node(node, fmt::format(R"({{"metadata": {{"labels": {{"pool": "{}"}}}}}})", pool));
  }

  // What somebody means to apply: the new driver.
  std::vector<ProposedPolicy> next() const {
    if (setting_.pools.empty()) return {{.kind = 0, .object = cluster_policy(kNew, setting_.upgrade)}};
    std::vector<ProposedPolicy> next;
    for (const Pool& pool : setting_.pools) {
      if (pool.changes) next.push_back({.kind = 1, .object = driver_of(pool, kNew)});
    }
    return next;
  }
  // And applies then.
  void go_on() {
    if (setting_.pools.empty()) return set_version(kNew);
    for (const Pool& pool : setting_.pools) {
      if (!pool.changes) continue;
      ask(kube::patch(operate::testing::kNvidiaDrivers, "", pool.name, kube::PatchKind::Merge,
                      {{"spec", {{"version", kNew}}}}));
    }
  }

  void add(const Workload& work) {
    if (work.is_bare) {
      json::Value pod = pod_template(work);
      json::ensure(pod, {"metadata", "name"}) = work.name;
      ask(kube::create(kube::kPods, "ml", std::move(pod)));
    } else {
      json::Value deployment = parsed(fmt::format(
          R"({{"metadata": {{"name": "{0}"}}, "spec": {{"replicas": {1}, "selector": {{"matchLabels": {{"app": "{0}"}}}}}}}})",
          work.name, work.replicas));
      json::ensure(deployment, {"spec", "template"}) = pod_template(work);
      ask(kube::create(kube::kDeployments, "ml", std::move(deployment)));
    }
    if (work.available) create_budget(work.name, *work.available);
  }

  // A monitor that tolerates everything and uses the device: evicted, it would be there again before the driver has
  // gone.
  void add_clinging(const std::string& where) {
    ask(kube::create(kube::kDaemonSets, "ml",
                     parsed(fmt::format(R"({{"metadata": {{"name": "monitor"}},
      "spec": {{"selector": {{"matchLabels": {{"app": "monitor"}}}}, "template": {{"metadata": {{"labels": {{"app": "monitor"}}}},
        "spec": {{"tolerations": [{{"operator": "Exists"}}], "nodeSelector": {{{}}}, "containers": [{{"name": "c", "image": "train:1",
          "resources": {{"limits": {{"nvidia.com/gpu": "1"}}}}}}]}}}}}}}})",
                                        where))));
  }

  // `policies` take the place of those that are there.
  std::unique_ptr<SnapshotReader> surveyed(std::vector<ProposedPolicy> policies) {
    auto reader = std::make_unique<SnapshotReader>(person, world.loop, vendors::nvidia_driver(), std::move(policies),
                                                   max_unavailable);
    std::optional<base::Result<void>> ended;
    reader->begin([&](base::Result<void> result) { ended = std::move(result); });
    EXPECT_TRUE(world.run_until([&] { return ended.has_value(); }, 1min));
    EXPECT_TRUE(*ended) << ended->error().message;
    return reader;
  }
  forecast::ForecastInput input(std::vector<ProposedPolicy> policies = {}) {
    const auto reader = surveyed(std::move(policies));
    EXPECT_THAT(reader->troubles(), ::testing::IsEmpty());
    return reader->input();
  }

  // The nodes' states, until they have been the same for a while; and when the last of them changed.
  base::Span run_to_rest(base::Span at_most) {
    const base::Instant begun = world.loop.now();
    base::Instant changed = begun;
    std::map<std::string, std::string> last;
    while (world.loop.now() - begun < at_most) {
      std::map<std::string, std::string> now;
      bool is_over = true;
      world.store().each("nodes", "", [&](const sim::Stored& node) {
        const std::string_view state = kube::label_of(*node, operate::testing::kState);
        now[std::string(kube::name_of(*node))] = state;
        const bool is_skipped = kube::label_of(*node, kSkip) == "true";
        is_over = is_over && (is_skipped || state == "upgrade-done" || state == "upgrade-failed");
      });
      if (now != last) changed = world.loop.now();
      last = now;
      if (is_over && world.loop.now() - changed > 30s) break;
      world.run_for(500ms);
    }
    return changed - begun;
  }

  WitnessedApi door;
  std::optional<core::Share> max_unavailable;  // over all policies
  std::set<std::string> before;                // pods that were there when the plan was made

 private:
  Setting setting_;
};

}  // namespace drover::cli::testing
