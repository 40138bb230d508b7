// Fleets for tests, in as few words as the test needs.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/decide.h"
#include "core/explain.h"
#include "core/flows/flows.h"
#include "core/view.h"

namespace drover::core::testing {

using namespace std::chrono_literals;

inline NodeView node(std::string name, Phase phase = Phase::Done) {
  NodeView node;
  node.uid = "uid-" + name;
  node.next_claim = "claim-" + name;
  node.name = std::move(name);
  node.phase = phase;
  node.target = "new";
  node.driver = {.wanted = "550", .pod = "old-" + node.name, .is_outdated = true, .is_ready = true};
  node.preflight.state = PreflightView::State::Passed;
  if (phase != Phase::Idle) node.label = phase;
  return node;
}

// A node that we hold, emptied as far as its phase says.
inline NodeView taken(std::string name, Phase phase, Claim::Cordon cordon = Claim::Cordon::Ours) {
  NodeView held = node(std::move(name), phase);
  held.claim = Claim{.id = "claim", .policy = "policy", .phase = phase, .target = "new", .driver_pod = held.driver.pod};
  held.claim->cordon = cordon;
  held.is_cordoned = true;
  held.is_tainted = phase != Phase::Validate && phase != Phase::Uncordon && phase != Phase::Failed;
  held.pods.emplace();
  return held;
}

inline PodView pod(std::string name) {
  return {.ns = "ml", .name = std::move(name), .uid = "u", .owner = "ReplicaSet ml/train", .uses_device = true};
}

inline FleetView fleet(std::vector<NodeView> nodes) {
  FleetView fleet;
  fleet.policy.name = "cluster-policy";
  fleet.policy.uid = "policy";
  fleet.policy.max_parallel = 1;
  fleet.policy.unavailable = {.amount = 100, .is_percent = true};
  fleet.nodes = std::move(nodes);
  return fleet;
}

inline Plan decide(const FleetView& fleet) { return core::decide(in_place(), fleet); }

// Where the first node's decision leads: "required > cordon > wait-for-jobs", or the work it does, or "waits".
inline std::string verdict(const FleetView& fleet, std::size_t index = 0) {
  const Plan plan = decide(fleet);
  const Decision& decision = plan.decisions.at(index);
  if (decision.change && !decision.change->path.empty()) {
    std::string path(name(decision.change->path.front().from));
    for (const Step& step : decision.change->path) path += " > " + std::string(name(step.to));
    return path;
  }
  if (decision.change) return "relabel";
  return decision.action == Action::None ? "waits" : std::string(name(decision.action));
}

// How many nodes begin now.
inline int starts(const FleetView& fleet) {
  int count = 0;
  for (const Decision& decision : decide(fleet).decisions) {
    for (const Step& step : decision.change ? decision.change->path : std::vector<Step>{}) {
      count += step.to == Phase::Cordon ? 1 : 0;
    }
  }
  return count;
}

// A change as tests ask about it: our marks afterwards, and what it means for the node.
struct MadeChange : NodeMarks, Change {
  std::optional<bool> cordoned = {};
  std::optional<bool> tainted = {};
  std::map<std::string, std::string> gates_to_restore = {};
  std::vector<std::string> gates_to_pause = {};
  bool gives_back_to_person = false;
  bool is_without_controller = false;

  MadeChange(const NodeView& before, const Change& change, const Policy& policy)
      : NodeMarks(change.after),
        Change(change),
        gates_to_restore(core::gates_to_restore(before, after)),
        gates_to_pause(core::gates_to_pause(before, after)),
        gives_back_to_person(core::gives_back_to_person(before, after)),
        is_without_controller(core::is_without_controller(before, policy)) {
    if (before.is_cordoned != is_cordoned) cordoned = is_cordoned;
    if (before.is_tainted != is_tainted) tainted = is_tainted;
  }
};

// What a node's decision changes; the test fails when it changes nothing.
inline MadeChange change_of(const FleetView& fleet, const Decision& decision) {
  EXPECT_TRUE(decision.change);
  return {fleet.nodes.at(decision.node), decision.change ? *decision.change : Change{}, fleet.policy};
}
inline MadeChange change_of(const FleetView& fleet, std::size_t index = 0) {
  return change_of(fleet, decide(fleet).decisions.at(index));
}

// The same node with the driver that is wanted.
inline NodeView current(NodeView node) {
  node.driver.is_outdated = false;
  return node;
}

inline std::string reason(const FleetView& fleet, std::size_t index = 0) {
  return reason_of(in_place(), fleet, count_slots(fleet), index);
}

}  // namespace drover::core::testing
