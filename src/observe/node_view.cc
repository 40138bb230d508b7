#include "observe/node_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "protocol/keys.h"
#include "protocol/order.h"
#include "protocol/order_for.h"
#include "protocol/report.h"

namespace drover::observe {
namespace {

using core::PreflightView;

// Nothing wanted, nothing outdated: a policy that cannot be read costs no node its driver.
bool is_outdated(const PodFacts& pod, const DesiredDriver& desired) {
  if (desired.digest.empty()) return false;
  return pod.digest.empty() ? pod.image != desired.image : pod.digest != desired.digest;
}

std::optional<core::Scope> scope_of(protocol::AgentRequest desired) {
  if (desired == protocol::AgentRequest::Evict) return core::Scope::DevicePods;
  if (desired == protocol::AgentRequest::Drain) return core::Scope::AllPods;
  return {};
}

// The order that stands on the node, if it says no.
std::optional<protocol::Order> refusal_on(const NodeFacts& facts, const vendors::WorkProfile& profile) {
  const std::string_view text = facts.annotation(profile.channel.order);
  if (text.empty()) return {};
  auto order = protocol::parse_order(text);
  if (!order || !order->is_refused) return {};
  return std::move(*order);
}

// The driver's pod is held up by its own init container until we say that no pod uses the device any more.
void hear_agent(const NodeFacts& facts, const RecordedState& recorded, const NodeInputs& around,
                const vendors::WorkProfile& profile, core::DriverView& driver) {
  const protocol::Report* there = facts.report(profile.channel.report);
  if (there == nullptr || around.driver->is_going) return;
  const protocol::Report& report = *there;
  const auto refusal = refusal_on(facts, profile);
  // A pod that is being refused asked under a claim that is gone: until it has read the refusal it still asks.
  const bool is_being_told = refusal && refusal->id == around.driver->uid;
  const bool is_about_this =
      report.id == around.driver->uid || is_being_told || (recorded.held && report.id == recorded.held->claim.id);
  if (!is_about_this) return;
  // What the kernel has counts more than a probe that is asked now and then; also where another driver is wanted since
  // a moment ago.
  const bool has_what_it_carries =
      profile.digest_of != nullptr && !report.loaded.empty() && profile.digest_of(report.loaded) == report.digest;
  if (has_what_it_carries && !driver.is_going && around.driver->digest.view() == report.digest) driver.is_ready = true;
  if (report.digest != around.desired.digest) return;
  if (profile.flow.has(core::Trait::ResidentAgent)) {
    if (!driver.is_going) driver.is_ready = report.loaded == around.desired.version;
    if (report.is_blocked) driver.held_by = report.message;
    if (report.is_refused) driver.refusal = report.message;
  }
  if (driver.is_ready) return;
  driver.waits_for_us = report.wants != protocol::AgentRequest::Nothing;
  driver.asks_nothing = !driver.waits_for_us;
  driver.asks_for = scope_of(report.wants);
}

// While its pod is starting, or will be, the agent that paused the gates puts them back.
bool agent_holds_gates(const NodeFacts& facts, const NodeInputs& around, const vendors::WorkProfile& profile) {
  const protocol::Report* report = facts.report(profile.channel.report);
  if (report == nullptr || !report->has_paused) return false;
  return around.driver == nullptr ? around.is_selected : !around.driver->is_ready;
}

core::DriverView driver_view(const NodeFacts& facts, const RecordedState& recorded, const NodeInputs& around,
                             const vendors::WorkProfile& profile) {
  core::DriverView driver;
  driver.wanted = around.desired.version;
  driver.is_host_managed = around.driver_is_host_managed;
  driver.is_settled = around.desired.is_settled;
  driver.carrier_is_gone = around.desired.carrier_is_gone;
  const PodFacts* pod = around.driver;
  // A module stays loaded without its agent's pod.
  if (const protocol::Report* report = facts.report(profile.channel.report);
      report != nullptr && profile.flow.has(core::Trait::ResidentAgent))
    driver.loaded = report->loaded;
  if (pod != nullptr) {
    driver.pod = pod->uid;
    driver.is_going = pod->is_going || pod->uid == around.deleted_driver;
    driver.is_ready = pod->is_ready && !driver.is_going;
    driver.is_outdated = is_outdated(*pod, around.desired);
    driver.is_stale = !driver.is_outdated && !around.desired.template_mark.empty() &&
                      pod->template_mark != around.desired.template_mark;
    driver.never_ran = !pod->has_run && !driver.is_ready;
    driver.is_unscheduled = pod->node.empty();
    driver.may_not_force = around.desired.forces && !pod->may_force;
    driver.trouble = pod->trouble;
    hear_agent(facts, recorded, around, profile, driver);
  }
  driver.misfit = around.misfit;
  if (pod == nullptr && !around.misfit.empty()) {
    driver.trouble = around.misfit;
  } else if (pod == nullptr && !around.desired.digest.empty() && !recorded.held) {
    driver.trouble =
        fmt::format("DaemonSet {} has made no pod here; kubectl describe says why", around.desired.daemon_set);
  }
  // Nothing was ever finished here, and nothing runs: there is no driver to lose. (A pod that runs and
  // is not ready may have served until its node was out of reach.)
  const bool runs = pod != nullptr && pod->running_since;
  // Nor is it the first where the agent has found one that it would have to take out.
  driver.is_first = !recorded.outcome && !recorded.held && !driver.is_ready && !runs && !driver.waits_for_us;
  return driver;
}

// A validator proves the driver that is loaded now only when it began after that driver did. Both times are the same
// kubelet's, so no clock is compared with another. (Not when the driver became ready: a node that was out of reach for
// a moment makes all its pods ready again.)
core::ValidatorView validator_view(const NodeInputs& around) {
  core::ValidatorView view;
  const PodFacts* pod = around.validator;
  if (pod == nullptr) {
    view.trouble = "there is no validator pod on the node";
    return view;
  }
  view.trouble = pod->trouble;
  const PodFacts* driver = around.driver;
  const bool is_fresh =
      driver != nullptr && driver->running_since && pod->running_since && *pod->running_since >= *driver->running_since;
  view.has_passed = pod->is_ready && !pod->is_going && is_fresh;
  const bool both_run = driver != nullptr && driver->running_since && pod->running_since;
  view.is_stale = pod->is_ready && !pod->is_going && both_run && !is_fresh;
  view.is_failing = !pod->is_ready && !pod->is_going && pod->has_run;
  if (pod->is_ready && !is_fresh) view.trouble = "the validator is older than the driver";
  return view;
}

// Whether the node's agent has the next driver at hand.
PreflightView prepared_view(const NodeFacts& facts, const RecordedState& recorded, const NodeInputs& around,
                            const protocol::Channel& channel) {
  using State = PreflightView::State;
  if (around.desired.digest.empty()) return {};
  // It was, for the driver that it was taken for; and one that we hold since an earlier try builds in its next pod.
  if (recorded.held && (recorded.held->claim.driver_failed || recorded.held->claim.target == around.desired.digest))
    return {.state = State::Passed};
  const std::string& version = around.desired.version;
  const protocol::Report* report = facts.report(channel.report);
  if (report != nullptr && (report->prepared == version || report->loaded == version)) return {.state = State::Passed};
  const bool builds_it_itself = around.driver != nullptr && around.driver->digest.view() == around.desired.digest;
  const bool was_asked = protocol::asked_to_prepare(facts.annotation(channel.order)) == version;
  if (!was_asked && !builds_it_itself) return {};
  if (report != nullptr && report->cannot_prepare) return {.state = State::Missing, .trouble = report->message};
  return {.state = State::Running, .running_for = around.proving_for};
}

PreflightView preflight_view(const NodeInputs& around) {
  using State = PreflightView::State;
  if (!around.needs_preflight) return {.state = State::Passed};
  const PodFacts* pod = around.preflight;
  if (pod == nullptr || pod->digest != around.desired.digest) {
    if (!around.proof_trouble.empty()) return {.state = State::Missing, .trouble = around.proof_trouble};
    return {};
  }
  if (pod->is_finished && !pod->has_failed) return {.state = State::Passed};
  if (pod->has_failed || !pod->trouble.empty()) {
    return {.state = State::Missing, .trouble = pod->trouble.empty() ? "the image does not start" : pod->trouble};
  }
  return {.state = State::Running, .running_for = around.proving_for};
}

// Labels that keep siblings away can be paused where they are set to anything but "no".
std::vector<std::pair<base::InternedString, base::InternedString>> gates_of(const NodeFacts& facts,
                                                                            const vendors::WorkProfile& profile,
                                                                            std::string_view keys) {
  std::vector<std::pair<base::InternedString, base::InternedString>> gates;
  vendors::each_part(keys, [&](std::string_view key) {
    const auto label =
        std::find_if(facts.labels.begin(), facts.labels.end(), [key](const auto& one) { return one.first == key; });
    if (label == facts.labels.end() && profile.gates_are_made) gates.emplace_back(key, core::kAbsent);
    if (label == facts.labels.end()) return;
    const std::string_view value = label->second;
    if (!value.empty() && value != "false" && value.find(profile.gate_paused) == std::string_view::npos) {
      gates.push_back(*label);
    }
  });
  return gates;
}

// Gates that are paused although no claim remembers it: a record was lost, or another operator went in the middle.
// "true" is paused as the word itself, anything else with the word at its end.
std::map<std::string, std::string> lost_gates_of(const NodeFacts& facts, const RecordedState& recorded,
                                                 const vendors::WorkProfile& profile) {
  std::map<std::string, std::string> gates;
  // Where a paused gate has the value of any closed one, the two cannot be told apart.
  if (profile.gates_are_made) return gates;
  vendors::each_part(profile.gates, [&](std::string_view key) {
    const std::string_view value = facts.label(key);
    const std::size_t at = value.find(profile.gate_paused);
    if (at == std::string_view::npos || (recorded.held && recorded.held->claim.gates.contains(std::string(key))))
      return;
    std::string_view open = value.substr(0, at);
    while (open.ends_with('_') || open.ends_with('-')) open.remove_suffix(1);
    gates.emplace(key, open.empty() ? "true" : open);
  });
  return gates;
}

// What we wrote, as it stands on the node now.
core::NodeMarks marks_of(const NodeFacts& facts, const RecordedState& recorded, const vendors::WorkProfile& profile) {
  core::NodeMarks marks;
  if (recorded.held) marks.claim = recorded.held->claim;
  marks.outcome = recorded.outcome;
  marks.phase = recorded.phase;
  if (!profile.state_label.empty()) marks.label = recorded.label;
  if (const auto refusal = refusal_on(facts, profile)) marks.refused = scope_of(refusal->serves);
  marks.is_cordoned = facts.is_cordoned;
  marks.is_tainted = facts.is_tainted && recorded.other_claim.empty();
  marks.is_asked_for = recorded.is_asked_for;
  marks.without_controller = recorded.without_controller;
  return marks;
}

}  // namespace

core::NodeView node_view(const NodeFacts& facts, const RecordedState& recorded, const NodeInputs& around,
                         const vendors::WorkProfile& profile) {
  core::NodeView view;
  static_cast<core::NodeMarks&>(view) = marks_of(facts, recorded, profile);
  view.name = facts.name;
  view.uid = facts.uid;
  view.is_untouched = around.is_untouched;
  view.is_selected = around.is_selected;
  view.is_ready = facts.is_ready;
  view.is_skipped = facts.label(profile.skip_label) == "true";
  view.is_held = !facts.annotation(protocol::kHoldAnnotation).empty();
  const protocol::Report* report = facts.report(profile.channel.report);
  view.cannot_unload = report != nullptr && !report->can_unload;
  view.other_claim = recorded.other_claim;
  view.odd_label = recorded.odd_label;
  if (recorded.held) view.claim_is_written = facts.record && facts.record->held == recorded.held;
  view.record_is_odd = !facts.record_trouble.empty();
  view.driver = driver_view(facts, recorded, around, profile);
  view.validator = validator_view(around);
  view.preflight = profile.flow.has(core::Trait::ResidentAgent)
                       ? prepared_view(facts, recorded, around, profile.channel)
                       : preflight_view(around);
  view.target = around.desired.digest;
  if (recorded.phase == core::Phase::Required)
    view.next_claim =
        fmt::format("{:016x}", base::fnv1a(facts.uid + "/" + facts.version + "/" + around.desired.digest));
  view.gates = gates_of(facts, profile, around.gates.value_or(profile.gates));
  if (!agent_holds_gates(facts, around, profile)) view.lost_gates = lost_gates_of(facts, recorded, profile);
  view.device_pods = around.device_pods;
  view.pods = around.pods;
  return view;
}

}  // namespace drover::observe
