// Conditions about the driver that a node has.
#pragma once

#include "core/condition.h"
#include "core/node_class.h"

namespace drover::core {

inline constexpr Condition driver_is_host_managed = {
    "the driver is the host's own", [](const RuleInput& c, Explanation&) { return c.node.driver.is_host_managed; }};

// Nothing is loaded, so there is nothing to lose: no slot, no cordon, no drain.
inline constexpr Condition first_driver_is_being_installed = {
    "the first driver is being installed", [](const RuleInput& c, Explanation& words) {
      const DriverView& driver = c.node.driver;
      words.say("{}", driver.is_first ? (driver.trouble.empty() ? "no driver is loaded yet" : driver.trouble.view())
                                      : "a driver is loaded");
      return driver.is_first && !driver.is_ready;
    }};

inline constexpr Condition driver_asks_to_load = {
    "a new driver waits for permission to load",
    [](const RuleInput& c, Explanation&) { return c.node.driver.waits_for_us && !c.node.driver.is_ready; }};

inline constexpr Condition driver_is_outdated = {"the driver is outdated", [](const RuleInput& c, Explanation& words) {
                                                   words.say("{} is wanted", c.node.driver.wanted);
                                                   return c.node.driver.is_outdated;
                                                 }};

inline constexpr Condition driver_is_not_ready = {"the driver is not ready",
                                                  [](const RuleInput& c, Explanation& words) {
                                                    if (!c.node.driver.is_ready) words.say("{}", c.node.driver.trouble);
                                                    return !c.node.driver.is_ready;
                                                  }};

inline constexpr Condition driver_serves_no_longer = {
    "the driver no longer serves", [](const RuleInput& c, Explanation& words) {
      const DriverView& driver = c.node.driver;
      if (driver.unready_for && serves(c.node) == Serves::Yes)
        words.look_again_in(serves_for(driver) - *driver.unready_for);
      if (serves(c.node) != Serves::No) return false;
      words.say("{}", driver.is_ready                               ? "its validator is not ready"
                      : driver.pod.empty() && driver.misfit.empty() ? "its pod is gone"
                      : !driver.trouble.empty()                     ? driver.trouble.view()
                                                                    : "its pod is not ready");
      return true;
    }};

inline constexpr Condition driver_is_not_heard_of = {
    "nothing is heard of the driver", [](const RuleInput& c, Explanation& words) {
      if (serves(c.node) != Serves::Unknown) return false;
      const DriverView& driver = c.node.driver;
      words.say("{} was loaded when its agent was last heard; {}", driver.loaded,
                !driver.trouble.empty() ? driver.trouble.view()
                : driver.pod.empty()    ? "its pod is gone"
                                        : "its pod is not ready");
      return true;
    }};

// The policy cannot be read, or does not say it for a system like the node's: what the node has may be right or wrong.
inline constexpr Condition wanted_driver_is_unknown = {
    "the target driver cannot be determined", [](const RuleInput& c, Explanation& words) {
      if (!c.node.target.empty()) return false;
      words.say("{}", c.policy.trouble.empty() ? "see the conditions of policy " + c.policy.name : c.policy.trouble);
      return true;
    }};

// Also what an unwinding depends on: a request wants the swap whatever the driver is.
inline constexpr Condition nothing_is_to_change = {
    "the wanted driver is the one it has", [](const RuleInput& c, Explanation& words) {
      const bool asked = c.node.is_asked_for || (c.node.claim && c.node.claim->was_asked_for);
      words.say("{} is wanted{}", c.node.driver.wanted, asked ? ", and an upgrade was requested" : "");
      const DriverView& driver = c.node.driver;
      // A pod that is gone or does not serve yet is not a driver that the node has.
      return !asked && !c.node.target.empty() && driver.is_ready && !driver.is_outdated && !driver.waits_for_us;
    }};

// A version that failed here, wanted again after another one was wanted for a while: that it is there and ready says as
// little as it said before.
inline constexpr Condition wanted_driver_failed_here = {
    "the wanted driver is the one that failed here", [](const RuleInput& c, Explanation& words) {
      const Outcome* last = c.node.outcome ? &*c.node.outcome : nullptr;
      const bool failed = last != nullptr && last->failed && last->after_swap && last->target == c.node.target;
      const bool is_held = c.node.claim && c.node.claim->driver_failed && !goes_without_controller(c.node, c.policy);
      if (!failed && !is_held) return false;
      return nothing_is_to_change.holds(c, words);
    }};

// The pod was replaced, not by drover, or never came up: what comes is what is wanted, and it is waited for.
inline constexpr Condition wanted_driver_is_starting = {
    "the wanted driver is starting", [](const RuleInput& c, Explanation& words) {
      const DriverView& driver = c.node.driver;
      if (!driver.trouble.empty()) words.say("{}", driver.trouble);
      return !c.node.is_asked_for && !driver.is_ready && !driver.is_outdated && !driver.waits_for_us;
    }};

inline constexpr Condition another_version_is_wanted = {
    "another version is wanted", [](const RuleInput& c, Explanation& words) {
      words.say("{} is wanted", c.node.driver.wanted);
      return c.node.outcome && !c.node.target.empty() && c.node.outcome->target != c.node.target;
    }};

}  // namespace drover::core
