// Pods that must leave: those on nodes with NoExecute taints, and those on nodes that are gone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/placement.h"
#include "sim/controllers/node_lifecycle.h"
#include "sim/controllers/objects.h"
#include "sim/same.h"

namespace drover::sim {

namespace {

// How long a node may be missing before its pods are (an API hiccup must not cost a workload).
constexpr base::Span kQuarantine = std::chrono::seconds(40);

std::string eviction_key(const kube::Object& pod) { return fmt::format("{}|{}", kube::key_of(pod), kube::uid_of(pod)); }

bool has_no_execute(const json::Array& taints) {
  return std::ranges::any_of(taints,
                             [](const json::Value& taint) { return json::text_at(taint, {"effect"}) == "NoExecute"; });
}

json::Value status_with(const kube::Object& changed) {
  json::Members status;
  status["conditions"] = json::array_at(changed, {"status", "conditions"});
  status["phase"] = phase_of(changed);
  json::Members body;
  body["status"] = std::move(status);
  return body;
}

}  // namespace

// -- taints -----------------------------------------------------------------------------------------------------------

TaintEviction::TaintEviction(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

void TaintEviction::heard(const Commit& commit) {
  const kube::Object& object = *commit.after;
  if (commit.resource == "nodes") {
    if (commit.kind == Commit::Kind::Removed) return;
    if (commit.before ? same(kube::taints_of(*commit.before), kube::taints_of(object))
                      : !has_no_execute(kube::taints_of(object)))
      return;
    for (const Stored& pod : store().pods_on(kube::name_of(object))) judge_pod(*pod, kube::taints_of(object));
    return;
  }
  const std::string_view node = node_of(object);
  if (commit.kind == Commit::Kind::Removed) {
    if (due_.erase(eviction_key(object)) > 0) forget(eviction_key(object));
    return;
  }
  const bool unchanged =
      commit.before && node_of(*commit.before) == node &&
      same(json::array_at(*commit.before, {"spec", "tolerations"}), json::array_at(object, {"spec", "tolerations"}));
  if (node.empty() || unchanged) return;
  if (const Stored its_node = store().find("nodes", node)) judge_pod(object, kube::taints_of(*its_node));
}

void TaintEviction::judge_pod(const kube::Object& pod, const json::Array& taints) {
  const std::string key = eviction_key(pod);
  const auto stays = kube::is_being_deleted(pod) || !has_no_execute(taints)
                         ? std::nullopt
                         : kube::stays_for(taints, json::array_at(pod, {"spec", "tolerations"}));
  if (!stays) {
    // The event about it is told from the queue: nothing is written inside a commit.
    if (due_.erase(key) > 0) enqueue(key);
    return;
  }
  // The clock runs from the first taint on; another taint does not start it again.
  if (due_.try_emplace(key, loop().now() + *stays).second) enqueue_after(key, *stays);
}

Done TaintEviction::sync(const std::string& key) {
  const auto bar = key.find('|');
  const Stored pod = store().find("pods", key.substr(0, bar));
  if (!pod || kube::uid_of(*pod) != key.substr(bar + 1) || kube::is_being_deleted(*pod)) {
    due_.erase(key);
    return {};
  }
  const About about = About::object(kube::kPods, *pod);
  const std::string_view source = "taint-eviction-controller";
  if (!due_.contains(key)) {
    events().normal(about, source, "TaintManagerEviction",
                    fmt::format("Cancelling deletion of Pod {}", kube::key_of(*pod)));
    return {};
  }
  if (loop().now() < due_[key]) {
    enqueue_after(key, due_[key] - loop().now());
    return {};
  }
  events().normal(about, source, "TaintManagerEviction",
                  fmt::format("Marking for deletion Pod {}", kube::key_of(*pod)));
  const std::string ns(kube::namespace_of(*pod));
  const std::string name(kube::name_of(*pod));
  kube::Object changed = copy_to_change(*pod);
  if (set_condition(
          changed,
          {"DisruptionTarget", "True", "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint"},
          now_text())) {
    ASK_VOID(
        ask_unless_gone(kube::patch(kube::kPods, ns, name, kube::PatchKind::Merge, status_with(changed), "status")));
  }
  ASK_VOID(ask_unless_gone(kube::remove(kube::kPods, ns, name, std::string(kube::uid_of(*pod)))));
  due_.erase(key);
  return {};
}

// -- nodes that are gone ----------------------------------------------------------------------------------------------

PodCollector::PodCollector(ControlPlane plane) : Controller(plane, "kube-controller-manager") {}

void PodCollector::heard(const Commit& commit) {
  if (commit.resource == "nodes") {
    if (commit.kind == Commit::Kind::Removed) enqueue_after(std::string(kube::name_of(*commit.after)), kQuarantine);
    return;
  }
  if (commit.kind == Commit::Kind::Removed) return;
  const std::string_view node = node_of(*commit.after);
  const bool was_there = commit.before && node_of(*commit.before) == node;
  if (!node.empty() && !was_there && !store().find("nodes", node)) enqueue_after(std::string(node), kQuarantine);
}

Done PodCollector::sync(const std::string& node) {
  if (store().find("nodes", node)) return {};
  for (const Stored& pod : store().pods_on(node)) {
    const std::string ns(kube::namespace_of(*pod));
    const std::string name(kube::name_of(*pod));
    if (!pod_is_terminal(*pod)) {
      kube::Object changed = copy_to_change(*pod);
      json::ensure(changed, {"status", "phase"}) = "Failed";
      set_condition(changed, {"DisruptionTarget", "True", "DeletionByPodGC", "PodGC: node no longer exists"},
                    now_text());
      ASK_VOID(
          ask_unless_gone(kube::patch(kube::kPods, ns, name, kube::PatchKind::Merge, status_with(changed), "status")));
    }
    kube::Request request = kube::remove(kube::kPods, ns, name, std::string(kube::uid_of(*pod)));
    request.grace = base::Span::zero();
    ASK_VOID(ask_unless_gone(std::move(request)));
  }
  return {};
}

}  // namespace drover::sim
