#include "forecast/drivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/conditions/placement.h"

namespace drover::forecast {
namespace {

using base::Span;
using core::NodeView;
using core::Phase;
using PreflightState = core::PreflightView::State;

// A container that need not be fetched.
constexpr Span kStart = std::chrono::seconds(1);

}  // namespace

Drivers::Drivers(PolicyFleet& policy, std::size_t index, Context context)
    : policy_(policy), index_(index), context_(context), states_(policy.fleet.nodes.size()) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    NodeView& node = policy_.fleet.nodes[i];
    const std::string& missing = policy_.details[i].missing;
    // An agent prepares a driver without the image of its next pod.
    if (!missing.empty() && !has_agent()) node.preflight = {.state = PreflightState::Missing, .trouble = missing};
    if (node.preflight.state == PreflightState::Running) begin_preparation(i, -node.preflight.running_for);
    states_[i].is_held_for_good = !node.driver.held_by.empty() && context_.world.device_pods_on(node.name, index_) == 0;
  }
}

void Drivers::later(std::size_t index, Span in, std::function<void()> then) {
  context_.clock.after(in, [this, index, replaced = states_[index].replaced, then = std::move(then)] {
    if (states_[index].replaced == replaced) then();
  });
}

// ---- what the operator asks for

bool Drivers::prepare(std::size_t index) {
  if (policy_.fleet.nodes[index].preflight.state != PreflightState::Unasked) return false;
  begin_preparation(index, now());
  return true;
}

void Drivers::begin_preparation(std::size_t index, Span since) {
  NodeView& node = policy_.fleet.nodes[index];
  node.preflight.state = PreflightState::Running;
  states_[index].preparing_since = since;
  const Span start = has_agent() ? Span::zero() : kStart;
  if (!has_agent()) context_.world.add_preflight(node.name);
  const Span takes = context_.durations.preparation(policy_.durations) + start;
  context_.clock.after(std::max(Span::zero(), since + takes - now()), [this, index] {
    NodeView& prepared = policy_.fleet.nodes[index];
    prepared.preflight = {.state = PreflightState::Passed};
    states_[index].preparing_since.reset();
    if (!has_agent()) context_.world.remove_preflight(prepared.name);
  });
}

bool Drivers::replace_pod(std::size_t index) {
  core::DriverView& driver = policy_.fleet.nodes[index].driver;
  if (driver.is_going) return false;
  driver.is_going = true;
  driver.is_ready = false;
  ++states_[index].replaced;
  states_[index].is_coming = false;
  return true;
}

void Drivers::replace_validator(std::size_t index) { policy_.fleet.nodes[index].validator = {}; }

// ---- what they do by themselves

void Drivers::advance(std::size_t index) {
  NodeView& node = policy_.fleet.nodes[index];
  const State& state = states_[index];
  if (state.preparing_since) node.preflight.running_for = now() - *state.preparing_since;
  node.driver.is_settled = true;  // its DaemonSet follows the policy at once
  const core::Reason trouble = core::pod_trouble(node.driver);
  const bool has_place = trouble != core::Reason::Unschedulable && trouble != core::Reason::Misfit;
  const bool is_wanted =
      !node.driver.is_ready && !node.driver.is_host_managed && node.is_selected && node.is_ready && has_place;
  if (is_wanted && !state.is_coming && policy_.details[index].missing.empty()) {
    if (has_agent()) {
      advance_agent(index);
    } else {
      advance_container(index);
    }
  }
  if (node.phase == Phase::Validate) validate(index);
}

void Drivers::make_pod(std::size_t index, Span in, bool asks) {
  states_[index].is_coming = true;
  later(index, in, [this, index, asks] {
    core::DriverView& driver = policy_.fleet.nodes[index].driver;
    driver.pod = fmt::format("planned-{}-{}", policy_.fleet.nodes[index].name, ++states_[index].made);
    driver.is_going = driver.is_outdated = driver.is_stale = driver.may_not_force = driver.asks_nothing = false;
    driver.never_ran = driver.is_unscheduled = false;
    driver.trouble = driver.held_by = {};
    driver.waits_for_us = asks;
    if (asks) driver.asks_for = core::Scope::DevicePods;
    if (asks || has_agent()) states_[index].is_coming = false;
  });
}

