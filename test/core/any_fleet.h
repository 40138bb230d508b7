// Fleets of which anything may be true, contradictions included.
#pragma once

#include <string>

#include "base/random.h"
#include "core/fleet.h"

namespace drover::core::testing {

class Dice {
 public:
  // Wild: also facts that only two faults at once could bring together.
  explicit Dice(std::uint64_t seed, bool is_wild = false) : random_(seed), is_wild_(is_wild) {}

  bool maybe(double chance = 0.5) { return random_.chance(chance); }
  std::size_t below(std::size_t end) { return static_cast<std::size_t>(random_.below(end)); }
  Phase phase() { return kPhaseTable[below(kPhases)].phase; }
  Span span() { return std::chrono::seconds(below(4000)); }

  PodView any_pod() {
    PodView one = pod("p" + std::to_string(below(10)));
    if (maybe(0.2)) one.owner.clear();
    for (bool* fact : {&one.uses_device, &one.is_finished, &one.is_going, &one.is_mirror, &one.is_daemon, &one.returns,
                       &one.has_local_data, &one.is_ours, &one.is_waited_for, &one.is_drained})
      *fact = maybe(0.3);
    return one;
  }

  NodeView any_node(int number) {
    NodeView one = node("n" + std::to_string(number), phase());
    if (maybe()) one.label.reset();
    if (maybe(0.3)) one.label = phase();
    one.spent = span();
    one.unready_for = span();
    for (bool* fact :
         {&one.is_cordoned, &one.is_skipped, &one.is_held, &one.is_asked_for, &one.is_tainted,
          &one.driver.is_host_managed, &one.driver.is_first, &one.driver.is_going, &one.driver.waits_for_us})
      *fact = maybe(0.2);
    for (bool* fact : {&one.is_selected, &one.is_ready, &one.tried, &one.driver.is_ready, &one.driver.is_settled})
      *fact = maybe(0.8);
    one.driver.is_outdated = maybe();
    if (maybe(0.2)) one.driver.asks_for = maybe() ? Scope::DevicePods : Scope::AllPods;
    if (maybe(0.1)) one.refused = maybe() ? Scope::DevicePods : Scope::AllPods;
    one.without_controller = maybe(0.2);
    one.cannot_unload = maybe(0.05);
    one.driver.asks_nothing = maybe(0.2) && !one.driver.asks_for;
    if (one.driver.asks_for) one.driver.waits_for_us = true;  // it would not ask if it were ready
    if (one.driver.asks_for) one.driver.is_ready = false;
    one.validator.has_passed = maybe();
    if (maybe(0.2)) one.driver.pod.clear();
    if (maybe(0.1)) one.other_claim = "other";
    if (maybe(0.1)) one.given_back_for = span();
    if (maybe(0.1)) one.odd_label = "what";
    if (maybe(0.5)) one.gates = {{"plugin", "true"}, {"exporter", "paused"}};
    if (maybe(0.3)) one.outcome = Outcome{.failed = maybe(), .after_swap = maybe(), .target = maybe() ? "new" : "x"};
    if (maybe(0.6) || is_in_flight(one.phase)) {
      one.claim =
          Claim{.id = "c", .policy = "policy", .phase = one.phase, .driver_pod = maybe() ? one.driver.pod : "z"};
      one.claim->cordon = maybe() ? Claim::Cordon::Ours : Claim::Cordon::Found;
      one.claim->was_asked_for = maybe(0.2);
      if (maybe(0.3)) one.claim->gates = {{"plugin", "true"}};
      if (maybe(0.3)) one.claim->requested_scope = maybe() ? Scope::DevicePods : Scope::AllPods;
    }
    if (maybe(0.7)) {
      one.pods.emplace();
      for (std::size_t i = below(4); i > 0; --i) one.pods->push_back(any_pod());
    }
    one.preflight.state = static_cast<PreflightView::State>(below(4));
    if (is_wild_) make_wild(one);
    return one;
  }

