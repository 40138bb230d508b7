// A world for the tests of controllers: short ways to say objects, and a kubelet of a few lines that makes pods ready.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/api.h"
#include "sim/controllers/objects.h"
#include "sim/objects.h"
#include "sim/world.h"

namespace drover::sim {

using namespace std::chrono_literals;

// Starts every pod that is bound and ends every pod that is deleted, each a second later, on nodes that are not dead.
class FakeKubelet {
 public:
  explicit FakeKubelet(World& world) : world_(world) {
    subscription_ = world.server().store().subscribe([this](const Commit& commit) { heard(commit); });
  }
  ~FakeKubelet() { world_.server().store().unsubscribe(subscription_); }

  base::Span takes = 1s;
  std::set<std::string> dead;                  // nodes that answer no more
  std::set<std::string> never_ready;           // values of the label "app" whose pods run but are not ready
  std::map<std::string, std::string> ends_as;  // by label "app": the phase that its pods end in after starting

 private:
  void heard(const Commit& commit) {
    if (commit.resource != "pods" || commit.kind == Commit::Kind::Removed) return;
    const kube::Object& pod = *commit.after;
    const std::string_view node = node_of(pod);
    if (node.empty() || dead.contains(std::string(node))) return;
    const bool going = kube::is_being_deleted(pod);
    if (!going && phase_of(pod) != "Pending") return;
    if (!busy_.insert({std::string(kube::uid_of(pod)), going}).second) return;
    world_.loop
        .after(takes,
               [this, key = kube::key_of(pod), uid = std::string(kube::uid_of(pod)), going] { act(key, uid, going); })
        .let_go();
  }

  void act(const std::string& key, const std::string& uid, bool going) {
    busy_.erase({uid, going});
    const Stored pod = world_.store().find("pods", key);
    if (!pod || kube::uid_of(*pod) != uid || dead.contains(std::string(node_of(*pod)))) return;
    if (going) {
      if (!pod_is_terminal(*pod)) set_phase(*pod, "Failed", false);
      kube::Request request =
          kube::remove(kube::kPods, std::string(kube::namespace_of(*pod)), std::string(kube::name_of(*pod)), uid);
      request.grace = 0s;
      request.field_manager = "kubelet";
      (void)world_.server().serve(request);
      return;
    }
    const std::string app(kube::label_of(*pod, "app"));
    if (auto end = ends_as.find(app); end != ends_as.end()) return set_phase(*pod, end->second, false);
    set_phase(*pod, "Running", !never_ready.contains(app));
  }

  void set_phase(const kube::Object& pod, std::string_view phase, bool ready) {
    kube::Object changed = copy_to_change(pod);
    json::ensure(changed, {"status", "phase"}) = phase;
    set_condition(changed, {"Ready", ready ? "True" : "False", "", ""}, base::rfc3339(world_.loop.wall()));
    json::Value body = {{"status", json::members_at(changed, {"status"})}};
    kube::Request request =
        kube::patch(kube::kPods, std::string(kube::namespace_of(pod)), std::string(kube::name_of(pod)),
                    kube::PatchKind::Merge, std::move(body), "status");
    request.field_manager = "kubelet";
    (void)world_.server().serve(request);
  }

  World& world_;
  int subscription_;
  std::set<std::pair<std::string, bool>> busy_;
};

class WorldTest : public ::testing::Test {
 protected:
  // Nodes need no heartbeat unless a test asks for it.
  static WorldOptions patient(std::uint64_t seed = 1) {
    return {.cluster = {.seed = seed, .patience = {.silence = {}, .startup = {}}}};
  }

  World world{patient()};
  FakeKubelet kubelet{world};

  // -- writing
  // ----------------------------------------------------------------------------------------------------------

  Stored create(const kube::Resource& resource, const std::string& text) {
    kube::Object object = parsed(text);
    const std::string ns(kube::namespace_of(object));
    kube::Request request = kube::create(resource, ns, std::move(object));
    request.field_manager = "test";
    return expect(world.server().serve(request));
  }
  Stored patch(const kube::Resource& resource, const std::string& ns, const std::string& name, const std::string& text,
               const std::string& subresource = {}) {
    kube::Request request = kube::patch(resource, ns, name, kube::PatchKind::Merge, parsed(text), subresource);
    request.field_manager = "test";
    return expect(world.server().serve(request));
  }
  void remove(const kube::Resource& resource, const std::string& ns, const std::string& name,
              kube::Propagation propagation = kube::Propagation::Background) {
    kube::Request request = kube::remove(resource, ns, name, "");
    request.propagation = propagation;
    request.field_manager = "test";
    expect(world.server().serve(request));
  }

