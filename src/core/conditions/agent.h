// Conditions about drivers that an agent builds on the node before it asks to load them.
//
// The agent takes a driver out only with permission, so that its pod may be replaced at any time: what serves stays.
#pragma once

#include "core/condition.h"
#include "core/conditions/emptying.h"
#include "core/conditions/swap.h"

namespace drover::core {

// ---- the pod that carries the agent

inline constexpr Condition its_pod_may_be_renewed = {"its pod is made from an older template, and it is its turn",
                                                     [](const RuleInput& c, Explanation&) { return c.may_renew; }};

// An agent that does not serve prepares nothing; the next one builds before it asks.
inline constexpr Condition its_pod_cannot_prepare = {
    "its pod cannot prepare the driver", [](const RuleInput& c, Explanation& words) {
      const DriverView& driver = c.node.driver;
      if (!driver.trouble.empty()) words.say("{}", driver.trouble);
      return !driver.pod.empty() && !driver.is_going && !driver.is_ready && driver.is_outdated && driver.is_settled &&
             c.node.preflight.state != PreflightView::State::Passed;
    }};

inline constexpr Condition another_driver_is_not_prepared = {
    "another driver is wanted by now, and it is not prepared", [](const RuleInput& c, Explanation& words) {
      words.say("{} is wanted", c.node.driver.wanted);
      return c.node.claim && c.node.claim->target != c.node.target &&
             c.node.preflight.state != PreflightView::State::Passed;
    }};

// The pod that failed does not ask again; one that asks was created since, after that one was deleted.
inline constexpr Condition a_new_pod_asks = {
    "a new pod asks for permission to load", [](const RuleInput& c, Explanation&) {
      const std::string& pod = c.node.driver.pod;
      const bool is_the_one_that_failed =
          (c.node.claim && c.node.claim->driver_pod == pod) || (c.node.outcome && c.node.outcome->pod == pod);
      return c.node.driver.waits_for_us && !is_the_one_that_failed;
    }};

// A swap that a DaemonSet will still finish is waited for.
inline constexpr Condition no_pod_will_come = {
    "its pod is gone, and no DaemonSet makes another",
    [](const RuleInput& c, Explanation&) { return c.node.driver.pod.empty() && c.node.driver.carrier_is_gone; }};

// ---- emptying the node

namespace clearing {

// A daemon pod that would be back at once is not asked to go: a gate may send it away, and if none does, the agent says
// which processes hold the device.
inline void leave_those_that_return(Clearing& clearing) {
  std::erase_if(clearing.refused, [](const PodFate& fate) { return fate.pod->returns; });
}
inline Clearing of_device_pods_that_can_go(const RuleInput& c) {
  Clearing left = of_device_pods(c);
  leave_those_that_return(left);
  return left;
}
inline Clearing of_pods_that_can_go(const RuleInput& c) {
  Clearing left = of_all_pods(c);
  leave_those_that_return(left);
  return left;
}
inline bool refuses(const Clearing& left, Explanation& words) {
  if (left.refused.empty()) return false;
  words.say("{}: {}", left.refused.front().pod->full_name(), left.refused.front().because);
  return true;
}

}  // namespace clearing

inline constexpr Condition nothing_is_to_be_evicted = {"no pod is to be evicted", [](const RuleInput& c, Explanation&) {
                                                         return !c.policy.device_pods && !c.policy.drain;
                                                       }};

inline constexpr Condition a_holder_may_not_go = {
    "a pod that uses the device may not be evicted", [](const RuleInput& c, Explanation& words) {
      return clearing::refuses(clearing::of_device_pods_that_can_go(c), words);
    }};

inline constexpr Condition a_holder_is_left = {"a pod uses the device", [](const RuleInput& c, Explanation& words) {
                                                 const Clearing left = clearing::of_device_pods_that_can_go(c);
                                                 if (!left.is_done()) words.say_made([&] { return names_of(left); });
                                                 return !left.is_done();
                                               }};

// How long a gate takes to send a daemon pod away.
inline constexpr Span kGateGrace = std::chrono::seconds(30);
inline constexpr Condition gates_are_at_work = {"daemon pods that use the device may still leave",
                                                [](const RuleInput& c, Explanation& words) {
                                                  const Clearing left = clearing::of_device_pods(c);
                                                  if (left.is_done() || c.node.spent >= kGateGrace) return false;
                                                  words.say_made([&] { return names_of(left); });
                                                  words.look_again_in(kGateGrace - c.node.spent);
                                                  return true;
                                                }};

inline constexpr Condition node_is_drained = {
    "the node is drained", [](const RuleInput& c, Explanation& words) {
      const Clearing left = clearing::of_pods_that_can_go(c);
      words.say_made([&] {
        return left.is_done() ? clearing::what_stays(c)
                              : fmt::format("{} in the way: {}", left.in_the_way(), names_of(left));
      });
      return left.is_done();
    }};

inline constexpr Condition a_pod_may_not_be_evicted = {
    "a pod may not be evicted",
    [](const RuleInput& c, Explanation& words) { return clearing::refuses(clearing::of_pods_that_can_go(c), words); }};

// One time for both passes.
inline constexpr Condition emptying_took_too_long = {
    "the drain ran out of time", [](const RuleInput& c, Explanation& words) {
      if (!clearing::is_over(c, c.policy.device_pods ? c.policy.device_pods->at_most : std::nullopt, {}, words))
        return false;
      words.say_made([&] {
        return fmt::format("{} of {}; {}", base::human(c.node.spent), base::human(*c.policy.device_pods->at_most),
                           names_of(clearing::of_pods_that_can_go(c)));
      });
      return true;
    }};

inline bool holder_has_come(const RuleInput& c, Explanation& words) {
  return c.node.pods && (c.policy.device_pods || c.policy.drain) && a_holder_is_left.holds(c, words);
}
inline constexpr Condition a_holder_has_come = {"a pod that uses the device has come", holder_has_come};

// ---- the swap

inline constexpr Condition new_driver_did_not_load = {"the new driver did not load",
                                                      [](const RuleInput& c, Explanation& words) {
                                                        words.say("{}", c.node.driver.refusal);
                                                        return !c.node.driver.refusal.empty();
                                                      }};

inline constexpr Condition device_is_held = {"the device is held", [](const RuleInput& c, Explanation& words) {
                                               words.say("{}", c.node.driver.held_by);
                                               return !c.node.driver.held_by.empty();
                                             }};

inline constexpr Condition its_pod_may_not_force = {
    "its pod may not end the processes that hold the device, and the policy allows it",
    [](const RuleInput& c, Explanation& words) {
      return c.node.driver.may_not_force && device_is_held.holds(c, words);
    }};

inline constexpr Condition its_pod_is_stale_and_in_trouble = {
    "its pod is in trouble, and its template has changed", [](const RuleInput& c, Explanation& words) {
      words.say("{}", c.node.driver.trouble);
      return c.node.driver.is_stale && !c.node.driver.trouble.empty() && !c.node.driver.is_ready &&
             !c.node.driver.is_going;
    }};

}  // namespace drover::core
