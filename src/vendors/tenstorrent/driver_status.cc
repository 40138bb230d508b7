#include "vendors/tenstorrent/driver_status.h"

#include <map>
#include <string>
#include <utility>

#include "core/node_class.h"

namespace drover::vendors {
namespace {

using core::NodeView;
using core::Phase;
using json::Array;
using json::Members;

StateAndReason failure_of(const NodeView& node) {
  if (!node.outcome) return {"Failed", "NotStarted"};
  switch (node.outcome->code) {
    case core::Reason::DrainTimeout: return {"Failed", "DrainTimeout"};
    case core::Reason::EvictionRefused:
    case core::Reason::DrainRefused: return {"Failed", "DrainRefused"};
    default: return {"Failed", node.outcome->after_swap ? "UpgradeFailed" : "NotStarted"};
  }
}

StateAndReason waiting(const NodeView& node, const core::Policy& policy) {
  using State = core::PreflightView::State;
  if (!policy.is_on) return {"Pending", "Paused"};
  if (node.preflight.state == State::Missing) return {"Pending", "CannotPrepare"};
  return {"Pending", node.preflight.state == State::Running ? "Preparing" : "Waiting"};
}

bool is_in_progress(std::string_view state) {
  return state == "Cordoning" || state == "Draining" || state == "Upgrading" || state == "Uncordoning";
}

StateAndReason state_by_phase(const NodeView& node, const core::Policy& policy) {
  const core::DriverView& driver = node.driver;
  const std::string_view trouble = driver.trouble;
  if (driver.is_host_managed) return {"HostManaged", "HostManagedKMD"};
  if (node.phase == Phase::Failed) return failure_of(node);
  // An old pod's trouble is not the new driver's.
  if (!driver.is_outdated && !driver.is_ready) {
    if (trouble.starts_with("ImagePullBackOff") || trouble.starts_with("ErrImagePull"))
      return {"Failed", "BuilderImagePullFailed"};
    // A blocked builder crashes again and again; what it says in between is the same.
    if (!driver.held_by.empty() || trouble.starts_with("CrashLoopBackOff")) return {"Failed", "BuilderCrashLoop"};
  }
  switch (node.phase) {
    case Phase::Idle:
    case Phase::Done:
      if (driver.is_outdated || driver.waits_for_us) return waiting(node, policy);
      if (driver.is_ready) return {"Done", "Ready"};
      if (core::serves(node) != core::Serves::Yes) return {"Failed", "DriverNotReady"};
      if (node.phase == Phase::Done && driver.unready_for) return {"Done", "Ready"};  // its pod may be on its way back
      return policy.is_on ? StateAndReason{"Upgrading", "Installing"} : StateAndReason{"Pending", "Paused"};
    case Phase::Required: return waiting(node, policy);
    case Phase::Cordon: return {"Cordoning", "Cordoning"};
    case Phase::WaitForJobs:
    case Phase::EvictDevicePods:
    case Phase::Drain: return {"Draining", "Draining"};
    case Phase::Uncordon: return {"Uncordoning", "Uncordoning"};
    default: return {"Upgrading", "Installing"};
  }
}

}  // namespace

StateAndReason state_of(const NodeView& node, const core::Policy& policy) {
  StateAndReason said = state_by_phase(node, policy);
  if (node.refusal) said.reason = core::name(node.refusal->reason);
  return said;
}

ConditionWords tenstorrent_condition(std::string_view type, const ConditionWords& ours) {
  struct Word {
    std::string_view type, ours, status, reason;
  };
  constexpr Word kWords[] = {
      {"Ready", "AllServing", "True", "AllReady"},      {"Ready", "HostManaged", "True", "AllReady"},
      {"Ready", "NoNodes", "True", "NoMatchingNodes"},  // nothing was promised
      {"Ready", "NodesPending", "False", "Installing"}, {"Progressing", "Starting", "True", "Rolling"},
      {"Progressing", "InFlight", "True", "Rolling"},   {"Progressing", "Installing", "True", "Rolling"},
  };
  for (const Word& word : kWords) {
    if (word.type == type && word.ours == ours.reason) return {std::string(word.status), std::string(word.reason)};
  }
  return ours;
}

std::string_view other_tenstorrent_word(std::string_view word) {
  return word == "HostManaged" ? std::string_view("Done") : std::string_view();
}

NodeState tenstorrent_node_state(const NodeView& node, const core::Policy& policy) {
  using Tone = NodeState::Tone;
  const auto [state, reason] = state_of(node, policy);
  if (state == "Failed" || reason == "CannotPrepare" || node.refusal) return {state, reason, Tone::Warning};
  return {state, reason, state == "Pending" ? Tone::Silent : Tone::Normal};
}

void fill_tenstorrent_status(const StatusRows& rows, Members& status) {
  std::map<std::string_view, const json::Value*> before;
  if (rows.before != nullptr) {
    for (const json::Value& row : json::array_at(*rows.before, {"nodes"})) before[json::text_at(row, {"name"})] = &row;
  }
  std::int64_t ready = 0;
  std::int64_t failed = 0;
  std::int64_t up_to_date = 0;
  std::int64_t in_progress = 0;
  Array told;
  const bool tells_all = rows.nodes.size() <= kMostNodesTold;
  for (const NodeRow& row : rows.nodes) {
    const NodeView& node = *row.node;
    const auto [state, reason] = state_of(node, *rows.policy);
    if (node.driver.is_ready && !node.driver.is_host_managed) ++ready;
    if (state == "Failed") ++failed;
    if (state == "Done" || state == "HostManaged") ++up_to_date;
    if (is_in_progress(state)) ++in_progress;
    if ((!tells_all && state == "Done") || told.size() >= kMostNodesTold) continue;
    const auto was = before.find(node.name);
    const bool is_as_it_was = was != before.end() && json::text_at(*was->second, {"state"}) == state &&
                              json::text_at(*was->second, {"reason"}) == reason;
    Members one = {{"name", node.name}, {"state", state}, {"reason", reason}};
    if (!node.driver.loaded.empty()) one["currentVersion"] = node.driver.loaded.view();
    if (state != "Done") one["message"] = row.message;
    one["lastTransitionTime"] =
        is_as_it_was ? std::string(json::text_at(*was->second, {"lastTransitionTime"})) : rows.now;
    told.push_back(std::move(one));
  }
  const auto matched = static_cast<std::int64_t>(rows.nodes.size());
  status["desiredVersion"] = rows.version;
  status["daemonSet"] = rows.daemon_set;
  status["summary"] =
      Members{{"matched", matched}, {"desired", matched},     {"ready", ready},           {"available", ready},
              {"failed", failed},   {"upToDate", up_to_date}, {"inProgress", in_progress}};
  status["nodesNotListed"] = matched - static_cast<std::int64_t>(told.size());
  status["nodes"] = std::move(told);
}

}  // namespace drover::vendors
