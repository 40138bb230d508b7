// Conditions about what the policy and its people want of a node.
#pragma once

#include "core/condition.h"

namespace drover::core {

inline constexpr Condition no_longer_wanted = {
    "the policy no longer wants the node", [](const RuleInput& c, Explanation& words) {
      if (c.policy.is_ending) {
        if (c.policy.name.empty()) {
          words.say("no policy is for it");
        } else {
          words.say("policy {} is being deleted", c.policy.name);
        }
        return true;
      }
      words.say("policy {} {} it", c.policy.name, c.node.is_selected ? "selects" : "does not select");
      return !c.node.is_selected;
    }};

inline constexpr Condition upgrades_are_off = {"upgrades are off", [](const RuleInput& c, Explanation& words) {
                                                 words.say("policy {} has them {}", c.policy.name,
                                                           c.policy.is_on ? "on" : "off");
                                                 return !c.policy.is_on && !goes_without_controller(c.node, c.policy);
                                               }};

// A node that has lost pods already keeps its cordon: giving it back would cost them twice.
inline constexpr Condition off_before_any_pod_went = {
    "upgrades are off, and no pod has gone yet", [](const RuleInput& c, Explanation&) {
      return !c.policy.is_on && c.node.is_untouched && !goes_without_controller(c.node, c.policy);
    }};

// A driver that asks without the controller holds its siblings up already: leaving it alone would not help them.
inline constexpr Condition skip_label_is_set = {"the skip label is set", [](const RuleInput& c, Explanation& words) {
                                                  if (c.node.is_skipped) words.say("remove it to let the node go on");
                                                  const bool is_served = goes_without_controller(c.node, c.policy) &&
                                                                         (c.node.claim || c.node.asks_for_room());
                                                  return c.node.is_skipped && !is_served;
                                                }};

inline constexpr Condition an_upgrade_is_requested = {
    "an upgrade was requested", [](const RuleInput& c, Explanation&) { return c.node.is_asked_for; }};

inline constexpr Condition label_is_unknown = {
    "the state label has an unknown value", [](const RuleInput& c, Explanation& words) {
      if (!c.node.odd_label.empty()) {
        words.say("\"{}\"; remove the label to have the state determined again", c.node.odd_label);
      }
      return !c.node.odd_label.empty();
    }};

}  // namespace drover::core
