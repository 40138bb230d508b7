// The nodes of one policy as the rules see them, kept up to date by what changed and not made anew for every look.
//
// Whoever watches (the operator) or has listed once (the command line) fills the caches and says which keys changed;
// `look` then gives the view to decide on. At rest: one NodeView for each node that the policy selects or that carries
// our marks, and by node the keys of its operand pods.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/view.h"
#include "kube/cache.h"
#include "observe/daemon_set_facts.h"
#include "observe/node_facts.h"
#include "observe/node_view.h"
#include "observe/pod_facts.h"
#include "observe/standing.h"
#include "vendors/profile.h"
#include "vendors/wants.h"

namespace drover::observe {

// What is watched, whoever watches it.
struct Sources {
  kube::Cache<NodeFacts>& nodes;
  kube::Cache<PodFacts>& operand_pods;  // in the vendor's namespace, with one of its roles
  kube::Cache<DaemonSetFacts>& daemon_sets;
  kube::Cache<kube::Object>& policies;
};

// What only a running process knows of a node.
struct Beside {
  const std::vector<core::PodView>* pods = nullptr;  // listed after the cordon
  std::optional<int> device_pods = {};
  base::Span spent = {};
  bool tried = false;
  bool is_untouched = false;
  bool has_deleted_driver = false;  // the pod that served when we took the node, whatever a slow watch still shows
  std::string proof_trouble = {};   // why no pod that proves the image can be made
};

class Fleet {
 public:
  using Company = std::function<Beside(const NodeFacts&, const Standing&, const core::Policy&)>;

  // `company` is asked about each node that is in flight or waits; it may be empty.
  Fleet(Sources sources, const vendors::Profile& profile, vendors::OperandSettings settings, Company company);

  // What changed since the last look; each takes the keys from the cache itself.
  void node_changed(const std::string& name);
  void pod_changed(const std::string& key);
  void everything_changed() { is_stale_ = true; }

  // The policy that counts, or what is left to do when there is none: give the nodes back.
  const core::FleetView& look(base::WallTime now);

  // The view of the last look.
  const core::FleetView& seen() const { return view_; }

  // What the policy wants; nullptr when there is no policy.
  const vendors::Wants* wants() const { return wants_.get(); }
  const kube::Object* policy() const;
  // Of the views of the last look, by index.
  const Standing& standing(std::size_t node) const { return places_[node].standing; }
  const vendors::NodeWish& wish(std::size_t node) const { return places_[node].wish; }
  bool is_undressed(std::size_t node) const { return places_[node].is_undressed; }
  vendors::Dress dress(std::size_t node) const;
  const NodeFacts* facts(std::size_t node) const { return sources_.nodes.find(view_.nodes[node].name); }
  const PodFacts* driver_pod(std::size_t node) const;
  // Keys of the pods that prove images, and when each was first looked at.
  const std::map<std::string, std::optional<base::WallTime>>& preflight_pods() const { return preflight_pods_; }
  // Every operand pod of a node.
  std::vector<const PodFacts*> operand_pods(const std::string& node) const;

  // Of the rollout that is under way; 0 when none is. Remembered by whoever writes the policy's status.
  void set_nodes_at_start(int nodes) { nodes_at_start_ = nodes; }
  int nodes_at_start() const { return nodes_at_start_; }
  // Whether anybody may be taken now, whatever the policy says.
  void allow_taking(bool allowed) { may_take_ = allowed; }

 private:
  struct Place {
    Standing standing = {};
    vendors::NodeWish wish = {};
    bool is_undressed = false;  // it lacks labels or annotations that the policy gives its nodes
    std::string pool = {};
    bool moves = false;  // time alone can change its view
  };

  void read_policy();
  void make_all(base::WallTime now);
  void make(std::size_t index, const NodeFacts& facts, base::WallTime now);
  bool concerns(const NodeFacts& facts) const;
  vendors::Dress dress_of(const NodeFacts& facts) const;
  std::string pool_of(const NodeFacts& facts) const;
  const PodFacts* pod_with_role(const std::string& node, std::string_view role) const;
  bool is_settled(const vendors::NodeWish& wish) const;

  Sources sources_;
  const vendors::Profile& profile_;
  vendors::OperandSettings settings_;
  Company company_;

  bool is_stale_ = true;  // the policy, a DaemonSet or the set of nodes changed
  std::set<std::string> dirty_;
  std::string policy_key_;
  std::unique_ptr<vendors::Wants> wants_;
  int nodes_at_start_ = 0;
  bool may_take_ = true;

  std::map<std::string, std::optional<base::WallTime>> preflight_pods_;
  core::FleetView view_;
  std::vector<Place> places_;                                             // beside view_.nodes
  std::map<std::string, std::size_t, std::less<>> at_;                    // by node
  std::map<std::string, std::vector<std::string>, std::less<>> pods_of_;  // keys, sorted, by node
  std::map<std::string, base::Word, std::less<>> node_of_;                // by pod's key
};

}  // namespace drover::observe
