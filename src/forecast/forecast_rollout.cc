#include "forecast/forecast_rollout.h"

#include <algorithm>
#include <utility>

#include "core/explain.h"
#include "core/node_class.h"

namespace drover::forecast {
namespace {

using base::Span;
using core::Action;
using core::NodeView;
using core::Phase;

}  // namespace

ForecastRollout::ForecastRollout(PolicyFleet& policy, std::size_t index, Context context)
    : policy_(policy),
      fleet_(policy.fleet),
      index_(index),
      first_row_(context.rows.first_of(index)),
      context_(context),
      drivers_(policy, index, context) {
  fleet_.pods_are_counted = false;
  for (const NodeView& node : fleet_.nodes)
    since_.push_back({.phase = -node.spent,
                      .unready_before = node.unready_for,
                      .given_back_before = node.given_back_for,
                      .had_no_driver = core::class_of(node) == core::NodeClass::Installing && node.driver.is_first});
}

// ---- what is seen

// As the operator counts the time in a phase.
bool ForecastRollout::time_counts(const NodeView& node) const {
  const bool goes_on = fleet_.policy.is_on || !node.claim || node.claim->requested_scope;
  return node.is_ready && node.driver.held_by.empty() && goes_on;
}

void ForecastRollout::observe() {
  const Span now = context_.clock.now();
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    NodeView& node = fleet_.nodes[i];
    Since& since = since_[i];
    if (time_counts(node)) {
      node.spent = now - since.phase;
    } else {
      since.phase = now - node.spent;
    }
    node.tried = true;
    if (!node.is_ready) node.unready_for = since.unready_before + now;
    if (since.given_back_before) node.given_back_for = *since.given_back_before + now;
    if (node.claim && (core::kBeforeSwap | Phase::Restart).has(node.phase)) {
      node.pods = context_.world.pods_on(node.name, index_);
      // How long a job takes is not known: those without a limit are not counted.
      if (!fleet_.policy.jobs.at_most) {
        for (core::PodView& pod : *node.pods) pod.is_waited_for = false;
      }
    } else {
      node.pods.reset();
    }
    drivers_.advance(i);
  }
}

bool ForecastRollout::some_wait() const {
  return fleet_.policy.is_on && policy_.competing_operator.empty() &&
         std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(),
                     [](const NodeView& node) { return node.phase == Phase::Required; });
}

void ForecastRollout::count_device_pods() {
  fleet_.pods_are_counted = true;
  for (NodeView& node : fleet_.nodes) node.device_pods = context_.world.device_pods_on(node.name, index_);
}

std::optional<Span> ForecastRollout::look_again_in() const {
  return policy_.competing_operator.empty() ? plan_.look_again_in : std::nullopt;
}

// ---- what the plan asks for

bool ForecastRollout::apply() {
  bool any = false;
  evictions_.clear();
  if (!policy_.competing_operator.empty()) return false;
  for (const core::Decision& decision : plan_.decisions) {
    const NodeView& node = fleet_.nodes[decision.node];
    if (decision.change) {
      // Another vendor's policy has taken it in this very pass: the PATCH would be refused.
      if (decision.change->after.claim && !node.other_claim.empty()) continue;
      change(decision.node, *decision.change);
      any = true;
    } else if (decision.action == Action::EvictDevicePods || decision.action == Action::EvictAll) {
      for (const core::PodView* pod : clearing(node, decision.action).to_evict)
        evictions_.push_back({decision.node, pod});
    } else if (decision.action != Action::None) {
      any = work(decision.node, decision.action) || any;
    }
  }
  return any;
}

void ForecastRollout::change(std::size_t index, const core::Change& change) {
  NodeView& node = fleet_.nodes[index];
  note_steps(index, change);
  if (change.after.phase != node.phase) {
    since_[index].phase = context_.clock.now();
    node.spent = {};
    context_.clock.note_move();
  }
  std::map<std::string, std::optional<std::string>> labels;
  for (const std::string& gate : core::gates_to_pause(node, change.after)) labels[gate] = policy_.gate_closed;
  for (const auto& [gate, value] : core::gates_to_restore(node, change.after))
    labels[gate] = value == core::kAbsent ? std::nullopt : std::optional(value);
  const bool is_seen_by_others =
      !labels.empty() || node.is_cordoned != change.after.is_cordoned || node.is_tainted != change.after.is_tainted;
  core::read_back(node, change.after);
  if (is_seen_by_others) context_.world.change_node(node.name, labels);
}

void ForecastRollout::note_steps(std::size_t index, const core::Change& change) {
  const std::size_t row = first_row_ + index;
  const Span now = context_.clock.now();
  for (const core::Step& step : change.path) {
    if (step.to == Phase::Cordon) context_.rows.taken(row, now);
    if (step.to == Phase::Done || step.to == Phase::Failed) context_.rows.ended(row, now);
    if (step.to == Phase::Failed) add_pods_in_the_way(index, step.from);
  }
}

