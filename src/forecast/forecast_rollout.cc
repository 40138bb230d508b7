#include "forecast/forecast_rollout.h"
#include "core/explain.h"

#include <algorithm>
#include <utility>

namespace drover::forecast {
namespace {

using base::Span;
using core::Action;
using core::NodeView;
using core::Phase;
using PreflightState = core::PreflightView::State;

// A container that need not be fetched.
constexpr Span kStart = std::chrono::seconds(1);

}  // namespace

ForecastRollout::ForecastRollout(PolicyFleet& policy_fleet, std::size_t index, const core::Flow& flow, Scene scene)
    : details_(policy_fleet.details),
      fleet_(policy_fleet.fleet),
      index_(index),
      first_row_(scene.rows.first_of(index)),
      flow_(flow),
      scene_(scene),
      courses_(policy_fleet.fleet.nodes.size()) {
  fleet_.pods_are_counted = false;
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    NodeView& node = fleet_.nodes[i];
    courses_[i] = {.since = -node.spent, .unready_before = node.unready_for, .given_back_before = node.given_back_for};
    const bool is_proving = node.preflight.state == PreflightState::Running && details_[i].missing.empty();
    if (!details_[i].missing.empty())
      node.preflight = {.state = PreflightState::Missing, .trouble = details_[i].missing};
    if (is_proving) prove(i, -node.preflight.running_for);
  }
}

// ---- the world

void ForecastRollout::look() {
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    NodeView& node = fleet_.nodes[i];
    const Course& course = courses_[i];
    const Span now = scene_.clock.now();
    node.spent = now - course.since;
    node.tried = true;
    if (!node.is_ready) node.unready_for = course.unready_before + now;
    if (course.given_back_before) node.given_back_for = *course.given_back_before + now;
    if (course.proving_since) node.preflight.running_for = now - *course.proving_since;
    node.driver.is_settled = true;  // its DaemonSet follows the policy at once
    if (node.claim && (core::kBeforeSwap | Phase::Restart).has(node.phase)) {
      node.pods = scene_.world.pods_on(node.name, index_);
      // How long a job takes nobody knows: those without a limit are not counted.
      if (!fleet_.policy.jobs.at_most) {
        for (core::PodView& pod : *node.pods) pod.is_waited_for = false;
      }
    } else {
      node.pods.reset();
    }
    tend(i);
  }
}

bool ForecastRollout::some_wait() const {
  return fleet_.policy.is_on && std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(),
                                            [](const NodeView& node) { return node.phase == Phase::Required; });
}

void ForecastRollout::count_device_pods() {
  fleet_.pods_are_counted = true;
  for (NodeView& node : fleet_.nodes) node.device_pods = scene_.world.device_pods_on(node.name);
}

// The image arrives.
void ForecastRollout::prove(std::size_t index, Span since) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  node.preflight.state = PreflightState::Running;
  course.proving_since = since;
  scene_.world.guest_came(node.name);
  scene_.clock.after(std::max(Span::zero(), since + scene_.durations.pull() + kStart - scene_.clock.now()),
                     [this, &node, &course] {
                       node.preflight = {.state = PreflightState::Passed};
                       course.proving_since.reset();
                       scene_.world.guest_left(node.name);
                     });
}

void ForecastRollout::driver_comes(std::size_t index, Span in) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  scene_.clock.after(in, [&node, &course] {
    node.driver.is_ready = true;
    node.validator = {};
    course.driver_is_coming = course.is_validating = false;
  });
}

// What comes by itself once it was set going: a driver that starts, a validator that looks at it.
void ForecastRollout::tend(std::size_t index) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  const bool is_starting = !node.driver.is_ready && !node.driver.is_host_managed && node.is_selected && node.is_ready &&
                           (node.driver.is_going || node.driver.pod.empty() || !node.driver.is_outdated);
  if (is_starting && !course.driver_is_coming && details_[index].missing.empty()) {
    course.driver_is_coming = true;
    const Span stop = node.driver.is_going ? scene_.durations.stop() : Span::zero();
    const Span pull = core::is_in_flight(node.phase) ? Span::zero() : scene_.durations.pull();
    // Without the controller it asks for the eviction of whoever uses the device.
    const bool asks = !fleet_.policy.is_on && node.without_controller && fleet_.policy.device_pods;
    scene_.clock.after(stop, [&node, asks] {
      node.driver.pod = "planned-" + node.name;
      node.driver.is_going = node.driver.is_outdated = node.driver.asks_nothing = false;
      node.driver.trouble = {};
      node.driver.waits_for_us = asks;
      if (asks) node.driver.asks_for = core::Scope::DevicePods;
    });
    if (details_[index].cannot_unload.empty() && !asks) {
      driver_comes(index, stop + pull + scene_.durations.driver());
    }
  }
  if (node.phase == Phase::Restart && node.claim && node.claim->requested_scope && node.driver.asks_for) {
    node.driver.asks_for.reset();
    node.driver.waits_for_us = false;
    node.driver.asks_nothing = true;
    driver_comes(index, scene_.durations.driver());
  }
  const bool is_looked_at = node.phase == Phase::Validate && node.driver.is_ready && !node.validator.has_passed;
  if (is_looked_at && !node.validator.is_stale && !course.is_validating) {
    course.is_validating = true;
    scene_.clock.after(scene_.durations.validation(), [&node] { node.validator = {.has_passed = true}; });
  }
}

// ---- what the plan asks for

