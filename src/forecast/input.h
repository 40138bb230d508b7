// What a forecast starts from: the cluster as it was listed, as plain values.
//
// Made by the reader (cli/snapshot_reader.h), changed only by the forecast's own copy. Knows no API objects but the two
// that placement reads: a node's labels and taints, and what a pod says about where it may run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "core/flow.h"
#include "core/view.h"
#include "kube/quantity.h"
#include "observe/budget.h"

namespace drover::forecast {

using Amounts = kube::Amounts;

// A pod that has not ended.
struct PlacedPod {
  core::PodView view;     // what differs between policies is in `by_policy`
  std::string node = {};  // empty: it waits for room
  bool is_ready = false;
  bool is_replacement = false;  // made in the forecast
  base::Span grace = {};        // what it may take to end
  base::Span starts_in = {};    // what one like it takes from its node to ready
  base::Span fetches_in = {};   // of that, where its image has to be fetched first
  std::string image = {};
  base::WallTime made_at = {};
  Amounts requests = {};
  json::Value placement = {};             // of its spec (a daemon pod's: of its DaemonSet's), where it may run
  std::vector<std::size_t> budgets = {};  // that count it, by index
  // What each policy says of it, by index of the policy.
  struct Part {
    bool uses_device = false;
    bool is_ours = false;
    bool is_waited_for = false;
    bool is_drained = true;
  };
  std::vector<Part> by_policy = {};
};

// A node where pods can be, a policy's or not.
struct NodeCapacity {
  json::Value node = {};  // labels and taints; ours is not among them
  bool is_open = true;    // for nodes of no policy: Ready, and not cordoned
  Amounts allocatable = {};
};

// What the views do not say of a node that a policy manages; beside them, by index.
struct NodeDetails {
  std::string loaded = {};  // the version that it has
  std::string wanted = {};
  std::string image = {};
  std::string missing = {};        // why the image is known not to be had
  std::string cannot_unload = {};  // why its kernel keeps the old driver
  bool forces = false;             // the driver's pod may end what holds the device
};

// How long things take here, from what pods and nodes say of their own past.
struct DurationStats {
  base::Span preparation = std::chrono::seconds(30);  // while the node serves: the image is fetched, or a driver built
  base::Span stop = std::chrono::seconds(2);          // nothing that is left of a deleted pod says it
  base::Span driver = std::chrono::minutes(2);        // from its pod to ready
  base::Span validation = std::chrono::seconds(30);
  std::vector<base::Span> preparations = {};  // each that is known
  std::vector<base::Span> drivers = {};
  std::vector<base::Span> validations = {};
};

// One policy and its nodes.
struct PolicyFleet {
  std::string vendor;
  std::string kind;  // of its claims: "acme/driver"
  const core::Flow* flow;
  bool is_of_policy = true;  // false: nodes that no policy wants any more
  core::FleetView fleet;
  std::vector<NodeDetails> details = {};
  std::string gate_closed = {};         // what a label says that keeps daemon pods off the device
  std::string competing_operator = {};  // the vendor's own runs: nothing is written
  DurationStats durations = {};
};

// A node that several policies select.
struct Dispute {
  std::string node;
  std::string policies;       // "AcmeDrivers a and b"
  bool has_no_owner = false;  // it had none of their drivers before, and gets none
};

struct ForecastInput {
  std::vector<PolicyFleet> policies = {};           // of all vendors, those that have nodes, in the operator's order
  std::optional<core::Share> max_unavailable = {};  // over all of them, as asked
  std::vector<Dispute> disputes = {};
  std::map<std::string, NodeCapacity> capacities = {};  // by node
  std::vector<PlacedPod> pods = {};
  std::vector<observe::Budget> budgets = {};
  std::vector<std::string> sources = {};  // where the durations come from, for people
};

}  // namespace drover::forecast
