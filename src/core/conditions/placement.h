// Conditions about whether the driver's pod can be on its node.
//
// A DaemonSet makes no pod where a taint or a label is against it; what asks for more than there is waits for the
// scheduler. Both are known of a template before its pod is made.
#pragma once

#include "core/condition.h"

namespace drover::core {

// What keeps the driver's pod from running, as far as that is known.
inline Reason pod_trouble(const DriverView& driver) {
  if (driver.is_ready || driver.is_going) return Reason::None;
  if (driver.pod.empty()) return driver.misfit.empty() ? Reason::None : Reason::Misfit;
  if (driver.trouble.empty()) return Reason::None;
  return driver.is_unscheduled ? Reason::Unschedulable : Reason::DriverNotReady;
}

inline constexpr Condition its_pod_never_ran = {
    "its pod never ran", [](const RuleInput& c, Explanation& words) {
      const DriverView& driver = c.node.driver;
      if (!driver.never_ran || driver.pod.empty() || driver.is_going || driver.waits_for_us) return false;
      if (!driver.trouble.empty()) words.say("{}", driver.trouble);
      return true;
    }};

// Another driver than a node was done or failed with begins in the queue; and a node that is held because its driver
// failed gets the next one on the whole way, as that one has to prove itself. With upgrades off only a pod goes that is
// on no node: each node keeps what it has.
inline constexpr Condition another_pod_is_wanted = {
    "another pod is wanted", [](const RuleInput& c, Explanation&) {
      const DriverView& driver = c.node.driver;
      const bool in_flight = is_in_flight(c.node.phase);
      const bool goes_its_way = Phases({Phase::Done, Phase::Failed}).has(c.node.phase) || (c.node.claim && !in_flight);
      const bool is_other = driver.is_stale || (driver.is_outdated && !goes_its_way);
      const bool is_let_alone = c.node.is_skipped && !in_flight;
      const bool may_go =
          c.policy.is_on || driver.is_unscheduled || (in_flight && goes_without_controller(c.node, c.policy));
      return is_other && driver.is_settled && !c.node.target.empty() && c.node.is_managed() && !is_let_alone && may_go;
    }};

inline constexpr Condition its_pod_is_unschedulable = {"the scheduler finds no place for its pod",
                                                       [](const RuleInput& c, Explanation& words) {
                                                         if (pod_trouble(c.node.driver) != Reason::Unschedulable)
                                                           return false;
                                                         words.say("{}", c.node.driver.trouble);
                                                         return true;
                                                       }};

inline constexpr Condition new_pod_would_not_fit = {"a pod of the wanted template would not fit the node",
                                                    [](const RuleInput& c, Explanation& words) {
                                                      if (c.node.driver.can_be_replaced()) return false;
                                                      words.say("{}", c.node.driver.misfit);
                                                      return true;
                                                    }};

inline constexpr Condition its_pod_does_not_fit = {"no pod is made for the node, as none would fit it",
                                                   [](const RuleInput& c, Explanation& words) {
                                                     if (pod_trouble(c.node.driver) != Reason::Misfit) return false;
                                                     words.say("{}", c.node.driver.misfit);
                                                     return true;
                                                   }};

}  // namespace drover::core
