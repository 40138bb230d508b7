#include "rules_cases.h"

#include <array>
#include <utility>

#include "core/drain.h"
#include "core/fleet.h"
#include "core/flows/flows.h"

namespace drover::proof {
namespace {

using namespace std::chrono_literals;
using core::Claim;
using core::FleetView;
using core::in_place;
using core::NodeView;
using core::Phase;
using core::PodView;
using core::prepared;
using core::Removal;
using core::Scope;
using core::testing::current;
using core::testing::fleet;
using core::testing::node;
using core::testing::taken;

FleetView of(NodeView one) { return fleet({std::move(one)}); }

// A node of ours whose pods are these.
NodeView with_pods(NodeView one, std::vector<PodView> pods) {
  one.pods = std::move(pods);
  return one;
}
PodView device_pod(int generation = 1) {
  PodView pod = core::testing::pod("train");
  pod.generation = generation;
  return pod;
}
PodView pod_that_keeps_coming() { return device_pod(core::kMostReturns + 1); }

// ---- where the pod stands in its own way

NodeView unschedulable(NodeView one) {
  one = current(std::move(one));
  one.driver.is_ready = false;
  one.driver.is_unscheduled = true;
  one.driver.trouble = "0/3 nodes are available: insufficient cpu";
  return one;
}
NodeView without_pod(NodeView one) {
  one = current(std::move(one));
  one.driver.pod.clear();
  one.driver.is_ready = false;
  return one;
}
NodeView misfit(NodeView one) {
  one = without_pod(std::move(one));
  one.driver.misfit = "it does not tolerate the taint team:NoSchedule";
  return one;
}
// Its next pod would not fit; the one that serves does.
NodeView about_to_misfit(NodeView one) {
  one.driver.misfit = "it does not tolerate the taint team:NoSchedule";
  return one;
}
NodeView of_unknown_target(NodeView one) {
  one.target = "";
  return one;
}
NodeView in_swap(std::string_view pod = "new") {
  NodeView one = current(taken("a", Phase::Restart));
  one.driver.pod = pod;
  one.driver.is_ready = false;
  return one;
}

// ---- upgrades without the controller

FleetView without_controller(NodeView one) {
  FleetView nodes = of(std::move(one));
  nodes.policy.is_on = false;
  nodes.policy.rolling_update = true;
  return nodes;
}
NodeView waiting_without_controller() {
  NodeView one = node("a", Phase::Required);
  one.without_controller = true;
  return one;
}
// Its init container asked for the pods with a device, and by now for all.
FleetView asking_for_a_drain(Phase phase) {
  NodeView one = with_pods(taken("a", phase), {device_pod()});
  one.claim->requested_scope = Scope::DevicePods;
  one.driver.is_ready = false;
  one.driver.asks_for = Scope::AllPods;
  one.driver.waits_for_us = true;
  FleetView nodes = without_controller(std::move(one));
  nodes.policy.drain = Removal{};
  return nodes;
}

// ---- pods that are deleted and do not end: their kubelet does not answer, or they have a finalizer

FleetView after_a_deletion(Phase phase, bool drains) {
  NodeView one = with_pods(taken("a", phase), {device_pod()});
  one.spent = 1h;
  FleetView nodes = of(std::move(one));
  if (drains) nodes.policy.drain = Removal{.at_most = 300s};
  return nodes;
}

constexpr RuleCase kInPlace[] = {
    {in_place, Phase::Done, "a new driver waits for permission to load",
     [] {
       NodeView one = current(node("a"));
       one.driver.is_ready = false;
       one.driver.waits_for_us = true;
       return of(one);
     }},
    {in_place, Phase::Idle, "the target driver cannot be determined",
     [] { return of(of_unknown_target(current(node("a", Phase::Idle)))); }},
    {in_place, Phase::Required, "the scheduler finds no place for its pod",
     [] { return of(unschedulable(node("a", Phase::Required))); }},
    {in_place, Phase::Required, "the driver's DaemonSet is being updated",
     [] {
       NodeView one = waiting_without_controller();
       one.driver.is_settled = false;
       return without_controller(one);
     }},
    // A guard: facts that contradict each other lead to no cordon.
    {in_place, Phase::Required, "the driver's pod is being replaced",
     [] {
       NodeView one = current(waiting_without_controller());
       one.driver.waits_for_us = true;
       return without_controller(one);
     }},
    {in_place, Phase::Drain, "the wanted driver is the one it has, and the node is not ready",
     [] {
       NodeView one = current(taken("a", Phase::Drain));
       one.is_ready = false;
       return of(one);
     }},
    {in_place, Phase::Drain, "its kernel cannot unload modules",
     [] {
       NodeView one = taken("a", Phase::Drain);
       one.cannot_unload = true;
       return of(one);
     }},
    {in_place, Phase::Restart, "the driver init container requests a drain",
     [] { return asking_for_a_drain(Phase::Restart); }},
    {in_place, Phase::EvictDevicePods, "the driver init container requests a drain",
     [] { return asking_for_a_drain(Phase::EvictDevicePods); }},
    {in_place, Phase::EvictDevicePods, "pods that use the device keep coming",
     [] { return of(with_pods(taken("a", Phase::EvictDevicePods), {pod_that_keeps_coming()})); }},
    {in_place, Phase::EvictDevicePods, "pods would not go, and drain is on",
     [] { return after_a_deletion(Phase::EvictDevicePods, true); }},
    {in_place, Phase::EvictDevicePods, "pods that use the device would not go",
     [] { return after_a_deletion(Phase::EvictDevicePods, false); }},
    {in_place, Phase::Drain, "no pod is to be evicted",
     [] {
       FleetView nodes = of(taken("a", Phase::Drain));
       nodes.policy.device_pods.reset();
       return nodes;
     }},
    {in_place, Phase::Drain, "pods that use the device keep coming",
     [] {
       FleetView nodes = of(with_pods(taken("a", Phase::Drain), {pod_that_keeps_coming()}));
       nodes.policy.drain = Removal{};
       return nodes;
     }},
    {in_place, Phase::Drain, "the drain ran out of time", [] { return after_a_deletion(Phase::Drain, true); }},
    {in_place, Phase::Restart, "pods that use the device keep coming",
     [] { return of(with_pods(taken("a", Phase::Restart), {pod_that_keeps_coming()})); }},
    {in_place, Phase::Restart, "the driver's pod does not fit the node", [] { return of(misfit(in_swap())); }},
};

constexpr RuleCase kPrepared[] = {
    {prepared, Phase::Idle, "the first driver is replaced before it has served",
     [] {
       NodeView one = node("a", Phase::Idle);
       one.driver.is_first = true;
       one.driver.is_ready = false;
       return of(one);
     }},
    {prepared, Phase::Idle, "the scheduler finds no place for its pod",
     [] { return of(unschedulable(node("a", Phase::Idle))); }},
    {prepared, Phase::Idle, "the driver's pod does not fit the node",
     [] { return of(misfit(node("a", Phase::Idle))); }},
    // No vendor of this flow can come here: without a state label only an outcome says "done", and then it is not the
    // first driver.
    {prepared, Phase::Done, "the first driver is being installed",
     [] {
       NodeView one = current(node("a"));
       one.driver.is_first = true;
       one.driver.is_ready = false;
       return of(one);
     }},
    {prepared, Phase::Idle, "the target driver cannot be determined",
     [] { return of(of_unknown_target(current(node("a", Phase::Idle)))); }},
    {prepared, Phase::Done, "nothing is heard of the driver",
     [] {
       NodeView one = without_pod(node("a"));
       one.driver.loaded = one.driver.wanted;
       one.driver.unready_for = 1h;
       return of(one);
     }},
    {prepared, Phase::Required, "the target driver cannot be determined",
     [] { return of(of_unknown_target(node("a", Phase::Required))); }},
    {prepared, Phase::Required, "the driver's pod does not fit the node",
     [] { return of(about_to_misfit(node("a", Phase::Required))); }},
    {prepared, Phase::Required, "the scheduler finds no place for its pod",
     [] { return of(unschedulable(node("a", Phase::Required))); }},
    {prepared, Phase::Drain, "the target driver cannot be determined",
     [] { return of(of_unknown_target(taken("a", Phase::Drain))); }},
    {prepared, Phase::Drain, "the driver's pod does not fit the node",
     [] { return of(about_to_misfit(taken("a", Phase::Drain))); }},
    {prepared, Phase::Restart, "the policy no longer wants the node, and no DaemonSet makes its pod",
     [] {
       NodeView one = without_pod(taken("a", Phase::Restart));
       one.driver.carrier_is_gone = true;
       FleetView nodes = of(one);
       nodes.policy.is_ending = true;
       return nodes;
     }},
    {prepared, Phase::Restart, "the target driver cannot be determined",
     [] { return of(of_unknown_target(taken("a", Phase::Restart))); }},
    {prepared, Phase::Restart, "the driver's pod does not fit the node",
     [] { return of(about_to_misfit(taken("a", Phase::Restart))); }},
    {prepared, Phase::Drain, "pods that use the device keep coming",
     [] { return of(with_pods(taken("a", Phase::Drain), {pod_that_keeps_coming()})); }},
    {prepared, Phase::Drain, "pods that use the device are leaving",
     [] {
       PodView pod = device_pod();
       pod.is_daemon = true;
       pod.returns = true;
       return of(with_pods(taken("a", Phase::Drain), {pod}));
     }},
    {prepared, Phase::Restart, "pods that use the device keep coming",
     [] { return of(with_pods(taken("a", Phase::Restart), {pod_that_keeps_coming()})); }},
    {prepared, Phase::Restart, "the scheduler finds no place for its pod", [] { return of(unschedulable(in_swap())); }},
    {prepared, Phase::Restart, "the driver's pod does not fit the node", [] { return of(misfit(in_swap())); }},
    {prepared, Phase::Validate, "the loaded driver is checked again", [] { return of(taken("a", Phase::Validate)); }},
    {prepared, Phase::Uncordon, "the driver is not ready",
     [] {
       NodeView one = current(taken("a", Phase::Uncordon));
       one.driver.is_ready = false;
       return of(one);
     }},
};

constexpr RepairCase kRepairs[] = {
    {in_place, "the claim names another policy",
     [] {
       NodeView one = taken("a", Phase::Drain);
       one.claim->policy = "the one before";
       return of(one);
     }},
    {in_place, "it is held without a reason", [] { return of(current(taken("a", Phase::Idle))); }},
    {in_place, "pods that use the device have come back",
     [] { return of(with_pods(taken("a", Phase::EvictDevicePods), {device_pod(2)})); }},
    {in_place, "it has our taint and is not in flight",
     [] {
       NodeView one = current(node("a"));
       one.is_tainted = true;
       return of(one);
     }},
    {prepared, "the policy has its nodes cordoned now",
     [] { return of(taken("a", Phase::Drain, Claim::Cordon::None)); }},
    {in_place, "its gates are closed, and it is not in flight",
     [] {
       NodeView one = current(taken("a", Phase::Failed));
       one.claim->gates = {{"plugin", "true"}};
       return of(one);
     }},
};

template <class Row, std::size_t One, std::size_t Other>
constexpr auto joined(const Row (&one)[One], const Row (&other)[Other]) {
  std::array<Row, One + Other> all = {};
  for (std::size_t i = 0; i < One; ++i) all[i] = one[i];
  for (std::size_t i = 0; i < Other; ++i) all[One + i] = other[i];
  return all;
}
constexpr auto kRules = joined(kInPlace, kPrepared);

}  // namespace

std::span<const RuleCase> rule_cases() { return kRules; }
std::span<const RepairCase> repair_cases() { return kRepairs; }

}  // namespace drover::proof
