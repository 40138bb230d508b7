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
#include "observe/recorded_state.h"
#include "test/cli/plan_vendor.h"
#include "test/cli/plan_witness.h"

namespace drover::cli::testing {

using operate::testing::cluster_policy;
using operate::testing::parsed;
using operate::testing::Stage;
using operate::testing::StageOptions;
using namespace std::chrono_literals;

inline constexpr const char* kOld = "535.129.03";
inline constexpr const char* kNew = "550.54.14";

struct Workload {
  std::string name = "train";
  int replicas = 1;
  int devices = 1;
  int grace = 5;
  bool local_data = false;
  bool is_bare = false;
  std::optional<int> available = {};              // its budget
  std::string_view resource = nvidia().resource;  // of its devices
};

inline std::string text_of(const Workload& one) {
  return fmt::format("{} x{} {}={} grace={}s{}{}{}\n", one.name, one.replicas, one.resource, one.devices, one.grace,
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

// A vendor's nodes and its policy.
struct Part {
  const PlanVendor* vendor = &nvidia();
  int nodes = 3;
  std::string upgrade = {};
};

// One random cluster, from its seed.
struct Setting : Part {
  std::vector<Part> others = {};
  std::vector<Pool> pools = {};                     // each node has one, in turn; none: one policy has all nodes
  std::optional<core::Share> max_unavailable = {};  // over all of them
  sim::Tempo tempo = {};
  std::vector<Workload> workloads = {};
  std::string skipped = {};      // a node that a user left out
  std::string cordoned = {};     // one that a user cordoned
  std::string clung_to = {};     // one with a daemon pod that would be back at once
  std::string gated_label = {};  // on every node a daemon pod that uses the device, and goes when this says "false"

  std::vector<Part> parts() const {
    std::vector<Part> all = {*this};
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }
};

inline json::Value pod_template(const Workload& work) {
  return parsed(fmt::format(
      R"({{"metadata": {{"labels": {{"app": "{0}"}}}},
      "spec": {{"terminationGracePeriodSeconds": {1}, {3} "containers": [{{"name": "c", "image": "train:1"{2}}}]}}}})",
      work.name, work.grace,
      work.devices == 0 ? ""
                        : fmt::format(R"(, "resources": {{"limits": {{"{}": "{}"}}}})", work.resource, work.devices),
      work.local_data ? R"("volumes": [{"name": "scratch", "emptyDir": {}}],)" : ""));
}

class Cluster : public Stage {
 public:
  Cluster(std::uint64_t seed, const Setting& setting)
      : Stage({.seed = seed,
               .nodes = first_nodes(setting),
               .kubelets = {.tempo = setting.tempo, .events = false},
               .definitions = definitions_of(setting),
               .ns = setting.vendor->ns}),
        door(world.api("operator"), world),
        max_unavailable(setting.max_unavailable),
        setting_(setting) {
    EXPECT_TRUE(kubelets.images().prefer("train:*", "", "deaf; wait forever"));
    for (const Part& part : setting.others)
      ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", part.vendor->ns}}}}));
    if (setting.pools.empty()) {
      for (const Part& part : setting.parts())
        ask(kube::create(part.vendor->policies, "", part.vendor->policy(first_version(part), part.upgrade)));
    }
    for (int i = 0; i < setting.nodes && !setting.pools.empty(); ++i)
      put_into(fmt::format("nvidia-{}", i + 1), setting.pools[static_cast<std::size_t>(i) % setting.pools.size()].name);
    for (const Pool& pool : setting.pools)
      ask(kube::create(operate::testing::kNvidiaDrivers, "", driver_of(pool, kOld)));
    start();
    EXPECT_TRUE(run_until_done());
    grow_old();
    for (const Workload& work : setting.workloads) add(work);
    furnish();
    world.run_for(90s);
    world.store().each("pods", "ml", [&](const sim::Stored& pod) { before.insert(kube::key_of(*pod)); });
    door.begin();
  }

