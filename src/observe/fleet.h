// The nodes of one policy as the rules see them, kept up to date by what changed and not rebuilt for every look.
//
// The operator, which watches, or the command line, which lists once, fills the caches and says which keys changed;
// `look` then gives the view to decide on. At rest: one NodeView for each node of the policy that it selects or that
// carries our marks. There is a fleet for each policy that counts, and one for the nodes without a policy.
#pragma once

#include <cstdint>
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
#include "observe/operand_pods.h"
#include "observe/pod_facts.h"
#include "observe/policy_set.h"
#include "observe/recorded_state.h"
#include "observe/resource_claims.h"
#include "observe/runtime_facts.h"
#include "observe/stopwatch.h"
#include "vendors/desired.h"
#include "vendors/work_profile.h"

namespace drover::observe {

// What is watched; all fleets of a vendor share it.
struct Sources {
  const kube::Cache<NodeFacts>& nodes;
  OperandPods& operand_pods;
  const kube::Cache<DaemonSetFacts>& daemon_sets;
  const PolicySet& policy_set;
  const ResourceClaims& claims;
  Stopwatch& stopwatch;
};

class Fleet {
 public:
  // Of this policy; nothing: of nodes without one.
  Fleet(Sources sources, std::optional<PolicyRef> policy, const vendors::WorkProfile& profile,
        vendors::OperandSettings settings);

  // What changed since the last look, of the node itself or of its operand pods.
  void node_changed(const std::string& name);
  void pods_changed(const std::string& node) { dirty_.insert(node); }
  void everything_changed() { is_stale_ = true; }

  // The policy that counts, or what is left to do when there is none: give the nodes back.
  const core::FleetView& look(const RuntimeFacts& runtime, base::WallTime now);

  // The same, to be decided beside other policies.
  core::FleetView& to_decide() { return view_; }

  // The view of the last look.
  const core::FleetView& seen() const { return view_; }

  // What the policy wants; nullptr when there is no policy.
  const vendors::Desired* wants() const { return wants_.get(); }
  // Of each of its DaemonSets: a number that differs when the text does.
  const std::vector<std::uint64_t>& wanted_texts() const { return wanted_texts_; }
  const kube::Object* policy() const { return policy_ ? sources_.policy_set.find(*policy_) : nullptr; }
  const std::optional<PolicyRef>& policy_ref() const { return policy_; }
  // Nodes that other policies select too.
  const std::vector<std::string>& disputed() const { return disputed_; }
  // Of the views of the last look, by index.
  const RecordedState& recorded(std::size_t node) const { return places_[node].recorded; }
  const vendors::DesiredNode& desired(std::size_t node) const { return places_[node].pool->second; }
  bool metadata_is_missing(std::size_t node) const { return places_[node].metadata_is_missing; }
  bool says_blocked(std::size_t node) const { return places_[node].says_blocked; }
  std::optional<std::size_t> index_of(std::string_view node) const {
    const auto at = at_.find(node);
    return at == at_.end() ? std::nullopt : std::optional(at->second);
  }
  // What the node is to wear once it is in this phase.
  vendors::NodeMetadata metadata(std::size_t node, core::Phase phase) const;
  const NodeFacts* facts(std::size_t node) const { return sources_.nodes.find(view_.nodes[node].name); }
  const PodFacts* driver_pod(std::size_t node) const { return sources_.operand_pods.driver_on(view_.nodes[node].name); }
  const OperandPods& operand_pods() const { return sources_.operand_pods; }

  // DaemonSets that are there and have made no pod on a node of theirs for a while.
  std::set<std::string> sets_without_pods(base::Instant now) const;
  // When another one may be among them.
  std::optional<base::Span> next_without_pod_in(base::Instant now) const;

  // Of what a DaemonSet's pods are made besides the driver only the operator knows what it would render: the
  // command line takes it as it stands there.
  void take_templates_as_they_are() { takes_templates_ = true; }

