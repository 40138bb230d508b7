// Conditions about a node's turn: may it be taken out of service now?
#pragma once

#include "base/time.h"
#include "core/condition.h"

namespace drover::core {

// A node that has not answered for so long is not waited for.
inline constexpr Span kLostAfter = std::chrono::minutes(10);

inline constexpr Condition other_work_has_it = {"the node is claimed by other work",
                                                [](const RuleInput& c, Explanation& words) {
                                                  words.say("{}", c.node.other_claim);
                                                  return !c.node.other_claim.empty();
                                                }};

inline constexpr Condition given_back_lately = {"uncordoned by a user", [](const RuleInput& c, Explanation& words) {
                                                  if (!c.node.given_back_for || *c.node.given_back_for >= kRespect)
                                                    return false;
                                                  words.say("{} ago; retried after {}",
                                                            base::human(*c.node.given_back_for), base::human(kRespect));
                                                  words.look_again_in(kRespect - *c.node.given_back_for);
                                                  return true;
                                                }};

inline constexpr Condition node_is_not_ready = {"the node is not ready", [](const RuleInput& c, Explanation& words) {
                                                  if (!c.node.is_ready) {
                                                    words.say("for {}", base::human(c.node.unready_for));
                                                  }
                                                  return !c.node.is_ready;
                                                }};

inline constexpr Condition kernel_cannot_unload = {
    "its kernel cannot unload modules", [](const RuleInput& c, Explanation& words) {
      if (c.node.cannot_unload)
        words.say("only a reboot changes its driver; delete the driver's pod, drain the node and reboot it");
      return c.node.cannot_unload;
    }};

inline constexpr Condition node_is_lost = {"the node was lost", [](const RuleInput& c, Explanation& words) {
                                             if (c.node.is_ready) return false;
                                             words.say("not ready for {} of {}", base::human(c.node.unready_for),
                                                       base::human(kLostAfter));
                                             if (c.node.unready_for >= kLostAfter) return true;
                                             words.look_again_in(kLostAfter - c.node.unready_for);
                                             return false;
                                           }};

inline constexpr Condition rollout_is_halted = {
    "too many nodes failed with this driver", [](const RuleInput& c, Explanation& words) {
      words.say_made([&] {
        std::string names;
        for (const NodeView* node : c.slots.failed) names += (names.empty() ? "" : ", ") + node->name;
        return fmt::format("{} of {} that finished{}{}", c.slots.failed.size(), c.slots.finished,
                           names.empty() ? "" : ": ", names);
      });
      return c.slots.is_halted && !c.node.is_asked_for;
    }};

inline constexpr Condition image_is_missing = {"the driver's image cannot be pulled",
                                               [](const RuleInput& c, Explanation& words) {
                                                 if (c.node.preflight.state != PreflightView::State::Missing)
                                                   return false;
                                                 words.say("{}", c.node.preflight.trouble);
                                                 return true;
                                               }};

inline constexpr Condition image_is_unproven = {
    "the driver's image is not on the node yet",
    [](const RuleInput& c, Explanation&) { return c.node.preflight.state != PreflightView::State::Passed; }};

inline constexpr Condition its_turn_has_not_come = {"its turn has not come",
                                                    [](const RuleInput& c, Explanation& words) {
                                                      words.say_made([&] { return c.slots.obstacle(); });
                                                      return !c.is_next_in_line;
                                                    }};

inline constexpr Condition no_slot_is_free = {"no slot is free", [](const RuleInput& c, Explanation& words) {
                                                words.say_made([&] { return c.slots.obstacle(); });
                                                return !c.is_admitted;
                                              }};

}  // namespace drover::core