  void start() {
    operate::Settings settings;
    for (const Part& part : setting_.parts()) settings.vendors.push_back(part.vendor->served());
    settings.max_unavailable = max_unavailable;
    drover =
        std::make_unique<operate::Operator>(door, world.loop, world.cluster.random("operator-1"), std::move(settings));
    drover->start();
  }
  void put_into(const std::string& node, std::string_view pool) {
    patch_node(node, fmt::format(R"({{"metadata": {{"labels": {{"pool": "{}"}}}}}})", pool));
  }
  std::vector<const vendors::WorkProfile*> profiles() const {
    std::vector<const vendors::WorkProfile*> profiles;
    for (const Part& part : setting_.parts()) profiles.push_back(&part.vendor->profile());
    return profiles;
  }

  // What a user means to apply: the new driver.
  std::vector<ProposedPolicy> next() const {
    std::vector<ProposedPolicy> next;
    for (const Pool& pool : setting_.pools) {
      if (pool.changes)
        next.push_back({.profile = &vendors::nvidia_driver(), .kind = 1, .object = driver_of(pool, kNew)});
    }
    if (!setting_.pools.empty()) return next;
    for (const Part& part : setting_.parts()) {
      const PlanVendor& vendor = *part.vendor;
      next.push_back({.profile = &vendor.profile(), .object = vendor.policy(vendor.new_version, part.upgrade)});
    }
    return next;
  }
  // And applies then.
  void go_on() {
    for (const Pool& pool : setting_.pools) {
      if (!pool.changes) continue;
      ask(kube::patch(operate::testing::kNvidiaDrivers, "", pool.name, kube::PatchKind::Merge,
                      {{"spec", {{"version", kNew}}}}));
    }
    if (!setting_.pools.empty()) return;
    for (const Part& part : setting_.parts()) apply(*part.vendor, part.vendor->new_version);
  }
  void apply(const PlanVendor& vendor, std::string_view version) {
    ask(kube::patch(vendor.policies, "", std::string(vendor.policy_name), kube::PatchKind::Merge,
                    vendor.merge(version)));
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

  // Pods that tolerate all taints and use the device, on nodes with these members of a pod's spec: evicted, they would
  // be there again before the driver has gone.
  void add_daemons(const std::string& name, const std::string& placement) {
    ask(kube::create(kube::kDaemonSets, "ml",
                     parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}},
      "spec": {{"selector": {{"matchLabels": {{"app": "{0}"}}}}, "template": {{"metadata": {{"labels": {{"app": "{0}"}}}},
        "spec": {{"tolerations": [{{"operator": "Exists"}}], {1}, "containers": [{{"name": "c", "image": "train:1",
          "resources": {{"limits": {{"{2}": "1"}}}}}}]}}}}}}}})",
                                        name, placement, setting_.vendor->resource))));
  }
  void add_clinging(const std::string& labels) {
    add_daemons("monitor", fmt::format(R"("nodeSelector": {{{}}})", labels));
  }

  // `policies` take the place of those that are there.
  std::unique_ptr<SnapshotReader> surveyed(std::vector<ProposedPolicy> policies) {
    const auto all = profiles();
    auto reader = std::make_unique<SnapshotReader>(person, world.loop, all, std::move(policies), max_unavailable);
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
  forecast::Forecast foreseen(std::vector<ProposedPolicy> policies = {}) {
    return forecast::foresee(input(std::move(policies)));
  }

  // ---- as the records say

  const PlanVendor& vendor_of(const std::string& node) const {
    const auto parts = setting_.parts();
    const auto at =
        std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return node.starts_with(part.vendor->name); });
    return at == parts.end() ? *setting_.vendor : *at->vendor;
  }
  core::Phase phase_of(const std::string& name) const {
    return observe::recorded_state_of(observe::node_facts(*node(name)), vendor_of(name).profile(), "",
                                      world.loop.wall())
        .phase;
  }
  bool is_skipped(const std::string& name) const {
    return kube::label_of(*node(name), vendor_of(name).profile().skip_label) == "true";
  }
  // All are done (or have failed).
  bool is_over(bool may_fail = true) const {
    const auto all = names();
    return std::all_of(all.begin(), all.end(), [&](const std::string& name) {
      const core::Phase phase = phase_of(name);
      return is_skipped(name) || phase == core::Phase::Done || (may_fail && phase == core::Phase::Failed);
    });
  }
  bool run_until_done(base::Span at_most = 1h) {
    for (base::Span passed{}; passed < at_most && !is_over(false); passed += 100ms) world.run_for(100ms);
    return is_over(false);
  }
  // The nodes' phases, until they have been the same for a while; and when the last of them changed.
  base::Span run_to_rest(base::Span at_most) {
    const base::Instant begun = world.loop.now();
    base::Instant changed = begun;
    std::map<std::string, core::Phase> last;
    while (world.loop.now() - begun < at_most) {
      std::map<std::string, core::Phase> now;
      for (const std::string& name : names()) now[name] = phase_of(name);
      if (now != last) changed = world.loop.now();
      last = now;
      if (is_over() && world.loop.now() - changed > 30s) break;
      world.run_for(500ms);
    }
    return changed - begun;
  }

  WitnessedApi door;
  std::optional<core::Share> max_unavailable;  // over all policies
  std::set<std::string> before;                // pods that were there when the plan was made

 private:
  // The last node of a fleet that is to have a past joins later.
  static std::string first_nodes(const Setting& setting) {
    std::string nodes;
    for (const Part& part : setting.parts())
      nodes += fmt::format("{}{}={}", nodes.empty() ? "" : ",", part.vendor->name,
                           part.nodes - (part.vendor->older.empty() ? 0 : 1));
    return nodes;
  }
  static std::string_view first_version(const Part& part) {
    return part.vendor->older.empty() ? part.vendor->old_version : part.vendor->older;
  }
  static std::vector<std::string_view> definitions_of(const Setting& setting) {
    std::vector<std::string_view> all;
    for (const Part& part : setting.parts())
      all.insert(all.end(), part.vendor->definitions.begin(), part.vendor->definitions.end());
    return all;
  }
  // An upgrade, and a node that joins after it.
  void grow_old() {
    for (const Part& part : setting_.parts()) {
      if (part.vendor->older.empty()) continue;
      world.run_for(3min);
      apply(*part.vendor, part.vendor->old_version);
      world.run_for(10s);
      EXPECT_TRUE(run_until_done());
      world.run_for(3min);
      const auto fleet = sim::parse_fleet(fmt::format("{}={}", part.vendor->name, part.nodes));
      ask(kube::create(kube::kNodes, "", sim::make_nodes(*fleet).back()));
      world.run_for(10s);
      EXPECT_TRUE(run_until_done());
      world.run_for(11min);  // what the operator has counted for the last upgrade does not count any more
    }
  }
  void furnish() {
    if (!setting_.skipped.empty()) {
      patch_node(setting_.skipped, fmt::format(R"({{"metadata": {{"labels": {{"{}": "true"}}}}}})",
                                               vendor_of(setting_.skipped).profile().skip_label));
    }
    if (!setting_.cordoned.empty()) patch_node(setting_.cordoned, R"({"spec": {"unschedulable": true}})");
    if (!setting_.clung_to.empty()) add_clinging(fmt::format(R"("kubernetes.io/hostname": "{}")", setting_.clung_to));
    if (setting_.gated_label.empty()) return;
    add_daemons("telemetry", fmt::format(R"("affinity": {{"nodeAffinity": {{
        "requiredDuringSchedulingIgnoredDuringExecution": {{"nodeSelectorTerms": [{{"matchExpressions": [
          {{"key": "{}", "operator": "NotIn", "values": ["false"]}}]}}]}}}}}})",
                                         setting_.gated_label));
  }

  Setting setting_;
};

}  // namespace drover::cli::testing
