#include "act/node_patch.h"

#include <utility>

#include "protocol/keys.h"
#include "protocol/order.h"
#include "protocol/order_for.h"

namespace drover::act {
namespace {

using core::Phase;
using protocol::ClaimRecord;
using protocol::OutcomeRecord;
using protocol::Record;

json::Array taints_after(const json::Array& before, bool tainted) {
  json::Array after;
  for (const json::Value& taint : before) {
    if (json::text_at(taint, {"key"}) != protocol::kSwapTaint) after.push_back(taint);
  }
  if (tainted) after.push_back({{"key", protocol::kSwapTaint}, {"effect", "NoSchedule"}});
  return after;
}

ClaimRecord held_after(const NodeNow& node, const core::Change& change, const vendors::WorkProfile& profile,
                       base::WallTime now) {
  const bool was_held = node.record.held && node.record.held->kind == profile.kind;
  ClaimRecord held = was_held ? *node.record.held : ClaimRecord{};
  const bool moved = !change.path.empty();
  if (!was_held) held.autoscaler_is_told = !node.autoscaler_is_told;
  if (moved || !was_held) held.since = now;
  if (moved) held.reason = change.path.back().because;
  held.kind = profile.kind;
  held.node = node.seen.uid;
  held.claim = *change.after.claim;
  held.at = now;
  if (!moved) held.claim.spent = node.seen.spent;
  if (held.claim.boot.empty()) held.claim.boot = node.boot;
  return held;
}

// Why the node waits for its turn: by our own reading, or because a person said so.
OutcomeRecord::Next next_of(const core::NodeMarks& after) {
  if (after.phase != Phase::Required) return OutcomeRecord::Next::Nothing;
  if (after.without_controller) return OutcomeRecord::Next::Alone;
  return after.is_asked_for ? OutcomeRecord::Next::Asked : OutcomeRecord::Next::Outdated;
}

bool is_told_by_us(const Record& record) { return record.held && record.held->autoscaler_is_told; }

}  // namespace

Record record_after(const NodeNow& node, const core::Change& change, const vendors::WorkProfile& profile,
                    base::WallTime now) {
  const core::NodeMarks& after = change.after;
  Record record = node.record;
  if (after.claim) {
    record.held = held_after(node, change, profile, now);
  } else if (record.held && record.held->kind == profile.kind) {
    record.held.reset();
  }
  const std::string kind(profile.kind);
  OutcomeRecord& last = record.last[kind];
  if (last.outcome != after.outcome) last.at = now;
  if (!after.outcome) last.at.reset();
  last.outcome = after.outcome;
  last.next = next_of(after);
  if (core::gives_back_to_person(node.seen, after)) last.given_back_at = now;
  if (core::is_in_flight(after.phase)) last.given_back_at.reset();
  if (last == OutcomeRecord{}) record.last.erase(kind);
  return record;
}

namespace {

protocol::AgentRequest request_of(const std::optional<core::Scope>& scope) {
  if (!scope) return protocol::AgentRequest::Nothing;
  return *scope == core::Scope::AllPods ? protocol::AgentRequest::Drain : protocol::AgentRequest::Evict;
}

// A claim of another machine that had this name holds nothing.
bool is_held(const NodeNow& node) { return node.record.held && node.record.held->node == node.seen.uid; }

// That what it asked for cannot be; its claim is gone again.
std::string refusal(const NodeNow& node, const core::NodeMarks& after) {
  return protocol::text_of(protocol::Order{.id = after.claim ? after.claim->id : node.seen.driver.pod,
                                           .target = after.outcome->target.str(),
                                           .serves = request_of(after.refused),
                                           .is_refused = true,
                                           .message = after.outcome->reason.str()});
}

// What the agent is to be told, also while other work has the node: each speaks to its own agent.
std::optional<std::string> order_after(const NodeNow& node, const core::Change* change,
                                       const vendors::WorkProfile& profile) {
  const core::NodeMarks& marks = change == nullptr ? node.seen : change->after;
  if (change != nullptr && marks.refused && change->path.empty()) return node.order;
  if (change != nullptr && marks.refused && marks.outcome) return refusal(node, marks);
  const core::Claim* claim = nullptr;
  const bool was_held = is_held(node) && node.record.held->kind == profile.kind;
  if (change != nullptr && marks.claim) claim = &*marks.claim;
  if (change == nullptr && was_held) claim = &node.record.held->claim;
  if (!profile.flow.has(core::Trait::ResidentAgent) &&
      (change == nullptr || (claim == nullptr && !was_held && node.order.empty())))
    return {};
  return protocol::order_for(
      {.agent_prepares = profile.flow.has(core::Trait::ResidentAgent),
       .claim = claim,
       .phase = marks.phase,
       .is_paused = node.is_paused,
       .version = node.driver_version,
       .is_to_prepare = node.is_to_prepare,
       .serves = claim == nullptr ? protocol::AgentRequest::Nothing : request_of(claim->requested_scope)});
}

// What the change says, as members of the patch.
struct Parts {
  json::Members labels = {};
  json::Members annotations = {};
  json::Members spec = {};
};

Parts parts_of(const NodeNow& node, const core::Change& change, const vendors::WorkProfile& profile,
               base::WallTime now) {
  Parts parts;
  const core::NodeMarks& after = change.after;
  const Record record = record_after(node, change, profile, now);
  if (!profile.state_label.empty())
    parts.labels[profile.state_label] = after.label ? json::Value(profile.state(*after.label)) : json::Value();
  for (const std::string& gate : core::gates_to_pause(node.seen, after)) parts.labels[gate] = profile.gate_paused;
  for (const auto& [gate, value] : core::gates_to_restore(node.seen, after))
    parts.labels[gate] = value == core::kAbsent ? json::Value() : json::Value(value);

  parts.annotations[protocol::kRecordAnnotation] =
      record == Record{} ? json::Value() : json::Value(protocol::text_of(record));
  if (core::request_is_heard(node.seen, after)) parts.annotations[profile.request_annotation] = json::Value();
  // What the vendor's own operator noted there is in the claim now, and must not mislead it should it come back.
  if (!change.path.empty() && !profile.found_cordoned_annotation.empty())
    parts.annotations[profile.found_cordoned_annotation] = json::Value();
  if (!profile.cordon_annotation.empty()) {
    const bool is_ours = after.claim && after.claim->cordon == core::Claim::Cordon::Ours;
    if (is_ours != node.has_cordon_note) {
      parts.annotations[profile.cordon_annotation] = is_ours ? json::Value(node.policy) : json::Value();
      parts.annotations[profile.cordon_time_annotation] = is_ours ? json::Value(base::rfc3339(now)) : json::Value();
    }
  }
  if (is_told_by_us(record) != is_told_by_us(node.record)) {
    parts.annotations[protocol::kScaleDownAnnotation] = is_told_by_us(record) ? json::Value("true") : json::Value();
  }

  if (after.is_cordoned != node.seen.is_cordoned)
    parts.spec["unschedulable"] = after.is_cordoned ? json::Value(true) : json::Value();
  if (after.is_tainted != node.seen.is_tainted) {
    json::Array taints = taints_after(node.taints, after.is_tainted);
    parts.spec["taints"] = taints.empty() ? json::Value() : json::Value(std::move(taints));
  }
  return parts;
}

void put_on(const std::map<std::string, std::optional<std::string>>& wanted, json::Members& members) {
  for (const auto& [key, value] : wanted) {
    // What the change says about a key counts: a gate that it closes stays closed.
    if (!members.contains(key)) members[key] = value ? json::Value(*value) : json::Value();
  }
}

}  // namespace

kube::Request node_patch(const NodeNow& node, const core::Change* change, const vendors::NodeMetadata& wanted,
                         const vendors::WorkProfile& profile, base::WallTime now) {
  Parts parts = change == nullptr ? Parts{} : parts_of(node, *change, profile, now);
  if (const auto order = order_after(node, change, profile); order && *order != node.order)
    parts.annotations[profile.channel.order] = order->empty() ? json::Value() : json::Value(*order);
  put_on(wanted.labels, parts.labels);
  put_on(wanted.annotations, parts.annotations);
  json::Members metadata;
  metadata["uid"] = node.seen.uid;
  metadata["resourceVersion"] = node.version;
  if (!parts.labels.empty()) metadata["labels"] = std::move(parts.labels);
  if (!parts.annotations.empty()) metadata["annotations"] = std::move(parts.annotations);
  json::Members body;
  body["metadata"] = std::move(metadata);
  if (!parts.spec.empty()) body["spec"] = std::move(parts.spec);
  return kube::patch(kube::kNodes, "", node.seen.name, kube::PatchKind::Merge, std::move(body));
}

}  // namespace drover::act
