// Conditions about the swap itself and the proof after it.
#pragma once

#include "core/condition.h"
#include "core/conditions/emptying.h"

namespace drover::core {

inline constexpr Condition template_is_not_settled = {
    "the driver's DaemonSet is being updated",
    [](const RuleInput& c, Explanation&) { return !c.node.driver.is_settled; }};

// The pod that served when we took the node, or one that is outdated by now. One that is going needs no second delete,
// and one that only waits for our permission needs none at all.
inline constexpr Condition old_driver_is_there = {
    "the old driver's pod is there", [](const RuleInput& c, Explanation&) {
      const DriverView& driver = c.node.driver;
      const bool is_the_one_we_found = c.node.claim && driver.pod == c.node.claim->driver_pod && !driver.waits_for_us;
      return !driver.pod.empty() && !driver.is_going && (driver.is_outdated || is_the_one_we_found);
    }};

// The very pod that served when we took the node: nothing has been swapped yet. A claim that we took over does not know
// which that was; there it is one that is outdated and ready.
inline bool old_driver_serves(const NodeView& node) {
  const DriverView& driver = node.driver;
  if (!node.claim || driver.pod.empty() || driver.is_going) return false;
  if (node.claim->driver_pod.empty()) return driver.is_outdated && driver.is_ready;
  return driver.pod == node.claim->driver_pod;
}
inline constexpr Condition old_driver_still_serves = {
    "the old driver still serves", [](const RuleInput& c, Explanation&) { return old_driver_serves(c.node); }};

// False where no pod was to be evicted, or none is there: else the pod came after the node was clear.
inline bool device_pod_has_come(const RuleInput& c, Explanation& words) {
  if (!c.node.pods || (!c.policy.device_pods && !c.policy.drain) || !clearing::has_device_pods(c)) return false;
  words.say_made([&] { return names_of(clearing::of_device_pods(c)); });
  return true;
}
inline constexpr Condition a_device_pod_has_come = {"a pod that uses the device has come", device_pod_has_come};

inline constexpr Condition new_driver_is_ready = {
    "the new driver is ready", [](const RuleInput& c, Explanation& words) {
      const DriverView& driver = c.node.driver;
      words.say("{}", !driver.trouble.empty() ? driver.trouble.view()
                      : driver.pod.empty()    ? "its pod does not exist yet"
                      : driver.is_ready       ? "its pod is ready"
                                              : "its pod is starting");
      return !driver.pod.empty() && driver.is_ready && !driver.is_going && !driver.is_outdated;
    }};

inline constexpr Condition restart_ran_out_of_time = {
    "the new driver did not become ready", [](const RuleInput& c, Explanation& words) {
      const bool is_over = clearing::is_over(c, c.policy.restart_at_most, {}, words);
      if (is_over && !c.node.driver.trouble.empty()) {
        words.say("{} of {}; {}", base::human(c.node.spent), base::human(c.policy.restart_at_most),
                  c.node.driver.trouble);
      }
      return is_over;
    }};

inline constexpr Condition new_driver_works = {"the new driver works", [](const RuleInput& c, Explanation& words) {
                                                 words.say("{}", c.node.validator.has_passed ? "the validator is ready"
                                                                 : c.node.validator.trouble.empty()
                                                                     ? "the validator is not ready yet"
                                                                     : c.node.validator.trouble.view());
                                                 return c.node.validator.has_passed && c.node.driver.is_ready;
                                               }};

// Its result would be about the driver before; nothing else makes it check again.
inline constexpr Condition validator_is_stale = {
    "the validator is older than the driver",
    [](const RuleInput& c, Explanation&) { return c.node.validator.is_stale; }};

inline constexpr Condition validation_ran_out_of_time = {
    "the new driver was not validated", [](const RuleInput& c, Explanation& words) {
      const bool is_over = clearing::is_over(c, c.policy.validate_at_most, {}, words);
      if (is_over) {
        words.say("{} of {}; {}", base::human(c.node.spent), base::human(c.policy.validate_at_most),
                  c.node.validator.trouble.empty() ? "the validator did not become ready" : c.node.validator.trouble);
      }
      return is_over;
    }};

}  // namespace drover::core
