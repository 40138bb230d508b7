// One vendor's policies and their nodes: everything that is watched, remembered and sent for them.
//
// The rooms stand side by side here, and the pass (pass.cc) goes through them: absorb, observe, decide, apply,
// record. What differs between vendors is asked of the profile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "act/executor.h"
#include "act/policy_status.h"
#include "base/loop.h"
#include "base/random.h"
#include "core/decide.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "kube/event_recorder.h"
#include "kube/reflector.h"
#include "observe/fleet.h"
#include "observe/resource_claims.h"
#include "operator/counters.h"
#include "operator/device_pod_counter.h"
#include "operator/node_news.h"
#include "operator/node_pods.h"
#include "operator/policy_kinds.h"
#include "operator/policy_state.h"
#include "operator/runtime.h"
#include "operator/settings.h"
#include "operator/status_writer.h"

namespace drover::operate {

class Controller {
 public:
  // `wake` is called when something changed that a pass should look at.
  Controller(kube::Api& api, base::Loop& loop, base::Random random, const Served& served,
             kube::Cache<observe::NodeFacts>& nodes, kube::EventRecorder& events, std::function<bool()> permission,
             std::function<void()> wake);

  // `as`: which operator this is, for the status of its policies.
  void start(act::OperatorName as);
  bool is_synced() const;
  // Of each kind of its policies; else nothing is decided.
  bool knows_its_policies() const { return kinds_.are_known(); }
  bool serves_a_kind() const { return kinds_.some_are_served(); }
  const core::Flow& flow() const { return served_.profile->flow; }
  // Takes note of the policies that changed.
  void read_policies();
  // Labels of nodes that policies select by, beyond those that are always watched.
  std::vector<std::string> label_keys() const;

  // The pass's doors, in the order of walking; `apply` and `record` for each policy's state.
  void absorb(const std::vector<std::string>& changed_nodes);
  void observe(const Heard& heard);
  const std::vector<std::unique_ptr<PolicyState>>& policy_states() const { return policy_states_; }
  void apply(PolicyState& state, const core::FleetView& view, const core::Plan& plan);
  // When the next pass is due, if nothing happens before.
  std::optional<base::Span> record(PolicyState& state, const core::FleetView& view, const core::Plan& plan);
  // What no single policy's state can tell: whose pods are watched, and what is not needed any more.
  void tidy();

  // A node was taken and the watch has not shown it yet.
  bool has_pending_takes() { return executor_.has_pending_takes(nodes_); }

  // For metrics: of the last pass, over all policies.
  act::Summary summary() const;
  bool upgrades_are_on() const;
  std::uint64_t failed_writes() const { return executor_.failures(); }
  std::uint64_t forced_deletions() const { return counters_.forced_deletions(); }
  std::vector<vendors::MetricFamily> metrics() const;
  const vendors::WorkProfile& profile() const { return *served_.profile; }
  // For display: of the first policy.
  const observe::Fleet& fleet() const { return policy_states_.front()->fleet; }

 private:
  void begin_watch(std::string_view name, kube::Range range, kube::Projection projection, kube::Listener listener);
  void watch(std::string_view name, kube::Range range, kube::Projection projection, kube::Listener listener);
  // Of a kind that the server need not know.
  void watch_if_known(std::string_view name, kube::Range range, kube::Projection projection, kube::Listener listener);
  bool daemon_sets_changed();
  void note_forced(const act::WriteResult& result);
  void ask_for_news(const core::FleetView& view, const core::Plan& plan);
  void bring_operands(const PolicyState& state, const core::FleetView& view);
  std::unique_ptr<PolicyState> state_of_policy(std::optional<observe::PolicyRef> policy);
  std::string competing_operator() const;
  void tell_news(PolicyState& state, const core::FleetView& view, const core::Plan& plan,
                 const act::Obstacles& obstacles);

  kube::Api& api_;
  base::Loop& loop_;
  base::Random random_;
  Served served_;
  std::function<void()> wake_;

  kube::EventRecorder& events_;
  kube::Cache<observe::NodeFacts>& nodes_;
  observe::PolicyCaches policies_;
  PolicyKinds kinds_;
  kube::Cache<observe::PodFacts> operand_pods_;
  kube::Cache<observe::DaemonSetFacts> daemon_sets_;
  kube::Cache<kube::Object> competing_operators_;
  observe::ResourceClaims claims_;
  struct Watch {
    std::string kind;
    std::unique_ptr<kube::Reflector> reflector;
  };
  std::vector<Watch> watches_;
  std::set<std::string> unknown_kinds_;  // that the server does not know, and need not

  std::map<observe::PolicyRef, std::string> seen_policies_;  // what matters of each
  std::map<std::string, observe::DaemonSetFacts> seen_sets_;
  std::set<std::string> pods_changed_;  // nodes in flight whose pods changed
  NodePods node_pods_;
  NodeNews node_news_;
  DevicePodCounter device_pod_counter_;
  Runtime runtime_;
  act::Executor executor_;
  Counters counters_;
  observe::Stopwatch stopwatch_;
  observe::OperandPods operand_index_;
  observe::PolicySet policy_set_;
  StatusWriter status_writer_;
  std::vector<std::unique_ptr<PolicyState>>
      policy_states_;  // in the order of their policies; the last is of nodes without a policy
};

}  // namespace drover::operate
