#include "protocol/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace drover::protocol {
namespace {

using base::Fault;
using core::Claim;
using core::Phase;
using core::Scope;

constexpr std::size_t kMostReasonBytes = 400;

constexpr std::array<std::pair<OutcomeRecord::Next, std::string_view>, 3> kNexts{{
    {OutcomeRecord::Next::Outdated, "outdated"},
    {OutcomeRecord::Next::Asked, "asked"},
    {OutcomeRecord::Next::Alone, "alone"},
}};

// As the agents' requests are spelled.
constexpr std::string_view word_of(Scope scope) { return scope == Scope::AllPods ? "drain" : "evict"; }
constexpr std::array<std::pair<Claim::Cordon, std::string_view>, 3> kCordons{{
    {Claim::Cordon::Ours, "ours"},
    {Claim::Cordon::Found, "found"},
    {Claim::Cordon::None, "none"},
}};

std::string_view word_of(Claim::Cordon cordon) {
  for (const auto& [which, word] : kCordons) {
    if (which == cordon) return word;
  }
  return "ours";
}

std::optional<Claim::Cordon> cordon_named(std::string_view word) {
  for (const auto& [which, name] : kCordons) {
    if (name == word) return which;
  }
  return {};
}

std::optional<Phase> phase_named(std::string_view name) {
  for (const core::PhaseRow& row : core::kPhaseTable) {
    if (row.name == name) return row.phase;
  }
  return {};
}

std::int64_t whole_seconds(base::Span span) { return std::chrono::duration_cast<std::chrono::seconds>(span).count(); }

json::Value json_of(const ClaimRecord& held, std::size_t most_reason) {
  const Claim& claim = held.claim;
  json::Members members;
  members["id"] = claim.id;
  members["kind"] = held.kind;
  members["policy"] = claim.policy;
  members["node"] = held.node;
  members["phase"] = core::name(claim.phase);
  members["since"] = base::rfc3339(held.since);
  if (held.at != base::WallTime()) members["at"] = base::rfc3339(held.at);
  if (claim.spent > base::Span::zero()) members["spent"] = whole_seconds(claim.spent);
  if (claim.deadline_paused) members["stopped"] = true;
  members["target"] = claim.target;
  if (!claim.driver_pod.empty()) members["pod"] = claim.driver_pod;
  if (!claim.boot.empty()) members["boot"] = claim.boot;
  members["cordon"] = word_of(claim.cordon);
  if (claim.was_asked_for) members["asked"] = true;
  if (claim.driver_failed) members["driverFailed"] = true;
  if (claim.requested_scope) members["serves"] = word_of(*claim.requested_scope);
  if (claim.device_pod_returns > 0) members["returns"] = claim.device_pod_returns;
  if (held.autoscaler_is_told) members["autoscalerTold"] = true;
  if (!claim.gates.empty()) {
    json::Members gates;
    for (const auto& [key, value] : claim.gates) gates[key] = value;
    members["gates"] = std::move(gates);
  }
  if (!held.reason.empty() && most_reason > 0) members["reason"] = base::one_line(held.reason, most_reason);
  return members;
}

json::Value json_of(const OutcomeRecord& last, std::size_t most_reason) {
  json::Members members;
  if (last.outcome) {
    members["result"] = last.outcome->failed ? "failed" : "done";
    members["target"] = last.outcome->target.view();
    if (last.outcome->after_swap) members["afterSwap"] = true;
    if (!last.outcome->pod.empty()) members["pod"] = last.outcome->pod.view();
    if (last.outcome->code != core::Reason::None) members["code"] = core::name(last.outcome->code);
    if (!last.outcome->reason.empty() && most_reason > 0)
      members["reason"] = base::one_line(last.outcome->reason, most_reason);
  }
  if (last.at) members["at"] = base::rfc3339(*last.at);
  for (const auto& [next, word] : kNexts) {
    if (last.next == next) members["next"] = word;
  }
  if (last.given_back_at) members["givenBackAt"] = base::rfc3339(*last.given_back_at);
  return members;
}

std::string written(const Record& record, std::size_t most_reason) {
  json::Members members;
  members["v"] = 1;
  if (record.held) members["claim"] = json_of(*record.held, most_reason);
  json::Members outcomes;
  for (const auto& [kind, last] : record.last) outcomes[kind] = json_of(last, most_reason);
  if (!outcomes.empty()) members["outcomes"] = std::move(outcomes);
  return json::text_of(members);
}

base::Result<ClaimRecord> held_from(const json::Value& claim) {
  ClaimRecord held;
  const auto phase = phase_named(json::text_at(claim, {"phase"}));
  const auto since = base::parse_rfc3339(json::text_at(claim, {"since"}));
  const auto cordon = cordon_named(json::text_at(claim, {"cordon"}));
  // Without these the node could not be given back as it was.
  if (!phase) return base::fault(Fault::Kind::Malformed, "its claim names no phase that drover knows");
  if (!since) return base::fault(Fault::Kind::Malformed, "its claim does not say since when");
  if (!cordon) return base::fault(Fault::Kind::Malformed, "its claim does not say whose the cordon is");
  held.kind = json::text_at(claim, {"kind"});
  held.node = json::text_at(claim, {"node"});
  held.since = *since;
  if (const auto at = base::parse_rfc3339(json::text_at(claim, {"at"}))) held.at = *at;
  held.reason = json::text_at(claim, {"reason"});
  held.autoscaler_is_told = json::flag_at(claim, {"autoscalerTold"});
  held.claim =
      Claim{.id = std::string(json::text_at(claim, {"id"})),
            .policy = std::string(json::text_at(claim, {"policy"})),
            .phase = *phase,
            .target = std::string(json::text_at(claim, {"target"})),
            .driver_pod = std::string(json::text_at(claim, {"pod"})),
            .boot = std::string(json::text_at(claim, {"boot"})),
            .cordon = *cordon,
            .was_asked_for = json::flag_at(claim, {"asked"}),
            .driver_failed = json::flag_at(claim, {"driverFailed"}),
            .device_pod_returns = static_cast<int>(std::clamp<std::int64_t>(json::int_at(claim, {"returns"}), 0, 4)),
            .spent = std::chrono::seconds(std::clamp<std::int64_t>(json::int_at(claim, {"spent"}), 0, 1'000'000'000)),
            .deadline_paused = json::flag_at(claim, {"stopped"})};
  const std::string_view serves = json::text_at(claim, {"serves"});
  for (const Scope scope : {Scope::DevicePods, Scope::AllPods}) {
    if (serves == word_of(scope)) held.claim.requested_scope = scope;
  }
  for (const auto& gate : json::members_at(claim, {"gates"})) {
    if (gate.value().is_string()) held.claim.gates[std::string(gate.key())] = std::string(gate.value().get_string());
  }
  return held;
}

OutcomeRecord last_from(const json::Value& value) {
  OutcomeRecord last;
  const std::string_view result = json::text_at(value, {"result"});
  if (result == "done" || result == "failed") {
    last.outcome = core::Outcome{.failed = result == "failed",
                                 .after_swap = json::flag_at(value, {"afterSwap"}),
                                 .target = std::string(json::text_at(value, {"target"})),
                                 .code = core::reason_named(json::text_at(value, {"code"})),
                                 .reason = std::string(json::text_at(value, {"reason"})),
                                 .pod = std::string(json::text_at(value, {"pod"}))};
  }
  if (const auto at = base::parse_rfc3339(json::text_at(value, {"at"}))) last.at = *at;
  if (const auto at = base::parse_rfc3339(json::text_at(value, {"givenBackAt"}))) last.given_back_at = *at;
  const std::string_view said = json::text_at(value, {"next"});
  for (const auto& [next, word] : kNexts) {
    if (said == word) last.next = next;
  }
  return last;
}

}  // namespace

base::Result<Record> parse_record(std::string_view text) {
  if (text.size() > 4 * kMostRecordBytes) return base::fault(Fault::Kind::Malformed, "it is larger than any of ours");
  TRY(const json::Value value, json::parse(text));
  if (!value.is_object()) return base::fault(Fault::Kind::Malformed, "it is not a JSON object");
  Record record;
  if (const json::Value* claim = json::find(value, {"claim"}); claim != nullptr && !claim->is_null()) {
    TRY(record.held, held_from(*claim));
  }
  for (const auto& member : json::members_at(value, {"outcomes"})) {
    record.last[std::string(member.key())] = last_from(member.value());
  }
  return record;
}

std::string text_of(const Record& record) {
  std::string text = written(record, kMostReasonBytes);
  if (text.size() <= kMostRecordBytes) return text;
  Record smaller = record;
  text = written(smaller, 80);
  while (text.size() > kMostRecordBytes && !smaller.last.empty()) {
    smaller.last.erase(std::min_element(smaller.last.begin(), smaller.last.end(),
                                        [](const auto& a, const auto& b) { return a.second.at < b.second.at; }));
    text = written(smaller, 80);
  }
  return text.size() <= kMostRecordBytes ? text : written(smaller, 0);
}

}  // namespace drover::protocol