bool ForecastRollout::apply() {
  bool something = false;
  asked_.clear();
  for (const core::Decision& decision : plan_.decisions) {
    if (decision.change) {
      change(decision.node, *decision.change);
      something = true;
    } else if (decision.action == Action::EvictDevicePods || decision.action == Action::EvictAll) {
      const NodeView& node = fleet_.nodes[decision.node];
      for (const core::PodView* pod : clearing(node, node.phase).to_evict) asked_.push_back({decision.node, pod});
    } else if (decision.action != Action::None) {
      something = work(decision.node, decision.action) || something;
    }
  }
  return something;
}

void ForecastRollout::change(std::size_t index, const core::Change& change) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  note_steps(index, change);
  if (change.after.phase != node.phase) {
    course.since = scene_.clock.now();
    scene_.clock.note_move();
  }
  const bool lets_pods_in = core::uncordons(node, change.after) || (node.is_tainted && !change.after.is_tainted);
  if (lets_pods_in) scene_.world.room_was_made();
  core::read_back(node, change.after);
}

void ForecastRollout::note_steps(std::size_t index, const core::Change& change) {
  for (const core::Step& step : change.path) {
    const std::size_t row = first_row_ + index;
    if (step.to == Phase::Cordon) {
      scene_.rows.taken(row, scene_.clock.now());
    }
    if (step.to == Phase::Done || step.to == Phase::Failed) scene_.rows.ended(row, scene_.clock.now());
    if (step.to == Phase::Failed) tell_pods_in_the_way(index, step.from);
  }
}

bool ForecastRollout::work(std::size_t index, core::Action action) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  switch (action) {
    case Action::None: return false;
    case Action::ProveImage:
      if (node.preflight.state != PreflightState::Unasked) return false;
      prove(index, scene_.clock.now());
      return true;
    case Action::EvictDevicePods:
    case Action::EvictAll: return false;  // in turns, when everybody has been looked at
    case Action::DeleteDevicePods: {
      const auto& removal = fleet_.policy.device_pods ? fleet_.policy.device_pods : fleet_.policy.drain;
      return delete_at_once(index,
                            core::clearing_of(*node.pods, core::Scope::DevicePods, removal.value_or(core::Removal{})));
    }
    case Action::ReplaceDriverPod:
      node.driver.is_going = true;
      node.driver.is_ready = false;
      course.driver_is_coming = false;
      return true;
    case Action::ReplaceValidator: node.validator = {}; return true;
  }
  return false;
}

bool ForecastRollout::ask_to_go(const Asked& asked) {
  if (!scene_.world.evict(asked.pod->full_name())) return false;
  remember_removal(asked.node, *asked.pod, false);
  return true;
}

bool ForecastRollout::delete_at_once(std::size_t index, const core::Clearing& clearing) {
  for (const core::PodView* pod : clearing.to_evict) {
    scene_.obstacles.tell_budget(fleet_.nodes[index].name, *pod, scene_.world, false);
    remember_removal(index, *pod, true);
    scene_.world.remove(pod->full_name());
  }
  return !clearing.to_evict.empty();
}

void ForecastRollout::remember_removal(std::size_t index, const core::PodView& pod, bool is_forced) {
  const bool is_replacement = scene_.world.is_replacement(pod.full_name());
  row_of(index).removed.push_back(
      {.pod = pod.full_name(), .owner = pod.owner, .is_replacement = is_replacement, .is_forced = is_forced});
  scene_.clock.note_news();
}

core::Clearing ForecastRollout::clearing(const NodeView& node, Phase phase) const {
  if (!node.pods) return {};
  const core::Policy& policy = fleet_.policy;
  if (phase == Phase::Drain) {
    return core::clearing_of(*node.pods, core::Scope::AllPods, policy.drain.value_or(core::Removal{}));
  }
  return core::clearing_of(*node.pods, core::Scope::DevicePods, policy.device_pods.value_or(core::Removal{}));
}

// ---- what comes of it

void ForecastRollout::tell_pods_in_the_way(std::size_t index, Phase phase) {
  if (!core::kBeforeSwap.has(phase)) return;
  const NodeView& node = fleet_.nodes[index];
  scene_.obstacles.tell_pods(node.name, clearing(node, phase), scene_.world);
}

Row::End ForecastRollout::end_of(const NodeView& node) const {
  if (!node.is_managed() || node.is_skipped) return Row::End::LeftOut;
  if (node.phase == Phase::Failed) return Row::End::Failed;
  const bool has_it = node.driver.is_ready && !node.driver.is_outdated;
  const bool is_at_rest = (node.phase == Phase::Done || node.phase == Phase::Idle) && !node.is_asked_for;
  return is_at_rest && has_it ? Row::End::Done : Row::End::Waits;
}

void ForecastRollout::finish(Forecast& forecast) {
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    const NodeView& node = fleet_.nodes[i];
    Row& row = row_of(i);
    row.reason = node.phase == Phase::Failed && node.outcome ? node.outcome->reason
                                                             : core::reason_of(flow_, fleet_, plan_.slots, i);
    row.end = end_of(node);
    if (row.end == Row::End::Waits) {
      tell_pods_in_the_way(i, node.phase);
      if (node.phase == Phase::Required) scene_.obstacles.tell_limit(fleet_.policy, plan_.slots);
      if (!fleet_.policy.is_on && !fleet_.policy.rolling_update && !node.claim)
        scene_.obstacles.tell_off(fleet_.policy);
    }
    const bool is_stuck = row.end == Row::End::Failed || row.end == Row::End::Waits;
    if (is_stuck) forecast.gets_through = false;
    forecast.waves = std::max(forecast.waves, row.wave);
  }
}

}  // namespace drover::forecast
