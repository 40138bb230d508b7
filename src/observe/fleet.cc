#include "observe/fleet.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "core/deadline.h"
#include "core/node_class.h"
#include "observe/misfit.h"
#include "protocol/order_for.h"

namespace drover::observe {
namespace {

using core::Phase;

// A DaemonSet makes a pod at once, and again soon after it could not.
constexpr base::Span kPodWithin = std::chrono::seconds(30);

// Longer than a write waits that is refused again and again, so that the slot that the node gets then is used at once.
constexpr base::Span kRefusedFor = std::chrono::seconds(40);

// In the other phases there is nothing to try but to wait.
constexpr core::Phases kAsking = {Phase::EvictDevicePods, Phase::Drain};

// A record or a state label of this kind: the node has to be looked after until they are gone.
bool carries_marks(const NodeFacts& facts, const vendors::WorkProfile& profile) {
  const bool has_another = facts.record && facts.record->held && facts.record->held->kind != profile.kind;
  if (facts.is_tainted && !has_another) return true;
  if (facts.has_label(profile.state_label) || facts.has_label(profile.owner_label)) return true;
  if (!facts.annotation(profile.cordon_annotation).empty()) return true;
  if (profile.flow.has(core::Trait::ResidentAgent) && !has_another && !facts.annotation(profile.channel.order).empty())
    return true;
  if (!facts.annotation(profile.managed_annotation).empty()) return true;
  if (!facts.record) return false;
  const bool is_held = facts.record->held && facts.record->held->kind == profile.kind;
  return is_held || facts.record->last.contains(profile.kind);
}

// What goes with the policy. The labels that give a node its driver stay, as the driver does.
vendors::NodeMetadata metadata_to_remove(const NodeFacts& facts, const vendors::WorkProfile& profile) {
  vendors::NodeMetadata metadata;
  if (!facts.annotation(profile.managed_annotation).empty()) {
    metadata.annotations.emplace(profile.managed_annotation, std::nullopt);
  }
  if (facts.has_label(profile.owner_label)) metadata.labels.emplace(profile.owner_label, std::nullopt);
  return metadata;
}

// The policy of nodes that no policy wants any more: they are given back, and nothing is taken.
core::Policy policy_of_unowned_nodes() {
  core::Policy policy;
  policy.is_ending = true;
  return policy;
}

}  // namespace

Fleet::Fleet(Sources sources, std::optional<PolicyRef> policy, const vendors::WorkProfile& profile,
             vendors::OperandSettings settings)
    : sources_(sources), policy_(std::move(policy)), profile_(profile), settings_(std::move(settings)) {}

void Fleet::node_changed(const std::string& name) {
  const NodeFacts* facts = sources_.nodes.find(name);
  const auto known = at_.find(name);
  const bool is_new = known == at_.end();
  // A node that comes, goes or changes its system changes what is rendered; the rest is one view.
  if (is_new && facts != nullptr) {
    if (concerns(*facts)) is_stale_ = true;
    return;
  }
  if (is_new) return;
  if (facts == nullptr || !concerns(*facts) || pool_of(*facts) != places_[known->second].pool->first) {
    is_stale_ = true;
  } else {
    dirty_.insert(name);
  }
}

bool Fleet::concerns(const NodeFacts& facts) const {
  if (!is_mine(facts)) return false;
  return (wants_ != nullptr && wants_->selects(labels_of(facts))) || carries_marks(facts, profile_);
}

std::string Fleet::pool_of(const NodeFacts& facts) const {
  return wants_ == nullptr ? std::string() : wants_->pool_of(labels_of(facts));
}

void Fleet::read_policy() {
  const auto which = policy_ ? sources_.policy_set.index_of(*policy_) : std::nullopt;
  disputed_.clear();
  if (!which) return wants_.reset();
  const std::vector<vendors::PolicyObject>& policies = sources_.policy_set.objects();
  std::vector<vendors::DriverSet> sets;
  sources_.daemon_sets.each([&](const std::string&, const DaemonSetFacts& facts) {
    if (facts.role == profile_.driver_role && !facts.is_going) sets.push_back(facts.set);
  });
  // Which nodes are selected does not depend on the nodes, so a reading without them tells.
  const auto first = profile_.read(policies, *which, {}, sets, settings_);
  std::vector<vendors::PoolNode> nodes;
  sources_.nodes.each([&](const std::string& name, const NodeFacts& facts) {
    if (sources_.policy_set.is_rival(*policy_, facts)) disputed_.push_back(name);
    if (!is_mine(facts) || !first->selects(labels_of(facts)) || first->is_host_managed(labels_of(facts))) return;
    // Of its labels those that the choice asks for: all labels of thousands of nodes are megabytes.
    vendors::PoolNode node{.name = facts.name, .labels = {}};
    first->pool_of([&](std::string_view key) {
      const std::string_view value = facts.label(key);
      if (!value.empty()) node.labels[key] = value;
      return value;
    });
    nodes.push_back(std::move(node));
  });
  wants_ = profile_.read(policies, *which, nodes, sets, settings_);
  wanted_texts_.clear();
  for (const json::Value& set : wants_->daemon_sets()) wanted_texts_.push_back(base::fnv1a(json::text_of(set)));
}

const core::FleetView& Fleet::look(const RuntimeFacts& runtime, base::WallTime now) {
  if (is_stale_) {
    make_all(runtime, now);
  } else {
    for (const std::string& name : dirty_) {
      const auto at = at_.find(name);
      const NodeFacts* facts = at == at_.end() ? nullptr : sources_.nodes.find(name);
      if (facts != nullptr) make(at->second, *facts, runtime, now);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (!places_[i].moves || dirty_.contains(view_.nodes[i].name)) continue;
      if (const NodeFacts* facts = this->facts(i)) grow_older(i, *facts, runtime, now);
    }
  }
  dirty_.clear();
  view_.policy.nodes_at_start = nodes_at_start_;
  view_.pods_are_counted = runtime.pods_are_counted;
  return view_;
}

void Fleet::make_all(const RuntimeFacts& runtime, base::WallTime now) {
  is_stale_ = false;
  read_policy();
  view_.policy = wants_ == nullptr ? policy_of_unowned_nodes() : wants_->reading().policy;
  view_.nodes.clear();
  places_.clear();
  pools_.clear();
  at_.clear();
  if (policy_) view_.nodes.reserve(sources_.nodes.size());  // one growing by halves would leave holes of megabytes
  if (policy_) places_.reserve(sources_.nodes.size());
  sources_.nodes.each([&](const std::string& name, const NodeFacts& facts) {
    if (!concerns(facts)) return;
    at_[name] = view_.nodes.size();
    view_.nodes.emplace_back();
    places_.emplace_back();
    make(view_.nodes.size() - 1, facts, runtime, now);
  });
}

vendors::DesiredNode Fleet::desired_on(const vendors::LabelsOf& labels) const {
  vendors::DesiredNode desired = wants_->desired_on(labels);
  const DaemonSetFacts* set = sources_.daemon_sets.find(settings_.ns + "/" + desired.daemon_set);
  if (takes_templates_ && set != nullptr) desired.template_mark = set->template_mark;
  return desired;
}

bool Fleet::is_settled(const vendors::DesiredNode& desired) const {
  if (desired.digest.empty()) return true;  // nothing is wanted: nothing will come
  const DaemonSetFacts* set = sources_.daemon_sets.find(settings_.ns + "/" + desired.daemon_set);
  return set != nullptr && set->is_settled && set->digest == desired.digest &&
         (desired.template_mark.empty() ||
          (set->template_mark == desired.template_mark && set->may_force == desired.forces));
}

// What a policy that is gone has brought finishes what it began.
bool Fleet::has_carrier() const {
  bool found = false;
  sources_.daemon_sets.each([&](const std::string&, const DaemonSetFacts& set) {
    found = found || (set.role == profile_.driver_role && !set.is_going);
  });
  return found;
}

// Of what the policy wants now: its DaemonSet may not have it yet, and is not there for a proposed policy.
std::string Fleet::misfit_on(const NodeFacts& facts, const vendors::DesiredNode& desired) const {
  if (wants_ == nullptr || desired.digest.empty()) return {};
  const auto annotation = [&facts](std::string_view key) { return facts.annotation(key); };
  for (const json::Value& set : wants_->daemon_sets()) {
    const json::Value* spec = json::find(set, {"spec", "template", "spec"});
    if (spec == nullptr || json::text_at(set, {"metadata", "name"}) != desired.daemon_set) continue;
    const vendors::NodeMetadata with_swap = wants_->metadata(labels_of(facts), annotation, true);
    return misfit_of(*spec, facts, [&](std::string_view key) -> std::optional<std::string_view> {
      const auto at = with_swap.labels.find(std::string(key));
      if (at != with_swap.labels.end()) return at->second;
      return facts.has_label(key) ? std::optional(facts.label(key)) : std::nullopt;
    });
  }
  return {};
}

void Fleet::make(std::size_t index, const NodeFacts& facts, const RuntimeFacts& runtime, base::WallTime now) {
  Place& place = places_[index];
  const vendors::LabelsOf labels = labels_of(facts);
  place.recorded = recorded_state_of(facts, profile_, view_.policy.uid, now, settings_.gates.value_or(""));
  const auto [pool, is_new] = pools_.try_emplace(pool_of(facts));
  if (is_new && wants_ != nullptr) pool->second = desired_on(labels);
  place.pool = &*pool;
  place.metadata_is_missing = !metadata_of(facts, place.recorded.phase).empty();

  NodeInputs around;
  around.driver = sources_.operand_pods.driver_on(facts.name);
  around.validator = sources_.operand_pods.with_role(facts.name, profile_.validator_role);
  around.preflight = sources_.operand_pods.with_role(facts.name, profile_.preflight_role);
  const vendors::DesiredNode& desired = place.pool->second;
  around.desired = {.digest = desired.digest,
                    .version = desired.version,
                    .image = desired.image,
                    .daemon_set = settings_.ns + "/" + desired.daemon_set,
                    .is_settled = is_settled(desired),
                    .template_mark = desired.template_mark,
                    .forces = desired.forces};
  const bool has_it = around.driver != nullptr && around.driver->digest.view() == desired.digest;
  if (!has_it || place.recorded.held || place.recorded.is_asked_for) around.misfit = misfit_on(facts, desired);
  if (settings_.gates) around.gates = *settings_.gates;
  around.is_selected = wants_ != nullptr && wants_->selects(labels);
  around.desired.carrier_is_gone = wants_ == nullptr ? !has_carrier() : !around.is_selected;
  around.driver_is_host_managed = wants_ != nullptr && wants_->is_host_managed(labels);
  const Phase phase = place.recorded.phase;
  if (place.recorded.held || phase == Phase::Required) look_beside(facts, place.recorded, runtime, around);
  around.proving_for = proving_for(facts, runtime.now).value_or(base::Span::zero());
  view_.nodes[index] = node_view(facts, place.recorded, around, profile_);
  const bool is_proving = view_.nodes[index].preflight.state == core::PreflightView::State::Running;
  if (is_proving && profile_.flow.has(core::Trait::ResidentAgent)) {
    preparing_.try_emplace(facts.name, runtime.now);
  } else {
    preparing_.erase(facts.name);
  }
  note_pod(view_.nodes[index], desired, runtime);
  measure(index, facts, runtime, now);
  place.says_blocked = !facts.blocked.empty();
  const bool has_listener = profile_.flow.has(core::Trait::ResidentAgent);
  place.metadata_is_missing =
      place.metadata_is_missing || (has_listener && order_of(facts, view_.nodes[index], desired.version) !=
                                                        facts.annotation(profile_.channel.order));
  place.moves = place.recorded.held || place.recorded.given_back_at || !facts.is_ready || is_proving ||
                view_.nodes[index].driver.unready_for.has_value() || view_.nodes[index].refusal;
}

// Nothing but time has passed: of the view only what is measured changes. A pass looks at every node in flight, and
// most passes are about one of them.
void Fleet::grow_older(std::size_t index, const NodeFacts& facts, const RuntimeFacts& runtime, base::WallTime now) {
  const Place& place = places_[index];
  core::NodeView& node = view_.nodes[index];
  const bool has_pods = place.recorded.held && runtime.pods.contains(facts.name);
  if (has_pods != node.pods.has_value()) return make(index, facts, runtime, now);
  measure(index, facts, runtime, now);
  if (node.preflight.state == core::PreflightView::State::Running)
    node.preflight.running_for = proving_for(facts, runtime.now).value_or(node.preflight.running_for);
}

// Stamps of other clocks may be hours off: what they say is counted from the moment at which this process saw it. A
// single look has nothing else to go by.
void Fleet::measure(std::size_t index, const NodeFacts& facts, const RuntimeFacts& runtime, base::WallTime now) {
  const RecordedState& recorded = places_[index].recorded;
  core::NodeView& node = view_.nodes[index];
  const auto since = [now](base::WallTime at) { return std::max(base::Span::zero(), base::Span(now - at)); };
  if (facts.is_ready) {
    node_unready_.erase(facts.name);
  } else if (runtime.has_tried_everything) {
    node.unready_for = since(facts.unready_since.value_or(now));
  } else {
    const base::Span heard = runtime.heard.proven + runtime.heard.unproven;
    node.unready_for = heard - node_unready_.try_emplace(facts.name, runtime.heard.proven).first->second;
  }
  if (!recorded.given_back_at) {
    given_back_.erase(facts.name);
  } else if (runtime.has_tried_everything) {
    node.given_back_for = since(*recorded.given_back_at);
  } else {
    GivenBack& seen =
        given_back_.try_emplace(facts.name, GivenBack{*recorded.given_back_at, runtime.now}).first->second;
    if (seen.stamp != *recorded.given_back_at) seen = {*recorded.given_back_at, runtime.now};
    node.given_back_for = runtime.now - seen.seen_at;
  }
  node.tried = runtime.has_tried_everything || was_tried(facts, recorded, runtime);
  if (recorded.held) measure_claim(node, facts, *recorded.held, runtime, now);
  note_readiness(node, runtime);
  note_refusal(node, places_[index].pool->second.daemon_set, runtime);
}

void Fleet::note_pod(const core::NodeView& node, const vendors::DesiredNode& desired, const RuntimeFacts& runtime) {
  const DaemonSetFacts* set = sources_.daemon_sets.find(settings_.ns + "/" + desired.daemon_set);
  const bool is_made = set != nullptr && !set->is_going && set->digest == desired.digest;
  const bool lacks_pod = is_made && node.is_managed() && node.driver.pod.empty() && !desired.digest.empty();
  if (lacks_pod) {
    podless_.try_emplace(node.name, runtime.now);
  } else {
    podless_.erase(node.name);
  }
}

std::set<std::string> Fleet::sets_without_pods(base::Instant now) const {
  std::set<std::string> sets;
  for (const auto& [node, since] : podless_) {
    const auto at = at_.find(node);
    if (at != at_.end() && now - since >= kPodWithin) sets.insert(desired(at->second).daemon_set);
  }
  return sets;
}

std::optional<base::Span> Fleet::next_without_pod_in(base::Instant now) const {
  std::optional<base::Span> next;
  for (const auto& [node, since] : podless_) {
    const base::Span left = since + kPodWithin - now;
    if (left > base::Span::zero() && (!next || left < *next)) next = left;
  }
  return next;
}

// What would bring the driver concerns the nodes that lack it.
void Fleet::note_refusal(core::NodeView& node, const std::string& daemon_set, const RuntimeFacts& runtime) {
  node.refusal.reset();
  const auto note = [&](const Refusals& refusals, const std::string& about) {
    const auto found = refusals.find(about);
    if (found == refusals.end()) return;
    for (const auto& [key, refusal] : found->second) {
      if (node.refusal || (refusal.of == Refusal::Of::Pods && !node.driver.pod.empty())) continue;
      base::Span retry_in = kRefusedFor;  // without its DaemonSet there is no driver to come
      if (refusal.of == Refusal::Of::NodePatch)
        retry_in = std::max(base::Span::zero(), base::Span(refusal.at + kRefusedFor - runtime.now));
      if (refusal.of == Refusal::Of::NodeWork) retry_in = base::Span::zero();
      node.refusal = core::RefusalView{.reason = refusal.reason, .text = refusal.text, .retry_in = retry_in};
    }
  };
  note(runtime.refused, node.name);
  const bool lacks_driver = !node.driver.is_ready || node.driver.is_outdated;
  if (!daemon_set.empty() && lacks_driver && !node.driver.is_host_managed) note(runtime.operands_refused, daemon_set);
}

void Fleet::measure_claim(core::NodeView& node, const NodeFacts& facts, const protocol::ClaimRecord& held,
                          const RuntimeFacts& runtime, base::WallTime now) const {
  const protocol::Report* report = facts.report(profile_.channel.report);
  const bool is_blocked = report != nullptr && report->id == held.claim.id && report->is_blocked;
  const bool counts = !is_blocked && facts.is_ready && (view_.policy.is_on || held.claim.requested_scope);
  const auto limit = core::limit_of(profile_.flow, view_.policy, held.claim.phase);
  const Stopwatch::Reading reading = sources_.stopwatch.look(
      facts.name, held, counts, core::time_unwritten_at_most(limit),
      {.heard = runtime.heard, .wall = now, .leader_before_until = runtime.leader_before_until});
  node.spent = reading.spent;
  node.time_is_restored = reading.is_restored && !runtime.has_tried_everything;  // who only looks writes nothing
  const auto heard_at = [&](const std::map<std::string, base::Instant>& by_node, base::Instant at_least) {
    const auto at = by_node.find(facts.name);
    return at == by_node.end() ? at_least : std::max(at->second, at_least);
  };
  // Before the swap a phase waits for the node's pods; after it, for ours and for what its agent reports.
  const base::Instant last = core::kBeforeSwap.has(node.phase) ? heard_at(runtime.pods_heard_at, {})
                                                               : heard_at(runtime.asked_at, runtime.operands_heard_at);
  using Whole = decltype(node.unheard_for);
  node.unheard_for = runtime.has_tried_everything ? Whole() : std::chrono::ceil<Whole>(runtime.now - last);
}

std::optional<base::Span> Fleet::proving_for(const NodeFacts& facts, base::Instant now) const {
  if (const auto at = preparing_.find(facts.name); at != preparing_.end()) return now - at->second;
  const PodFacts* preflight = sources_.operand_pods.with_role(facts.name, profile_.preflight_role);
  if (preflight == nullptr) return {};
  return sources_.operand_pods.proving_for(*preflight, now);
}

// This process has asked for everything that the phase asks for. Outside the claim's work there is nothing to try.
bool Fleet::was_tried(const NodeFacts& facts, const RecordedState& recorded, const RuntimeFacts& runtime) const {
  if (!recorded.held) return false;
  const auto attempt = runtime.attempts.find(facts.name);
  const bool was_tried = attempt != runtime.attempts.end() && attempt->second.claim == recorded.held->claim.id &&
                         attempt->second.phase == recorded.phase;
  return !kAsking.has(recorded.phase) || was_tried;
}

// A node that is out of reach says nothing about its driver; one that comes back without it has been without it since.
// A single look does not wait and see.
void Fleet::note_readiness(core::NodeView& node, const RuntimeFacts& runtime) {
  const core::DriverView& driver = node.driver;
  const bool is_starting =
      !driver.is_outdated && !driver.trouble.empty() && (node.phase == Phase::Idle || node.phase == Phase::Required);
  const bool is_wanted = (node.phase == Phase::Done || is_starting) && !driver.is_host_managed;
  const bool works = driver.is_ready && !node.validator.is_failing;
  node.driver.unready_for.reset();
  if (!is_wanted || works) {
    unready_.erase(node.name);
    return;
  }
  const base::Instant since = unready_.try_emplace(node.name, runtime.now).first->second;
  if (!node.is_ready) return;
  node.driver.unready_for = runtime.has_tried_everything ? core::kUnheardOfAfter : runtime.now - since;
}

// What this process knows of the node beside what is written on it.
void Fleet::look_beside(const NodeFacts& facts, const RecordedState& recorded, const RuntimeFacts& runtime,
                        NodeInputs& around) const {
  const auto known = [&](const std::map<std::string, std::string>& by_node) {
    const auto at = by_node.find(facts.name);
    return at == by_node.end() ? std::string() : at->second;
  };
  around.device_pods = runtime.device_pods_on(facts.name);
  around.proof_trouble = known(runtime.probe_refused);
  around.deleted_driver = known(runtime.deleted_drivers);
  if (!recorded.held) return sources_.stopwatch.forget(facts.name);
  around.is_untouched = known(runtime.untouched) == recorded.held->claim.id;
  const auto pods = runtime.pods.find(facts.name);
  if (pods == runtime.pods.end()) return;
  static const vendors::PolicyReading kNothingAsked;
  const vendors::PolicyReading& asked = wants_ == nullptr ? kNothingAsked : wants_->reading();
  around.pods.emplace();
  pods->second->each([&](const std::string&, const PodFacts& pod) {
    core::PodView view = pod_view(pod, asked.jobs, asked.drained, profile_, settings_.ns, &sources_.claims);
    if (const auto at = runtime.blocked_by.find(pod.uid); at != runtime.blocked_by.end()) view.held_by = at->second;
    view.generation = runtime.generations.of(facts.name, pod.uid);
    around.pods->push_back(std::move(view));
  });
}

// What its agent is to be told while nothing changes; what it was asked to prepare it may go on preparing.
std::string Fleet::order_of(const NodeFacts& facts, const core::NodeView& node, const std::string& version) const {
  const bool was_asked = protocol::asked_to_prepare(facts.annotation(profile_.channel.order)) == version;
  return protocol::order_for({.agent_prepares = profile_.flow.has(core::Trait::ResidentAgent),
                              .claim = node.claim ? &*node.claim : nullptr,
                              .phase = node.phase,
                              .is_paused = node.is_selected && !view_.policy.is_on,
                              .version = version,
                              .is_to_prepare = was_asked});
}

vendors::NodeMetadata Fleet::metadata_of(const NodeFacts& facts, Phase phase) const {
  if (wants_ == nullptr) return metadata_to_remove(facts, profile_);
  const PodFacts* driver = sources_.operand_pods.driver_on(facts.name);
  const bool has_no_driver = driver == nullptr || driver->node.empty();
  return wants_->metadata(
      labels_of(facts), [&facts](std::string_view key) { return facts.annotation(key); },
      has_no_driver || core::kAfterSwap.has(phase));
}

vendors::NodeMetadata Fleet::metadata(std::size_t node, Phase phase) const {
  const NodeFacts* facts = this->facts(node);
  return facts == nullptr ? vendors::NodeMetadata{} : metadata_of(*facts, phase);
}

}  // namespace drover::observe