  FleetView any_fleet() {
    FleetView some = fleet({});
    for (int i = 0, end = static_cast<int>(below(8)); i < end; ++i) some.nodes.push_back(any_node(i));
    some.policy.is_on = maybe(0.7);
    some.policy.rolling_update = maybe();
    some.policy.is_ending = maybe(0.1);
    some.policy.max_parallel = maybe() ? std::optional<int>(static_cast<int>(below(4))) : std::nullopt;
    some.policy.unavailable = {static_cast<int>(below(120)), maybe()};
    some.policy.nodes_at_start = static_cast<int>(below(10));
    some.policy.jobs.is_wanted = maybe();
    if (maybe()) some.policy.jobs.at_most = span();
    if (maybe(0.3)) some.policy.device_pods.reset();
    if (maybe())
      some.policy.drain = Removal{.takes_bare_pods = maybe(), .takes_local_data = maybe(), .at_most = span()};
    if (is_wild_) make_wild(some);
    return some;
  }

 private:
  void make_wild(NodeView& one) {
    for (bool* fact :
         {&one.is_untouched, &one.record_is_odd, &one.driver.is_stale, &one.driver.may_not_force,
          &one.driver.waits_for_us, &one.driver.never_ran, &one.driver.is_unscheduled, &one.validator.is_stale})
      *fact = maybe(0.2);
    if (maybe(0.1)) one.driver.misfit = "it does not tolerate the taint team:NoSchedule";
    one.claim_is_written = maybe(0.8);
    if (maybe(0.1)) one.target = "";
    if (maybe(0.3)) one.device_pods = static_cast<int>(below(4));
    if (maybe(0.2)) one.driver.trouble = "ImagePullBackOff";
    if (maybe(0.2)) one.driver.held_by = "ml/train-1";
    if (maybe(0.1)) one.driver.refusal = "it would not load";
    if (maybe(0.2)) one.preflight.trouble = "404";
    if (maybe(0.2)) one.preflight.running_for = span() / 30;
    if (maybe(0.1)) one.lost_gates = {{"plugin", "true"}, {"other", maybe() ? "x" : std::string(kAbsent)}};
    if (maybe(0.2))
      one.outcome = Outcome{.failed = maybe(),
                            .after_swap = maybe(),
                            .target = maybe() ? "new" : "x",
                            .reason = "said",
                            .pod = maybe() ? one.driver.pod : "z"};
    if (one.pods && !one.pods->empty() && maybe(0.3)) one.pods->front().held_by = "ml/budget";
    if (one.pods && !one.pods->empty() && maybe(0.2)) one.pods->front().generation = static_cast<int>(below(8));
    if (maybe(0.3)) one.driver.unready_for = span();
    if (maybe(0.3)) one.driver.loaded = maybe() ? "550" : "535";
    one.driver.carrier_is_gone = maybe(0.2);
    if (!one.claim) return;
    if (maybe(0.1)) one.claim->cordon = Claim::Cordon::None;
    if (maybe(0.2)) one.claim->policy = "another";
    if (maybe(0.3)) one.claim->target = maybe() ? "new" : "x";
    if (maybe(0.1)) one.claim->driver_pod.clear();
    one.claim->driver_failed = maybe(0.3);
    one.claim->deadline_paused = maybe(0.3);
    one.claim->device_pod_returns = static_cast<int>(below(5));
  }

  void make_wild(FleetView& some) {
    some.policy.cordons = maybe(0.8);
    if (maybe(0.1)) some.policy.trouble = "spec.driver: unreadable";
    if (maybe(0.1)) some.policy.uid.clear();
    some.policy.jobs.is_wanted = maybe();
    if (some.policy.device_pods) {
      some.policy.device_pods->forces = maybe();
      if (maybe(0.2)) some.policy.device_pods->at_most.reset();
    }
    if (some.policy.drain) some.policy.drain->forces = maybe();
    some.policy.failures = {static_cast<int>(below(60)), maybe()};
    if (maybe(0.2)) some.global_headroom = static_cast<int>(below(3));
    if (maybe(0.1)) some.in_flight_elsewhere = static_cast<int>(below(3));
    some.pods_are_counted = maybe(0.9);
  }

  base::Random random_;
  bool is_wild_;
};

}  // namespace drover::core::testing
