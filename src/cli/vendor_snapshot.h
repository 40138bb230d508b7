// What was listed for one vendor, and its policies as the operator would see them: the same objects that the operator
// watches, made into the same views by observe. What only a running operator knows is read from what it wrote (time in
// a phase) or from the objects themselves (which budget has no room). Nothing is written, ever.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/list_batch.h"
#include "core/decide.h"
#include "kube/cache.h"
#include "observe/budget.h"
#include "observe/fleet.h"
#include "observe/policy_set.h"
#include "observe/resource_claims.h"
#include "vendors/work_profile.h"

namespace drover::cli {

class PolicySnapshot;

// Of which nodes the pods have to be known.
struct PodsNeeded {
  bool on_all_nodes = false;            // some wait: those on which the fewest pods use the device go first
  std::set<std::string> on_nodes = {};  // being emptied
};

// What all vendors share.
struct ClusterSnapshot {
  kube::Cache<observe::NodeFacts> nodes{[](const kube::Object& object) { return observe::node_facts(object); }};
  std::vector<observe::Budget> budgets = {};
  base::WallTime at = {};
};

class VendorSnapshot {
 public:
  VendorSnapshot(const vendors::WorkProfile& profile, const ClusterSnapshot& cluster);
  VendorSnapshot(const VendorSnapshot&) = delete;
  VendorSnapshot& operator=(const VendorSnapshot&) = delete;
  ~VendorSnapshot();

  const vendors::WorkProfile& profile() const { return profile_; }
  const ClusterSnapshot& cluster() const { return cluster_; }
  const std::string& ns() const { return ns_; }
  const observe::ResourceClaims& claims() const { return claims_; }
  const observe::PolicySet& policy_set() const { return policy_set_; }
  const std::string& competing_operator() const { return competing_operator_; }
  const observe::OperandPods& operand_pods() const { return operand_index_; }
  // Those that count, in the operator's order; then, without a policy, the nodes that no policy wants any more.
  const std::vector<std::unique_ptr<PolicySnapshot>>& policies() const { return policies_; }

  // ---- while it is made, in this order

  void list_policies(ListBatch& lists);
  bool has_policies() const { return is_known_ && !policy_set_.objects().empty(); }
  void read_policies();
  void list_sources(ListBatch& lists);
  void make_fleets();
  void add_needed(PodsNeeded& needed) const;
  void keep_pod(const kube::Object& object);
  // The views once more, with the pods.
  void look(const PodsNeeded& listed);

 private:
  kube::Cache<observe::PodFacts>& pods_on(const std::string& node);
  // What an operator would know by its watches, from what was listed.
  void fill_runtime_facts(const PodsNeeded& listed);
  void read_refusals(const kube::Object* policy);

  const vendors::WorkProfile& profile_;
  const ClusterSnapshot& cluster_;
  bool is_known_ = true;  // the server knows the first kind of its policies
  std::string ns_;
  kube::Cache<observe::PodFacts> operands_;
  kube::Cache<observe::DaemonSetFacts> daemon_sets_;
  observe::ResourceClaims claims_;
  observe::PolicyCaches policy_caches_;
  observe::OperandPods operand_index_;
  observe::PolicySet policy_set_;
  observe::Stopwatch stopwatch_;
  std::string competing_operator_;
  std::vector<std::unique_ptr<PolicySnapshot>> policies_;
  std::map<std::string, kube::Cache<observe::PodFacts>> pods_;  // by node
  std::map<std::string, int> device_pods_;                      // likewise
  observe::RuntimeFacts runtime_ = {.has_tried_everything = true};
};

// One policy and its nodes: what `status` and `explain` show.
class PolicySnapshot {
 public:
  PolicySnapshot(const VendorSnapshot& vendor, std::unique_ptr<observe::Fleet> fleet)
      : vendor_(vendor), fleet_(std::move(fleet)) {}

  const vendors::WorkProfile& profile() const { return vendor_.profile(); }
  const std::string& ns() const { return vendor_.ns(); }
  base::WallTime at() const { return vendor_.cluster().at; }
  const std::vector<observe::Budget>& budgets() const { return vendor_.cluster().budgets; }
  const observe::NodeFacts* node(const std::string& name) const { return vendor_.cluster().nodes.find(name); }
  const kube::Object* policy() const { return fleet_->policy(); }
  const observe::Fleet& fleet() const { return *fleet_; }
  observe::Fleet& fleet() { return *fleet_; }
  const core::FleetView& view() const { return fleet_->seen(); }
  const core::Plan& plan() const { return plan_; }
  void set_plan(core::Plan plan) { plan_ = std::move(plan); }

  // What the operator would write into the policy's status now.
  json::Value status() const;
  // Of the node with this index: since when it is in its phase, and why.
  std::optional<base::WallTime> since(std::size_t node) const;
  std::string reason(std::size_t node) const;
  std::optional<std::size_t> index_of(const std::string& name) const;

 private:
  const VendorSnapshot& vendor_;
  std::unique_ptr<observe::Fleet> fleet_;
  core::Plan plan_ = {};
};

}  // namespace drover::cli
