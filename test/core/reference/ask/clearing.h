// Questions about making a node empty.
#pragma once

#include <algorithm>

#include "core/reference/drain.h"
#include "core/reference/question.h"

namespace drover::reference {

// After a deletion that a timeout forced, pods get this long to be gone.
inline constexpr Span kLastGrace = std::chrono::minutes(2);

namespace clearing {

inline Clearing of_device_pods(const Case& c) {
  return clearing_of(*c.node.pods, Scope::DevicePods, c.policy.device_pods.value_or(Removal{}));
}
inline Clearing of_all_pods(const Case& c) {
  return clearing_of(*c.node.pods, Scope::AllPods, c.policy.drain.value_or(Removal{}));
}
inline bool has_device_pods(const Case& c) {
  return std::any_of(c.node.pods->begin(), c.node.pods->end(),
                     [](const PodView& pod) { return pod.uses_device && !pod.is_finished && !pod.is_ours; });
}

// A limit is over only when this process has tried for itself: the time that an operator was down counts, but nobody is
// killed because nobody asked.
inline bool is_over(const Case& c, const std::optional<Span>& limit, Span extra, Words& words) {
  if (!limit) {
    words.say("{}, without a limit", base::human(c.node.spent));
    return false;
  }
  words.say("{} of {}", base::human(c.node.spent), base::human(*limit + extra));
  if (c.node.spent >= *limit + extra) return c.node.tried;
  words.look_again_in(*limit + extra - c.node.spent);
  return false;
}

}  // namespace clearing

inline constexpr Question a_person_uncordoned_it = {
    "a person uncordoned it", [](const Case& c, Words&) {
      return c.node.claim && c.node.claim->cordon != Claim::Cordon::None && !c.node.is_cordoned;
    }};

inline constexpr Question pods_are_not_known = {"the node's pods are not known yet",
                                                [](const Case& c, Words&) { return !c.node.pods; }};

inline constexpr Question no_jobs_are_named = {"there is nothing to wait for",
                                               [](const Case& c, Words&) { return !c.policy.jobs.is_wanted; }};

inline constexpr Question jobs_are_done = {
    "the jobs are done", [](const Case& c, Words& words) {
      const auto waits = [](const PodView& pod) { return pod.is_waited_for && !pod.is_finished; };
      const auto left = std::count_if(c.node.pods->begin(), c.node.pods->end(), waits);
      words.say_made([&] {
        const auto first = std::find_if(c.node.pods->begin(), c.node.pods->end(), waits);
        return left == 0 ? std::string("none is left")
                         : fmt::format("{} still running, {} among them", left, first->full_name());
      });
      return left == 0;
    }};

inline constexpr Question jobs_ran_out_of_time = {"the jobs took too long", [](const Case& c, Words& words) {
                                                    return clearing::is_over(c, c.policy.jobs.at_most, {}, words);
                                                  }};

inline constexpr Question device_pods_are_left_alone = {"pods that use the device are left to the drain",
                                                        [](const Case& c, Words&) { return !c.policy.device_pods; }};

inline constexpr Question no_pod_uses_the_device = {"no pod uses the device", [](const Case& c, Words& words) {
                                                      words.say_made([&] {
                                                        const Clearing left = clearing::of_device_pods(c);
                                                        return left.is_done() ? std::string("none is left")
                                                                              : names_of(left);
                                                      });
                                                      return !clearing::has_device_pods(c);
                                                    }};

inline constexpr Question a_device_pod_may_not_go = {"a pod that uses the device may not be evicted",
                                                     [](const Case& c, Words& words) {
                                                       const Clearing clearing = clearing::of_device_pods(c);
                                                       if (clearing.refused.empty()) return false;
                                                       const PodFate& fate = clearing.refused.front();
                                                       words.say("{}: {}", fate.pod->full_name(), fate.because);
                                                       return true;
                                                     }};

inline constexpr Question drain_is_on = {"drain is on", [](const Case& c, Words& words) {
                                           words.say("drain is {}", c.policy.drain ? "on" : "off");
                                           return c.policy.drain.has_value();
                                         }};

inline constexpr Question drain_is_off = {"drain is off", [](const Case& c, Words& words) {
                                            words.say("drain is {}", c.policy.drain ? "on" : "off");
                                            return !c.policy.drain;
                                          }};

namespace clearing {

// Nobody waits for a deletion that does not come.
inline Span last_grace(const std::optional<Removal>& removal) {
  return removal && removal->forces ? kLastGrace : Span::zero();
}

}  // namespace clearing

inline constexpr Question eviction_ran_out_of_time = {
    "the time for evictions is over", [](const Case& c, Words& words) {
      return clearing::is_over(c, c.policy.device_pods ? c.policy.device_pods->at_most : std::nullopt, {}, words);
    }};

inline constexpr Question eviction_is_hopeless = {
    "pods that use the device would not go", [](const Case& c, Words& words) {
      return clearing::is_over(c, c.policy.device_pods ? c.policy.device_pods->at_most : std::nullopt,
                               clearing::last_grace(c.policy.device_pods), words);
    }};

inline constexpr Question nothing_is_in_the_way = {
    "the node is drained", [](const Case& c, Words& words) {
      const Clearing left = clearing::of_all_pods(c);
      words.say_made([&] {
        return left.is_done() ? std::string("nothing is left")
                              : fmt::format("{} in the way: {}", left.in_the_way(), names_of(left));
      });
      return left.is_done();
    }};

inline constexpr Question a_pod_may_not_go = {"a pod may not be evicted", [](const Case& c, Words& words) {
                                                const Clearing left = clearing::of_all_pods(c);
                                                if (left.refused.empty()) return false;
                                                const PodFate& fate = left.refused.front();
                                                words.say("{}: {}", fate.pod->full_name(), fate.because);
                                                return true;
                                              }};

inline constexpr Question drain_ran_out_of_time = {
    "the drain ran out of time", [](const Case& c, Words& words) {
      return clearing::is_over(c, c.policy.drain ? c.policy.drain->at_most : std::nullopt, {}, words);
    }};

inline constexpr Question drain_is_hopeless = {
    "pods that use the device would not go", [](const Case& c, Words& words) {
      return clearing::is_over(c, c.policy.drain ? c.policy.drain->at_most : std::nullopt,
                               clearing::last_grace(c.policy.drain), words);
    }};

}  // namespace drover::reference