  // A node that is ready, with room for 110 pods, 8 cpus and `gpus`.
  void add_node(const std::string& name, const std::string& labels = "{}", int gpus = 0,
                const std::string& taints = "[]") {
    create(kube::kNodes, fmt::format(R"({{"metadata": {{"name": "{}", "labels": {}}}, "spec": {{"taints": {}}}}})",
                                     name, labels, taints));
    patch(kube::kNodes, "", name,
          fmt::format(
              R"({{"status": {{"allocatable": {{"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "{}"}},
                        "conditions": [{{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}}]}}}})",
              gpus),
          "status");
  }
  void add_nodes(int count) {
    for (int i = 0; i < count; ++i) add_node(fmt::format("node-{}", i));
  }
  static std::string pod_template(const std::string& app, const std::string& image, const std::string& more_spec = "") {
    return fmt::format(
        R"({{"metadata": {{"labels": {{"app": "{}"}}}}, "spec": {{"containers": [{{"name": "main", "image": "{}"}}] {}}}}})",
        app, image, more_spec.empty() ? "" : ", " + more_spec);
  }
  void add_daemonset(const std::string& name, const std::string& strategy = R"({"type": "RollingUpdate"})",
                     const std::string& more_spec = "", const std::string& ds_spec = "") {
    create(
        kube::kDaemonSets,
        fmt::format(
            R"({{"metadata": {{"name": "{0}", "namespace": "default"}}, "spec": {{"selector": {{"matchLabels": {{"app": "{0}"}}}},
                         "updateStrategy": {1}, "template": {2} {3}}}}})",
            name, strategy, pod_template(name, "v1", more_spec), ds_spec.empty() ? "" : ", " + ds_spec));
  }
  void set_image(const kube::Resource& resource, const std::string& name, const std::string& image) {
    patch(
        resource, "default", name,
        fmt::format(R"({{"spec": {{"template": {{"spec": {{"containers": [{{"name": "main", "image": "{}"}}]}}}}}}}})",
                    image));
  }
  void set_taints(const std::string& node, const std::string& taints) {
    patch(kube::kNodes, "", node, fmt::format(R"({{"spec": {{"taints": {}}}}})", taints));
  }

  // -- reading
  // ----------------------------------------------------------------------------------------------------------

  Stored find(const std::string& resource, const std::string& key) { return world.store().find(resource, key); }
  // Pods in the namespace default with this label "app", by name.
  std::vector<Stored> pods(const std::string& app) {
    std::vector<Stored> found;
    world.store().each("pods", "default", [&](const Stored& pod) {
      if (kube::label_of(*pod, "app") == app) found.push_back(pod);
    });
    return found;
  }
  std::size_t count(const std::string& app, const std::function<bool(const kube::Object&)>& holds) {
    std::size_t n = 0;
    for (const Stored& pod : pods(app)) n += holds(*pod);
    return n;
  }
  std::size_t ready(const std::string& app) {
    return count(app, [](const kube::Object& pod) { return pod_is_ready(pod) && !kube::is_being_deleted(pod); });
  }
  std::size_t ready_with(const std::string& app, const std::string& image) {
    return count(app, [&](const kube::Object& pod) { return pod_is_ready(pod) && image_of(pod) == image; });
  }
  static std::string_view image_of(const kube::Object& pod) {
    const json::Array& containers = json::array_at(pod, {"spec", "containers"});
    return containers.empty() ? std::string_view{} : json::text_at(containers[0], {"image"});
  }
  std::int64_t status(const std::string& resource, const std::string& name, std::string_view field) {
    const Stored object = find(resource, "default/" + name);
    return object ? json::int_at(*object, {"status", field}) : -1;
  }
  std::size_t events(std::string_view reason) {
    std::size_t n = 0;
    world.store().each("events", "", [&](const Stored& event) { n += json::text_at(*event, {"reason"}) == reason; });
    return n;
  }
  bool soon(const std::function<bool()>& condition, base::Span at_most = 10min) {
    return world.run_until(condition, at_most);
  }
};

}  // namespace drover::sim
