// Conditions about making a node empty.
#pragma once

#include <algorithm>

#include "core/condition.h"
#include "core/drain.h"

namespace drover::core {

// After a deletion that a timeout forced, pods get this long to be gone.
inline constexpr Span kLastGrace = std::chrono::minutes(2);

namespace clearing {

inline Clearing of_device_pods(const RuleInput& c) {
  return clearing_of(*c.node.pods, Scope::DevicePods, c.policy.device_pods.value_or(Removal{}));
}
inline Clearing of_all_pods(const RuleInput& c) {
  return clearing_of(*c.node.pods, Scope::AllPods, c.policy.drain.value_or(Removal{}));
}
inline bool has_device_pods(const RuleInput& c) {
  return std::any_of(c.node.pods->begin(), c.node.pods->end(),
                     [](const PodView& pod) { return pod.uses_device && !pod.is_finished && !pod.is_ours; });
}

// A limit is over only when this process has tried for itself, so that no pod is deleted that was never asked to leave,
// and when what it waits for was heard of after it ran out: a watch that stands still shows what was.
inline bool is_over(const RuleInput& c, const std::optional<Span>& limit, Span extra, Explanation& words) {
  if (!limit) {
    words.say("{}, without a limit", base::human(c.node.spent));
    return false;
  }
  words.say("{} of {}", base::human(c.node.spent), base::human(*limit + extra));
  const Span over = c.node.spent - (*limit + extra);
  if (over < Span::zero()) {
    words.look_again_in(-over);
    return false;
  }
  if (c.node.unheard_for > over) words.ask_for_news();
  return c.node.tried && c.node.unheard_for <= over;
}

// What is left of a node that is drained.
inline std::string what_stays(const RuleInput& c) {
  const std::string names = names_of_returned(*c.node.pods);
  return names.empty() ? "nothing is left" : "left, as their owners recreate them here: " + names;
}

}  // namespace clearing

inline constexpr Condition a_person_uncordoned_it = {
    "a user uncordoned it", [](const RuleInput& c, Explanation&) {
      return c.node.claim && c.node.claim->cordon != Claim::Cordon::None && !c.node.is_cordoned;
    }};

inline constexpr Condition pods_are_not_known = {"the node's pods are not known yet",
                                                 [](const RuleInput& c, Explanation&) { return !c.node.pods; }};

inline constexpr Condition no_jobs_are_named = {
    "there is nothing to wait for", [](const RuleInput& c, Explanation&) { return !c.policy.jobs.is_wanted; }};

inline constexpr Condition jobs_are_done = {
    "the jobs are done", [](const RuleInput& c, Explanation& words) {
      const auto waits = [](const PodView& pod) { return pod.is_waited_for && !pod.is_finished; };
      const auto left = std::count_if(c.node.pods->begin(), c.node.pods->end(), waits);
      words.say_made([&] {
        const auto first = std::find_if(c.node.pods->begin(), c.node.pods->end(), waits);
        return left == 0 ? std::string("none is left")
                         : fmt::format("{} still running, {} among them", left, first->full_name());
      });
      return left == 0;
    }};

inline constexpr Condition jobs_ran_out_of_time = {
    "the jobs took too long",
    [](const RuleInput& c, Explanation& words) { return clearing::is_over(c, c.policy.jobs.at_most, {}, words); }};

inline constexpr Condition device_pods_are_left_alone = {
    "pods that use the device are left to the drain",
    [](const RuleInput& c, Explanation&) { return !c.policy.device_pods; }};

inline constexpr Condition no_pod_uses_the_device = {
    "no pod uses the device", [](const RuleInput& c, Explanation& words) {
      words.say_made([&] {
        const Clearing left = clearing::of_device_pods(c);
        return left.is_done() ? std::string("none is left") : names_of(left);
      });
      return !clearing::has_device_pods(c);
    }};

// Evicted again and again, and there again: something places them on this node past the scheduler.
inline constexpr Condition pods_keep_coming = {
    "pods that use the device keep coming", [](const RuleInput& c, Explanation& words) {
      if (!c.node.pods) return false;
      const auto pod = std::find_if(c.node.pods->begin(), c.node.pods->end(), [](const PodView& one) {
        return one.uses_device && !one.is_finished && !one.is_ours && one.generation > kMostReturns;
      });
      if (pod == c.node.pods->end()) return false;
      words.say("{} came after {} others of {} were evicted; keep it off the node: does it set spec.nodeName?",
                pod->full_name(), pod->generation - 1, pod->owner.empty() ? "its name" : pod->owner);
      return true;
    }};

inline constexpr Condition a_device_pod_may_not_go = {"a pod that uses the device may not be evicted",
                                                      [](const RuleInput& c, Explanation& words) {
                                                        const Clearing clearing = clearing::of_device_pods(c);
                                                        if (clearing.refused.empty()) return false;
                                                        const PodFate& fate = clearing.refused.front();
                                                        words.say("{}: {}", fate.pod->full_name(), fate.because);
                                                        return true;
                                                      }};

inline constexpr Condition drain_is_on = {"drain is on", [](const RuleInput& c, Explanation& words) {
                                            words.say("drain is {}", c.policy.drain ? "on" : "off");
                                            return c.policy.drain.has_value();
                                          }};

inline constexpr Condition drain_is_off = {"drain is off", [](const RuleInput& c, Explanation& words) {
                                             words.say("drain is {}", c.policy.drain ? "on" : "off");
                                             return !c.policy.drain;
                                           }};

namespace clearing {

// Where no deletion comes, none is waited for.
inline Span last_grace(const std::optional<Removal>& removal) {
  return removal && removal->forces ? kLastGrace : Span::zero();
}

// The limit is over, and what was then tried did not help either.
inline bool is_hopeless(const RuleInput& c, const std::optional<Removal>& removal, Clearing (*of)(const RuleInput&),
                        Explanation& words) {
  const std::optional<Span> limit = removal ? removal->at_most : std::nullopt;
  const Span grace = last_grace(removal);
  if (!is_over(c, limit, grace, words)) return false;
  words.say_made([&] {
    const std::string spent = fmt::format("{} of {}", base::human(c.node.spent), base::human(*limit + grace));
    const std::string names = c.node.pods ? names_of(of(c)) : std::string();
    return names.empty() ? spent : fmt::format("{}; {}", spent, names);
  });
  return true;
}

}  // namespace clearing

inline constexpr Condition eviction_ran_out_of_time = {
    "the time for evictions is over", [](const RuleInput& c, Explanation& words) {
      return clearing::is_over(c, c.policy.device_pods ? c.policy.device_pods->at_most : std::nullopt, {}, words);
    }};

inline constexpr Condition eviction_is_hopeless = {
    "pods that use the device would not go", [](const RuleInput& c, Explanation& words) {
      return clearing::is_hopeless(c, c.policy.device_pods, clearing::of_device_pods, words);
    }};

inline constexpr Condition nothing_is_in_the_way = {
    "the node is drained", [](const RuleInput& c, Explanation& words) {
      const Clearing left = clearing::of_all_pods(c);
      words.say_made([&] {
        return left.is_done() ? clearing::what_stays(c)
                              : fmt::format("{} in the way: {}", left.in_the_way(), names_of(left));
      });
      return left.is_done();
    }};

inline constexpr Condition a_pod_may_not_go = {"a pod may not be evicted", [](const RuleInput& c, Explanation& words) {
                                                 const Clearing left = clearing::of_all_pods(c);
                                                 if (left.refused.empty()) return false;
                                                 const PodFate& fate = left.refused.front();
                                                 words.say("{}: {}", fate.pod->full_name(), fate.because);
                                                 return true;
                                               }};

inline constexpr Condition drain_ran_out_of_time = {
    "the drain ran out of time", [](const RuleInput& c, Explanation& words) {
      return clearing::is_over(c, c.policy.drain ? c.policy.drain->at_most : std::nullopt, {}, words);
    }};

inline constexpr Condition drain_is_hopeless = {
    "pods that use the device would not go", [](const RuleInput& c, Explanation& words) {
      return clearing::is_hopeless(c, c.policy.drain, clearing::of_all_pods, words);
    }};

}  // namespace drover::core