void Drivers::finish(std::size_t index, Span in) {
  states_[index].is_coming = true;
  later(index, in, [this, index] {
    NodeView& node = policy_.fleet.nodes[index];
    node.driver.is_ready = true;
    node.driver.waits_for_us = false;
    node.driver.unready_for.reset();
    if (has_agent()) node.driver.loaded = node.driver.wanted;
    node.validator = {};
    states_[index].is_coming = states_[index].is_validating = false;
  });
}

void Drivers::advance_container(std::size_t index) {
  NodeView& node = policy_.fleet.nodes[index];
  core::DriverView& driver = node.driver;
  if (driver.asks_for) {
    if (node.phase != Phase::Restart || !node.claim) return;
    driver.asks_for.reset();
    driver.waits_for_us = false;
    driver.asks_nothing = true;
    return finish(index, context_.durations.driver(policy_.durations));
  }
  if (!driver.is_going && !driver.pod.empty() && driver.is_outdated) return;
  const Span stop = driver.is_going ? policy_.durations.stop : Span::zero();
  // The image of a node in flight was fetched before.
  const Span pull = core::is_in_flight(node.phase) ? Span::zero() : context_.durations.preparation(policy_.durations);
  // Without the controller it asks for the eviction of pods that use the device.
  const bool asks = !policy_.fleet.policy.is_on && node.without_controller && policy_.fleet.policy.device_pods;
  make_pod(index, stop, asks);
  if (policy_.details[index].cannot_unload.empty() && !asks)
    finish(index, stop + pull + context_.durations.driver(policy_.durations));
}

// Each step as the agent would take it on the machine; the next one is taken when this one has ended.
void Drivers::advance_agent(std::size_t index) {
  NodeView& node = policy_.fleet.nodes[index];
  core::DriverView& driver = node.driver;
  if (driver.is_going) return make_pod(index, policy_.durations.stop, false);
  if (driver.pod.empty()) return make_pod(index, Span::zero(), false);
  if (driver.is_outdated) return;
  if (driver.loaded == driver.wanted) return finish(index, kStart);
  const bool has_permission = node.claim && core::kAfterSwap.has(node.phase);
  if (!has_permission && !policy_.fleet.policy.is_on) return;
  if (node.preflight.state != PreflightState::Passed) {
    prepare(index);
    return;
  }
  if (!driver.loaded.empty()) {
    if (!has_permission) {
      driver.waits_for_us = true;
      driver.is_first = false;
      return;
    }
    driver.held_by = holders_on(index);
    if (!driver.held_by.empty()) return;
  }
  finish(index, context_.durations.driver(policy_.durations));
}

// What keeps the old driver loaded; "" when nothing does, or when it may be ended.
std::string Drivers::holders_on(std::size_t index) const {
  const NodeView& node = policy_.fleet.nodes[index];
  if (policy_.details[index].forces) return {};
  if (states_[index].is_held_for_good) return node.driver.held_by.str();
  std::string names;
  for (const core::PodView& pod : context_.world.pods_on(node.name, index_)) {
    if (pod.uses_device && !pod.is_ours) names += (names.empty() ? "" : ", ") + pod.full_name();
  }
  return names;
}

void Drivers::validate(std::size_t index) {
  NodeView& node = policy_.fleet.nodes[index];
  State& state = states_[index];
  if (!node.driver.is_ready || node.validator.has_passed || node.validator.is_stale || state.is_validating) return;
  state.is_validating = true;
  context_.clock.after(context_.durations.validation(policy_.durations),
                       [&node] { node.validator = {.has_passed = true}; });
}

}  // namespace drover::forecast
