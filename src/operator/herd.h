// One policy and its nodes: everything that is watched, remembered and sent for them.
//
// The rooms stand side by side here, and the corridor (loop.cc) walks through them: absorb, observe, decide, apply,
// record. What differs between vendors is asked of the profile.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "act/errands.h"
#include "act/policy_status.h"
#include "base/loop.h"
#include "base/random.h"
#include "core/decide.h"
#include "kube/api.h"
#include "kube/cache.h"
#include "kube/event_recorder.h"
#include "kube/reflector.h"
#include "observe/fleet.h"
#include "operator/census.h"
#include "operator/company.h"
#include "operator/hands.h"
#include "operator/node_pods.h"
#include "operator/settings.h"

namespace drover::operate {

class Herd {
 public:
  // `wake` is called when something changed that a walk should look at.
  Herd(kube::Api& api, base::Loop& loop, base::Random random, const Served& served,
       kube::Cache<observe::NodeFacts>& nodes, kube::EventRecorder& events, std::function<bool()> permission,
       std::function<void()> wake);

  void start();
  bool is_synced() const;
  const core::Flow& flow() const { return served_.profile->flow; }

  // The corridor's doors, in the order of walking.
  void absorb(const std::vector<std::string>& changed_nodes, bool api_is_there);
  const core::FleetView& observe();
  void apply(const core::FleetView& view, const core::Plan& plan);
  // When to walk again, if nothing happens before.
  std::optional<base::Span> record(const core::FleetView& view, const core::Plan& plan);

  // For metrics: of the last walk.
  const act::Summary& summary() const { return summary_; }
  bool upgrades_are_on() const { return upgrades_are_on_; }
  std::uint64_t failed_errands() const { return errands_.failures(); }
  const vendors::Profile& profile() const { return *served_.profile; }
  // For whoever shows it.
  const observe::Fleet& fleet() const { return fleet_; }

 private:
  bool policies_changed();
  bool daemon_sets_changed();
  std::string foreign_operator() const;
  void write_status(const core::FleetView& view, const core::Plan& plan);
  void write_ignored();
  void watch_nodes_in_flight(const core::FleetView& view);

  kube::Api& api_;
  base::Loop& loop_;
  base::Random random_;
  Served served_;
  std::function<void()> wake_;
  kube::Resource policy_kind_;

  kube::Cache<observe::NodeFacts>& nodes_;
  kube::Cache<kube::Object> policies_;
  kube::Cache<observe::PodFacts> operand_pods_;
  kube::Cache<observe::DaemonSetFacts> daemon_sets_;
  kube::Cache<kube::Object> foreigners_;
  std::vector<std::unique_ptr<kube::Reflector>> reflectors_;

  std::map<std::string, std::string> seen_policies_;  // by key: what matters of it
  std::map<std::string, observe::DaemonSetFacts> seen_sets_;
  std::set<std::string> pods_changed_;  // nodes in flight whose pods changed
  NodePods node_pods_;
  Census census_;
  Company company_;
  act::Errands errands_;
  observe::Fleet fleet_;
  Hands hands_;

  act::Summary summary_;
  bool upgrades_are_on_ = false;
  bool status_is_due_ = true;
  base::Instant status_not_before_ = {};
};

}  // namespace drover::operate
