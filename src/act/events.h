// Every Event that drover writes, in one place: what people read in `kubectl get events` and `kubectl describe node`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/decide.h"
#include "kube/event_recorder.h"
#include "vendors/work_profile.h"

namespace drover::act {

// The node that an Event is about.
struct NodeName {
  std::string name;
  std::string uid;
};

// The Events of a change that was written: one for each phase passed, in order, in the vendor's words; a Warning with
// the reason where a node failed.
std::vector<kube::Event> events_of(const core::NodeView& before, const core::Change& change, const core::Policy& policy,
                                   const vendors::WorkProfile& profile);

// "the claim names another policy; its claim is in no record yet"
std::string repairs_of(const core::Change& change);

// A pod was deleted because a documented time was over, whatever its budget says: about the node, and about the pod,
// in whose namespace its owner looks.
std::vector<kube::Event> forced_events(const NodeName& node, const core::PodView& pod,
                                       const vendors::WorkProfile& profile);

// A wait that people must hear of has begun.
kube::Event announced_event(const NodeName& node, const std::string& why, const vendors::WorkProfile& profile);

// Something keeps the policy's rollout from going on, or no longer does.
kube::Event blocked_event(const kube::Resource& kind, const json::Value& policy, const std::string& what);
kube::Event unblocked_event(const kube::Resource& kind, const json::Value& policy);
// A PodDisruptionBudget holds nodes, or no longer does: in its namespace, where its owner looks.
kube::Event budget_event(const std::string& ns, const std::string& name, bool holds, const std::string& what);

// A node's record could not be read, and was restored from what else is known.
kube::Event odd_record_event(const NodeName& node, const std::string& trouble, const vendors::WorkProfile& profile);

// Something in a node's record is not believed.
kube::Event distrust_event(const NodeName& node, const std::string& what, const vendors::WorkProfile& profile);

// Where one of its nodes stands now, about the policy; `why` may be empty.
kube::Event policy_event(const kube::Resource& kind, const json::Value& policy, const std::string& node,
                         const vendors::NodeState& words, const std::string& why);

// Why a node stands where it stands, in one line.
std::string reason_to_tell(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                           std::size_t node);

// "upgrade-required > cordon-required > …: a slot is free", for the log.
std::string path_of(const core::Change& change, const vendors::WorkProfile& profile);

}  // namespace drover::act
