// A cluster with drover in it, in virtual time: nodes, kubelets, the CRD, a policy, an operator that can be killed.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/json.h"
#include "kube/api.h"
#include "kube/yaml.h"
#include "operator/operator.h"
#include "sim/faults.h"
#include "sim/kubelet.h"
#include "sim/nodes.h"
#include "sim/world.h"
#include "vendors/nvidia/module.h"
#include "vendors/work_profile.h"

namespace drover::operate::testing {

using namespace std::chrono_literals;
using kube::Object;

inline constexpr std::string_view kState = "nvidia.com/gpu-driver-upgrade-state";
inline const kube::Resource kNvidiaDrivers{"nvidia.com", "v1alpha1", "nvidiadrivers", "NVIDIADriver",
                                           kube::Scope::Cluster};
inline const kube::Resource kClusterPolicies{"nvidia.com", "v1", "clusterpolicies", "ClusterPolicy",
                                             kube::Scope::Cluster};

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().message);
  return value ? std::move(*value) : json::Value();
}

// Read once: thousands of stages are built in one run.
inline json::Value manifest(const std::string& path) {
  static std::map<std::string, json::Value> read;
  if (const auto at = read.find(path); at != read.end()) return at->second;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  auto documents = kube::parse_manifests(text.str());
  EXPECT_TRUE(documents && !documents->empty()) << path;
  return read[path] = documents && !documents->empty() ? documents->front() : json::Value();
}

// `upgrade` are members of upgradePolicy as JSON text.
inline Object cluster_policy(std::string_view version, std::string_view upgrade = "") {
  return parsed(fmt::format(R"({{"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy",
    "metadata": {{"name": "cluster-policy"}},
    "spec": {{"driver": {{"version": "{}", "startupProbe": {{"initialDelaySeconds": 0, "periodSeconds": 1}},
                          "upgradePolicy": {{"autoUpgrade": true{}{}}}}}}}}})",
                            version, upgrade.empty() ? "" : ", ", upgrade));
}

struct StageOptions {
  std::uint64_t seed = 1;
  std::string nodes = "nvidia=3";
  bool keeps_transcript = false;
  sim::KubeletPlan kubelets = {.events = false};  // its vendors have the nodes
  bool nodes_are_judged = true;                   // by the node lifecycle controller
  std::vector<std::string_view> definitions = {"charts/drover/crds/nvidia.com_clusterpolicies.yaml",
                                               "charts/drover/crds/nvidia.com_nvidiadrivers.yaml"};
  std::string_view ns = "gpu-operator";
  bool knows_owners = false;  // the API server says who set what, as a real one does
};

class Stage {
 public:
  explicit Stage(const StageOptions& options = {})
      : world(world_options(options)),
        person(world.api("person")),
        luck(world.api("operator"), world.loop, world.cluster.random("luck"), &world.server()),
        kubelets(world.api("kubelets"), world.loop, world.cluster.random("kubelets"), options.kubelets,
                 sim::ImageTable::with_vendors(options.kubelets.vendors),
                 sim::agent_programs(options.kubelets.vendors)) {
    world.server().always_manage_fields(options.knows_owners);
    kubelets.start();
    for (const std::string_view path : options.definitions)
      ask(kube::create(kube::kCustomResourceDefinitions, "", manifest(std::string(path))));
    for (const std::string_view ns : {options.ns, std::string_view("ml")}) {
      ask(kube::create(kube::kNamespaces, "", {{"metadata", {{"name", ns}}}}));
    }
    const sim::SimVendors vendors = options.kubelets.vendors;
    const auto fleet = sim::parse_fleet(options.nodes, vendors);
    EXPECT_TRUE(fleet);
    for (Object& node : sim::make_nodes(*fleet, vendors)) ask(kube::create(kube::kNodes, "", std::move(node)));
  }

  // ---- the operator

  void start_operator() { start_operator(luck); }
  void start_operator(kube::Api& door) { serve(door, {{.profile = &vendors::nvidia_driver(), .operands = {}}}); }
  void serve(kube::Api& door, std::vector<Served> vendors) {
    drover = std::make_unique<Operator>(door, world.loop, world.cluster.random(fmt::format("operator-{}", ++starts)),
                                        Settings{.vendors = std::move(vendors)});
    drover->start();
  }
  void kill_operator() { drover.reset(); }

  // ---- people

