#include "sim/kubelet.h"

#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "kube/reflector.h"
#include "sim/kubelet_node.h"

namespace drover::sim {
namespace {

kube::Projection node_projection() {
  return {"metadata.labels",          "metadata.annotations[sim.drover.dev/order]",
          "status.nodeInfo.bootID",   "status.conditions.type",
          "status.conditions.status", "status.allocatable"};
}

}  // namespace

struct Kubelets::Body {
  KubeletShared shared;
  std::map<std::string, std::unique_ptr<NodeLife>> nodes;
  std::map<std::string, std::string> node_uids;
  std::unique_ptr<kube::Reflector> node_watch;
  std::unique_ptr<kube::Reflector> pod_watch;
  std::set<std::string> nodes_named;  // in the sweep under way
  std::set<std::string> pods_named;
  std::map<std::string, kube::Call> lookups;  // pods of nodes that came late
  bool is_sweeping_nodes = false;
  bool is_sweeping_pods = false;

  Body(KubeletShared p) : shared(std::move(p)) {}

  kube::Listener node_listener();
  kube::Listener pod_listener();
  void saw_node(const kube::Object& node);
  void node_gone(const std::string& name);
  void look_up_pods(const std::string& node);
  void saw_pod(const kube::Object& pod);
  void pod_gone(const kube::Object& pod);
  NodeLife* find(const std::string& node) {
    const auto at = nodes.find(node);
    return at == nodes.end() ? nullptr : at->second.get();
  }
};

kube::Listener Kubelets::Body::node_listener() {
  return {.sweep_began =
              [this] {
                nodes_named.clear();
                is_sweeping_nodes = true;
              },
          .put =
              [this](const kube::Object& node) {
                if (is_sweeping_nodes) nodes_named.emplace(kube::name_of(node));
                saw_node(node);
              },
          .drop = [this](const kube::Object& node) { node_gone(std::string(kube::name_of(node))); },
          .sweep_ended =
              [this] {
                is_sweeping_nodes = false;
                std::vector<std::string> gone;
                for (const auto& [name, node] : nodes) {
                  if (!nodes_named.contains(name)) gone.push_back(name);
                }
                for (const auto& name : gone) node_gone(name);
                // Pods second: a pod whose node we do not know is not ours.
                if (!pod_watch->is_synced()) pod_watch->start();
              },
          .trouble =
              [this](const base::Fault& fault) {
                if (shared.notable) shared.notable(fmt::format("nodes: {}", fault.message));
              }};
}

kube::Listener Kubelets::Body::pod_listener() {
  return {.sweep_began =
              [this] {
                pods_named.clear();
                is_sweeping_pods = true;
              },
          .put =
              [this](const kube::Object& pod) {
                if (is_sweeping_pods) pods_named.emplace(kube::uid_of(pod));
                saw_pod(pod);
              },
          .drop = [this](const kube::Object& pod) { pod_gone(pod); },
          .sweep_ended =
              [this] {
                is_sweeping_pods = false;
                const auto still_there = [this](const std::string& uid) { return pods_named.contains(uid); };
                for (auto& [name, node] : nodes) node->keep_only(still_there);
                pods_named.clear();
              },
          .trouble =
              [this](const base::Fault& fault) {
                if (shared.notable) shared.notable(fmt::format("pods: {}", fault.message));
              }};
}

void Kubelets::Body::saw_node(const kube::Object& node) {
  const std::string name(kube::name_of(node));
  if (const auto known = node_uids.find(name); known != node_uids.end() && known->second != kube::uid_of(node))
    node_gone(name);
  if (NodeLife* life = find(name)) return life->saw(node);
  node_uids[name] = kube::uid_of(node);
  nodes[name] = std::make_unique<NodeLife>(shared, node);
  if (pod_watch->is_synced()) look_up_pods(name);
}

void Kubelets::Body::node_gone(const std::string& name) {
  if (nodes.erase(name) == 0) return;
  node_uids.erase(name);
  lookups.erase(name);
  if (shared.journal != nullptr) shared.journal->note("deleted", {.node = name});
  if (shared.notable) shared.notable(fmt::format("{}: deleted", name));
}

// The pod watch began before this node was known and has passed over its pods.
void Kubelets::Body::look_up_pods(const std::string& node) {
  kube::ListRequest request{.range = {kube::kPods, "", "", "spec.nodeName=" + node},
                            .page = 500,
                            .resource_version = {},
                            .projection = pod_projection()};
  lookups[node] =
      shared.api.list(std::move(request), {.item =
                                               [this, node](const kube::Object& pod) {
                                                 NodeLife* life = find(node);
                                                 if (life != nullptr && !life->has_pod(std::string(kube::uid_of(pod))))
                                                   saw_pod(pod);
                                               },
                                           .done =
                                               [this, node](const base::Result<kube::ListEnd>& end) {
                                                 if (!end && shared.notable) {
                                                   shared.notable(fmt::format("{}: {}", node, end.error().message));
                                                 }
                                               }});
}

void Kubelets::Body::saw_pod(const kube::Object& pod) {
  if (NodeLife* node = find(std::string(json::text_at(pod, {"spec", "nodeName"})))) node->saw_pod(pod);
}

void Kubelets::Body::pod_gone(const kube::Object& pod) {
  if (NodeLife* node = find(std::string(json::text_at(pod, {"spec", "nodeName"}))))
    node->pod_vanished(std::string(kube::uid_of(pod)));
}

Kubelets::Kubelets(kube::Api& api, base::Loop& loop, base::Random random, KubeletPlan plan, ImageTable images,
                   Programs programs)
    : body_(std::make_unique<Body>(KubeletShared{.api = api,
                                                 .loop = loop,
                                                 .random = random.fork("kubelets"),
                                                 .plan = std::move(plan),
                                                 .images = std::move(images),
                                                 .programs = std::move(programs)})) {
  Body* body = body_.get();
  kube::Range nodes{kube::kNodes, "", std::string(kSimulatedLabel) + "=true", ""};
  kube::Range pods{kube::kPods, "", "", "spec.nodeName!="};
  body->node_watch = std::make_unique<kube::Reflector>(api, loop, random.fork("nodes"), nodes, node_projection(),
                                                       body->node_listener());
  body->pod_watch =
      std::make_unique<kube::Reflector>(api, loop, random.fork("pods"), pods, pod_projection(), body->pod_listener());
}

Kubelets::~Kubelets() = default;

void Kubelets::write_journal(Journal* journal) { body_->shared.journal = journal; }
void Kubelets::keep_logs(LogBook* logs) { body_->shared.logs = logs; }
void Kubelets::tell(std::function<void(std::string_view line)> notable) { body_->shared.notable = std::move(notable); }

void Kubelets::start() { body_->node_watch->start(); }

bool Kubelets::is_synced() const { return body_->node_watch->is_synced() && body_->pod_watch->is_synced(); }

ImageTable& Kubelets::images() { return body_->shared.images; }

SimHost* Kubelets::host(const std::string& node) {
  NodeLife* life = body_->find(node);
  return life == nullptr ? nullptr : &life->host();
}

bool Kubelets::reboot(const std::string& node) {
  NodeLife* life = body_->find(node);
  if (life != nullptr) life->reboot();
  return life != nullptr;
}

bool Kubelets::power_off(const std::string& node) {
  NodeLife* life = body_->find(node);
  if (life != nullptr) life->power_off();
  return life != nullptr;
}

bool Kubelets::power_on(const std::string& node) {
  NodeLife* life = body_->find(node);
  if (life != nullptr) life->power_on();
  return life != nullptr;
}

bool Kubelets::kill_container(const std::string& node, std::string_view container) {
  NodeLife* life = body_->find(node);
  return life != nullptr && life->kill_container(container);
}

Kubelets::Count Kubelets::count() const {
  Count count;
  for (const auto& [name, node] : body_->nodes) {
    ++count.nodes;
    count.nodes_up += node->is_up() ? 1 : 0;
    count.pods += node->pods();
    count.pods_ready += node->pods_ready();
  }
  count.writes = body_->shared.writes;
  count.failed_writes = body_->shared.failed_writes;
  return count;
}

}  // namespace drover::sim
