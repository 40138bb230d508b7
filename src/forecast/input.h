// What a forecast starts from: the cluster as it was listed, as plain values.
//
// Made by the reader (plan_survey.h), changed by nobody but the forecast's own copy. Knows no API objects but the two
// that placement reads: a node's labels and taints, and what a pod says about where it may run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "core/view.h"
#include "kube/quantity.h"
#include "observe/budget.h"

namespace drover::forecast {

using Amounts = kube::Amounts;

// A pod that has not ended.
struct PlacedPod {
  core::PodView view;
  std::string node = {};  // empty: it waits for room
  bool is_ready = false;
  bool is_replacement = false;  // made by the forecast
  base::Span grace = {};        // what it may take to end
  base::Span starts_in = {};    // what one like it takes from its node to ready
  base::Span fetches_in = {};   // of that, where its image has to be fetched first
  std::string image = {};
  base::WallTime made_at = {};
  Amounts requests = {};
  json::Value wishes = {};                // of its spec, what says where it may run
  std::vector<std::size_t> budgets = {};  // that count it, by index
  // What each plot's policy says of it, by index: the node where it is has one of them.
  struct Part {
    bool is_waited_for = false;
    bool is_drained = true;
  };
  std::vector<Part> parts = {};
};

// A node where pods can be, the policy's or not.
struct NodeCapacity {
  json::Value node = {};  // labels and taints; ours is not among them
  bool is_open = true;    // for nodes that the policy does not manage: Ready, and nobody cordoned it
  Amounts allocatable = {};
};

// What the views do not say of a node that the policy manages; beside them, by index.
struct NodeDetails {
  std::string loaded = {};  // the version that it has
  std::string wanted = {};
  std::string image = {};
  std::string missing = {};        // why the image is known not to be had
  std::string cannot_unload = {};  // why its kernel keeps the old driver
};

// How long things take here, from what pods say of their own past.
struct DurationStats {
  base::Span pull = std::chrono::seconds(30);
  base::Span stop = std::chrono::seconds(2);  // nothing that is left of a deleted pod tells
  base::Span driver = std::chrono::minutes(2);
  base::Span validation = std::chrono::seconds(30);
  std::vector<base::Span> pulls = {};  // each that is known
  std::vector<base::Span> drivers = {};
  std::vector<base::Span> validations = {};
  std::vector<std::string> sources = {};  // where each comes from, for people
};

// One policy and its nodes.
struct PolicyFleet {
  core::FleetView fleet;
  std::vector<NodeDetails> details = {};
};

// A node that several policies select.
struct Dispute {
  std::string node;
  std::string rivals;         // "AcmeDrivers a and b"
  bool has_no_owner = false;  // none of them had it before: nobody looks after it
};

struct ForecastInput {
  std::vector<PolicyFleet> policies = {};           // those that have nodes, in the operator's order
  std::optional<core::Share> max_unavailable = {};  // over all of them, as asked
  std::vector<Dispute> disputes = {};
  std::map<std::string, NodeCapacity> capacities = {};  // by node
  std::vector<PlacedPod> pods = {};
  std::vector<observe::Budget> budgets = {};
  std::string competing_operator = {};  // the vendor's own runs: nothing moves
  DurationStats pace = {};
};

}  // namespace drover::forecast