  // Of the rollout that is under way; 0 when none is. Stored in the policy's status.
  void set_nodes_at_start(int nodes) { nodes_at_start_ = nodes; }
  int nodes_at_start() const { return nodes_at_start_; }

 private:
  // By what their image depends on: what the policy wants on nodes that are alike there.
  using Pools = std::map<std::string, vendors::DesiredNode>;
  struct Place {
    RecordedState recorded = {};
    const Pools::value_type* pool = nullptr;
    bool metadata_is_missing = false;  // it lacks labels or annotations that the policy gives its nodes
    bool says_blocked = false;         // a condition of it says what keeps a work waiting
    bool moves = false;                // time alone can change its view
  };

  void read_policy();
  void make_all(const RuntimeFacts& runtime, base::WallTime now);
  void make(std::size_t index, const NodeFacts& facts, const RuntimeFacts& runtime, base::WallTime now);
  void grow_older(std::size_t index, const NodeFacts& facts, const RuntimeFacts& runtime, base::WallTime now);
  void measure(std::size_t index, const NodeFacts& facts, const RuntimeFacts& runtime, base::WallTime now);
  void measure_claim(core::NodeView& node, const NodeFacts& facts, const protocol::ClaimRecord& held,
                     const RuntimeFacts& runtime, base::WallTime now) const;
  std::optional<base::Span> proving_for(const NodeFacts& facts, base::Instant now) const;
  bool was_tried(const NodeFacts& facts, const RecordedState& recorded, const RuntimeFacts& runtime) const;
  void note_readiness(core::NodeView& node, const RuntimeFacts& runtime);
  void note_pod(const core::NodeView& node, const vendors::DesiredNode& desired, const RuntimeFacts& runtime);
  static void note_refusal(core::NodeView& node, const std::string& daemon_set, const RuntimeFacts& runtime);
  void look_beside(const NodeFacts& facts, const RecordedState& recorded, const RuntimeFacts& runtime,
                   NodeInputs& around) const;
  bool concerns(const NodeFacts& facts) const;
  vendors::NodeMetadata metadata_of(const NodeFacts& facts, core::Phase phase) const;
  std::string pool_of(const NodeFacts& facts) const;
  std::string order_of(const NodeFacts& facts, const core::NodeView& node, const std::string& version) const;
  bool is_mine(const NodeFacts& facts) const { return sources_.policy_set.is_owner(policy_, facts); }
  vendors::DesiredNode desired_on(const vendors::LabelsOf& labels) const;
  bool is_settled(const vendors::DesiredNode& desired) const;
  bool has_carrier() const;
  std::string misfit_on(const NodeFacts& facts, const vendors::DesiredNode& desired) const;

  Sources sources_;
  std::optional<PolicyRef> policy_;
  const vendors::WorkProfile& profile_;
  vendors::OperandSettings settings_;

  bool takes_templates_ = false;
  bool is_stale_ = true;  // the policy, a DaemonSet or the set of nodes changed
  std::set<std::string> dirty_;
  std::unique_ptr<vendors::Desired> wants_;
  std::vector<std::string> disputed_;
  std::vector<std::uint64_t> wanted_texts_;
  std::map<std::string, base::Instant> preparing_;  // by node: since when its agent is seen preparing
  std::map<std::string, base::Instant> unready_;    // by node at rest: since when its driver is seen not ready
  std::map<std::string, base::Span>
      node_unready_;  // by node: how long the API server had been heard when it was seen so
  struct GivenBack {
    base::WallTime stamp;
    base::Instant seen_at;
  };
  std::map<std::string, GivenBack> given_back_;   // by node that a user uncordoned under us
  std::map<std::string, base::Instant> podless_;  // by node: since when its DaemonSet is seen to have made no pod
  int nodes_at_start_ = 0;

  core::FleetView view_;
  Pools pools_;
  std::vector<Place> places_;                           // beside view_.nodes
  std::map<std::string, std::size_t, std::less<>> at_;  // by node
};

}  // namespace drover::observe
