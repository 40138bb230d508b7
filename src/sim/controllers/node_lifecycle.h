// The node lifecycle controller: a node that is not heard of is not trusted, and its taints say what is known of it.
//
// At rest: per node when it was last heard of (its lease renewed, or its Ready condition's heartbeat moved). A node
// costs one look per grace period while it lives, plus one per change that concerns its taints. Unlike Kubernetes this
// one judges every node alone: it does not slow down or stop when many nodes fall silent at once, and looks at the
// moment instead of every 5 s.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/controllers/controller.h"

namespace drover::sim {

// How long a node may be silent; nothing is for ever (a world without kubelets).
struct NodePatience {
  std::optional<base::Span> silence = std::chrono::seconds(50);  // of a node that was heard of before
  std::optional<base::Span> startup = std::chrono::seconds(60);  // of a node that never said whether it is ready
};

class NodeLifecycle final : public Controller {
 public:
  NodeLifecycle(ControlPlane plane, NodePatience patience = {});

 protected:
  std::vector<std::string> interests() const override { return {"nodes", "leases.coordination.k8s.io"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  struct Pulse {
    std::string uid;
    base::Instant heard_at;
    bool was_ready = false;
    bool is_registered = false;
  };

  void heard_node(const Commit& commit);
  Done declare_unknown(const Stored& node);
  Done settle_taints(const Stored& node);
  Done tell_readiness(Pulse& pulse, const kube::Object& node);
  Done mark_pods_not_ready(const std::string& node);

  NodePatience patience_;
  std::map<std::string, Pulse> pulses_;
};

// Evicts pods from nodes with NoExecute taints that they do not tolerate, or no longer.
class TaintEviction final : public Controller {
 public:
  explicit TaintEviction(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"nodes", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& key) override;

 private:
  void judge_pod(const kube::Object& pod, const json::Array& taints);

  std::map<std::string, base::Instant> due_;  // by "ns/name|uid"
};

// Collects pods that are bound to nodes which are gone.
class PodCollector final : public Controller {
 public:
  explicit PodCollector(ControlPlane plane);

 protected:
  std::vector<std::string> interests() const override { return {"nodes", "pods"}; }
  void heard(const Commit& commit) override;
  Done sync(const std::string& node) override;
};

}  // namespace drover::sim
