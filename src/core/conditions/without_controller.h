// Conditions about upgrades without the controller: a driver's own init container says what it needs, and is served.
//
// A pause does not ask for that. A node that waited for its turn when upgrades were switched off waits on, and so does
// every other until none waits any more: only what changes after that is rolled out pod by pod.
#pragma once

#include "core/condition.h"
#include "core/conditions/installed.h"
#include "core/conditions/selection.h"

namespace drover::core {

inline constexpr Condition driver_asks_for_room = {
    "the driver init container requests eviction, and autoUpgrade is off",
    [](const RuleInput& c, Explanation&) { return !c.policy.is_on && c.node.asks_for_room(); }};

inline constexpr Condition driver_changes_without_controller = {
    "the driver is outdated, and autoUpgrade is off", [](const RuleInput& c, Explanation& words) {
      if (c.policy.is_on || !c.node.driver.is_outdated) return false;
      words.say_made([&]() -> std::string {
        if (!c.policy.rolling_update) return "updateStrategy is OnDelete; delete its pod to have it changed";
        if (c.slots.paused == nullptr) return fmt::format("{} is wanted", c.node.driver.wanted);
        return c.slots.obstacle();
      });
      return c.policy.rolling_update && c.slots.paused == nullptr && c.policy.trouble.empty() && !c.policy.is_ending;
    }};

inline constexpr Condition nothing_waits_for_them = {
    "upgrades are off, and the wanted driver is the one it has", [](const RuleInput& c, Explanation& words) {
      if (!upgrades_are_off.holds(c, words) || c.node.claim || wanted_driver_failed_here.holds(c, words)) return false;
      return c.node.is_ready && nothing_is_to_change.holds(c, words);
    }};

// Not yet cleared for: the pod that would ask has still to be made.
inline constexpr Condition driver_goes_without_controller = {
    "autoUpgrade is off and updateStrategy is RollingUpdate", [](const RuleInput& c, Explanation&) {
      return goes_without_controller(c.node, c.policy) && !c.node.asks_for_room();
    }};

// It has what it wanted, or gave up, or would bring the wrong driver by now. Not known while
// its pod is being recreated.
inline constexpr Condition driver_asks_no_more = {
    "the driver init container withdrew its request", [](const RuleInput& c, Explanation&) {
      const DriverView& driver = c.node.driver;
      if (c.policy.is_on || !c.node.claim || !c.node.claim->requested_scope || driver.pod.empty() || driver.is_going)
        return false;
      return !driver.asks_for && (driver.is_ready || driver.is_outdated || driver.asks_nothing);
    }};

inline constexpr Condition driver_asks_for_a_drain = {
    "the driver init container requests a drain", [](const RuleInput& c, Explanation&) {
      return !c.policy.is_on && c.node.claim && c.node.claim->requested_scope == Scope::DevicePods &&
             c.node.driver.asks_for == Scope::AllPods;
    }};

}  // namespace drover::core