  kube::Result<Object> answer_to(kube::Request request) {
    std::optional<kube::Result<Object>> outcome;
    request.field_manager = "person";
    auto call = person.call(std::move(request), [&](kube::Result<Object> answer) { outcome = std::move(answer); });
    EXPECT_TRUE(world.run_until([&] { return outcome.has_value(); }, 1min));
    return outcome ? std::move(*outcome) : base::fault(base::Fault::Kind::Unknown, "no answer");
  }
  Object ask(kube::Request request) {
    const std::string what = sentence(request);
    auto answer = answer_to(std::move(request));
    EXPECT_TRUE(answer) << what << ": " << (answer ? "" : answer.error().message);
    return answer ? std::move(*answer) : Object();
  }
  void create_policy(const Object& policy) { ask(kube::create(kClusterPolicies, "", policy)); }
  void patch_policy(std::string_view merge) {
    ask(kube::patch(kClusterPolicies, "", "cluster-policy", kube::PatchKind::Merge, parsed(merge)));
  }
  void set_version(std::string_view version) {
    patch_policy(fmt::format(R"({{"spec": {{"driver": {{"version": "{}"}}}}}})", version));
  }
  void patch_node(const std::string& name, std::string_view merge) {
    ask(kube::patch(kube::kNodes, "", name, kube::PatchKind::Merge, parsed(merge)));
  }
  // A Deployment of `replicas` pods with that many devices each, in namespace ml.
  void run_training(const std::string& name, int replicas, int devices, std::string_view resource = "nvidia.com/gpu") {
    ask(kube::create(kube::kDeployments, "ml",
                     parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}}, "spec": {{"replicas": {1},
      "selector": {{"matchLabels": {{"app": "{0}"}}}},
      "template": {{"metadata": {{"labels": {{"app": "{0}"}}}},
                    "spec": {{"containers": [{{"name": "train", "image": "train:1",
                       "resources": {{"limits": {{"{3}": "{2}"}}}}}}]}}}}}}}})",
                                        name, replicas, devices, resource))));
  }
  void create_budget(const std::string& name, int available) {
    ask(kube::create(kube::kDisruptionBudgets, "ml",
                     parsed(fmt::format(R"({{"metadata": {{"name": "{0}"}}, "spec": {{"minAvailable": {1},
      "selector": {{"matchLabels": {{"app": "{0}"}}}}}}}})",
                                        name, available))));
  }

  // ---- eyes

  sim::Stored node(std::string_view name) const { return world.store().find("nodes", name); }
  std::string state(std::string_view name) const { return std::string(kube::label_of(*node(name), kState)); }
  bool is_cordoned(std::string_view name) const { return json::flag_at(*node(name), {"spec", "unschedulable"}); }
  std::string driver_on(const std::string& name) {
    sim::SimHost* host = kubelets.host(name);
    if (host == nullptr) return "";
    const auto modules = host->modules();
    if (!modules) return "";
    for (const host::Module& module : *modules) {
      if (module.name == "nvidia") return module.version;
    }
    return "";
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    world.store().each("nodes", "", [&](const sim::Stored& node) { names.emplace_back(kube::name_of(*node)); });
    return names;
  }
  bool all(std::string_view state) const {
    bool is_so = true;
    world.store().each("nodes", "",
                       [&](const sim::Stored& node) { is_so = is_so && kube::label_of(*node, kState) == state; });
    return is_so;
  }
  bool run_until_all(std::string_view state, base::Span at_most = 1h) {
    // Looked at now and then, not after every event: the question costs as many lookups as there are nodes.
    for (base::Span passed{}; passed < at_most && !all(state); passed += 100ms) world.run_for(100ms);
    return all(state);
  }
  // Every pod of a namespace, for a test that failed.
  std::string pods_text(std::string_view ns) const {
    std::string text;
    world.store().each("pods", ns, [&](const sim::Stored& pod) { text += json::text_of(*pod) + "\n"; });
    return text;
  }
  sim::Stored policy() const { return world.store().find("clusterpolicies.nvidia.com", "cluster-policy"); }

  sim::World world;
  kube::Api& person;
  sim::FaultyApi luck;  // the operator's door
  sim::Kubelets kubelets;
  std::unique_ptr<Operator> drover;
  int starts = 0;

 private:
  static sim::WorldOptions world_options(const StageOptions& options) {
    sim::WorldOptions world{.cluster = {.seed = options.seed}, .keeps_transcript = options.keeps_transcript};
    if (!options.nodes_are_judged) world.cluster.patience = {.silence = {}, .startup = {}};
    return world;
  }
};

}  // namespace drover::operate::testing
