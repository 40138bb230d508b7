// One look at a vendor's fleets, from the API alone: what `drover status` and `drover explain` show.
//
// Each policy that counts has a fleet; the answers are about the one that was turned to last, at first the first.
//
// The same objects that the operator watches are listed once, made into the same views by observe, and decided on by
// the same core::decide. What only a running operator knows is read from what it wrote (time in a phase) or from the
// objects themselves (which budget has no room); nothing is written, ever.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/loop.h"
#include "base/selector.h"
#include "cli/list_batch.h"
#include "core/decide.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "observe/budget.h"
#include "observe/fleet.h"
#include "observe/resource_claims.h"
#include "vendors/work_profile.h"

namespace drover::cli {

class FleetSnapshot {
 public:
  FleetSnapshot(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile);
  FleetSnapshot(const FleetSnapshot&) = delete;
  FleetSnapshot& operator=(const FleetSnapshot&) = delete;

  // `done` is called once, with the first thing that went wrong. The rest may be asked afterwards.
  void begin(std::function<void(base::Result<void>)> done);

  const vendors::WorkProfile& profile() const { return profile_; }
  // How many policies count, and which one the rest is about.
  std::size_t policies() const { return policies_seen_.size(); }
  void turn_to(std::size_t policy) { current_ = policy; }
  const kube::Object* policy() const { return policies_seen_.empty() ? nullptr : fleet().policy(); }
  const std::string& ns() const { return ns_; }
  base::WallTime at() const { return at_; }
  const core::FleetView& view() const { return fleet().seen(); }
  const core::Plan& plan() const { return policies_seen_[current_].plan; }
  const observe::Fleet& fleet() const { return *policies_seen_[current_].fleet; }
  const std::vector<observe::Budget>& budgets() const { return budgets_; }
  const observe::ResourceClaims& claims() const { return claims_; }
  const observe::PolicySet& policy_set() const { return policy_set_; }
  // What the operator would write into the policy's status now.
  json::Value status() const;

  // Of the node with this index: since when it stands where it stands, and why.
  std::optional<base::WallTime> since(std::size_t node) const;
  std::string reason(std::size_t node) const;
  // By name, whether or not the policy wants it.
  const observe::NodeFacts* node(const std::string& name) const { return nodes_.find(name); }
  std::optional<std::size_t> index_of(const std::string& name) const;

 private:
  void list_sources();
  void make_fleets();
  void list_pods();
  void judge();
  void keep_pod(const kube::Object& object);
  // What an operator would know by its watches, from what was listed.
  void fill_runtime_facts();

  ListBatch lists_;
  base::Loop& loop_;
  const vendors::WorkProfile& profile_;

  std::string ns_;
  base::WallTime at_ = {};
  kube::Cache<observe::NodeFacts> nodes_;
  kube::Cache<observe::PodFacts> operand_pods_;
  kube::Cache<observe::DaemonSetFacts> daemon_sets_;
  observe::ResourceClaims claims_;
  observe::PolicyCaches policies_;
  observe::OperandPods operand_index_;
  observe::PolicySet policy_set_;
  observe::Stopwatch stopwatch_;
  std::string competing_operator_;
  struct PolicyView {
    std::unique_ptr<observe::Fleet> fleet;
    core::Plan plan = {};
  };
  std::vector<PolicyView> policies_seen_;
  std::size_t current_ = 0;

  bool pods_were_counted_ = false;
  std::map<std::string, kube::Cache<observe::PodFacts>> pods_;  // by node
  std::map<std::string, int> device_pods_;                      // likewise
  observe::RuntimeFacts runtime_ = {.has_tried_everything = true};
  std::vector<observe::Budget> budgets_;
};

}  // namespace drover::cli