bool ForecastRollout::work(std::size_t index, Action action) {
  switch (action) {
    case Action::None:
    case Action::EvictDevicePods:
    case Action::EvictAll: return false;  // later, those of all policies together
    case Action::ProveImage: return drivers_.prepare(index);
    case Action::DeleteDevicePods: {
      const auto& removal = fleet_.policy.device_pods ? fleet_.policy.device_pods : fleet_.policy.drain;
      return delete_pods(index, core::clearing_of(*fleet_.nodes[index].pods, core::Scope::DevicePods,
                                                  removal.value_or(core::Removal{})));
    }
    case Action::ReplaceDriverPod: return drivers_.replace_pod(index);
    case Action::ReplaceValidator: drivers_.replace_validator(index); return true;
  }
  return false;
}

bool ForecastRollout::evict(const Eviction& eviction) {
  if (!context_.world.evict(eviction.pod->full_name())) return false;
  note_removal(eviction.node, *eviction.pod, false);
  return true;
}

bool ForecastRollout::delete_pods(std::size_t index, const core::Clearing& clearing) {
  for (const core::PodView* pod : clearing.to_evict) {
    context_.obstacles.add_budget(fleet_.nodes[index].name, *pod, context_.world, false);
    note_removal(index, *pod, true);
    context_.world.remove(pod->full_name());
  }
  return !clearing.to_evict.empty();
}

void ForecastRollout::note_removal(std::size_t index, const core::PodView& pod, bool is_forced) {
  const bool is_replacement = context_.world.is_replacement(pod.full_name());
  row_of(index).removed.push_back(
      {.pod = pod.full_name(), .owner = pod.owner, .is_replacement = is_replacement, .is_forced = is_forced});
  context_.clock.note_change();
}

// Of the pods that an action is about.
core::Clearing ForecastRollout::clearing(const NodeView& node, Action action) const {
  if (!node.pods) return {};
  const bool is_all = action == Action::EvictAll;
  const auto& removal = is_all ? fleet_.policy.drain : fleet_.policy.device_pods;
  return core::clearing_of(*node.pods, is_all ? core::Scope::AllPods : core::Scope::DevicePods,
                           removal.value_or(core::Removal{}));
}

// ---- what comes of it

// Where an agent asks before it loads, daemon pods that come back do not keep a node from being emptied, and the drain
// has two passes: first the pods that use the device.
core::Clearing ForecastRollout::in_the_way(const NodeView& node, Phase phase) const {
  const bool has_agent = policy_.flow->has(core::Trait::ResidentAgent);
  const auto of = [&](Action action) {
    core::Clearing left = clearing(node, action);
    if (has_agent) std::erase_if(left.refused, [](const core::PodFate& fate) { return fate.pod->returns; });
    return left;
  };
  if (phase != Phase::Drain) return of(Action::EvictDevicePods);
  if (has_agent) {
    if (core::Clearing first_pass = of(Action::EvictDevicePods); !first_pass.is_done()) return first_pass;
  }
  return of(Action::EvictAll);
}

void ForecastRollout::add_pods_in_the_way(std::size_t index, Phase phase) {
  if (!core::kBeforeSwap.has(phase)) return;
  const NodeView& node = fleet_.nodes[index];
  context_.obstacles.add_pods(node.name, in_the_way(node, phase), context_.world);
}

Row::End ForecastRollout::end_of(const NodeView& node) const {
  if (!node.is_managed() || node.is_skipped) return Row::End::LeftOut;
  if (node.phase == Phase::Failed) return Row::End::Failed;
  const bool has_it = node.driver.is_ready && !node.driver.is_outdated;
  const bool is_at_rest = (node.phase == Phase::Done || node.phase == Phase::Idle) && !node.is_asked_for;
  return is_at_rest && has_it ? Row::End::Done : Row::End::Waits;
}

// Why the node waits in the end.
void ForecastRollout::add_obstacles(std::size_t index) {
  const NodeView& node = fleet_.nodes[index];
  add_pods_in_the_way(index, node.phase);
  if (!node.driver.held_by.empty()) context_.obstacles.add_held_device(node);
  if (node.phase == Phase::Required) context_.obstacles.add_limit(fleet_.policy, plan_.slots);
  if (!fleet_.policy.is_on && !fleet_.policy.rolling_update && !node.claim) context_.obstacles.add_off(fleet_.policy);
}

void ForecastRollout::finish(Forecast& forecast) {
  if (!policy_.is_of_policy) return;
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    const NodeView& node = fleet_.nodes[i];
    Row& row = row_of(i);
    row.reason = node.phase == Phase::Failed && node.outcome ? node.outcome->reason
                                                             : core::reason_of(*policy_.flow, fleet_, plan_.slots, i);
    row.end = end_of(node);
    row.is_first_install = since_[i].had_no_driver && row.wave == 0 && row.end == Row::End::Done;
    if (row.end == Row::End::Waits) add_obstacles(i);
    if (row.end == Row::End::Failed || row.end == Row::End::Waits) forecast.gets_through = false;
    forecast.waves = std::max(forecast.waves, row.wave);
  }
}

}  // namespace drover::forecast
