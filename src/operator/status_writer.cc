#include "operator/status_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "act/obstacles.h"
#include "base/log.h"
#include "observe/ranges.h"

namespace drover::operate {
namespace {

constexpr base::Span kStatusEvery = std::chrono::seconds(5);
// To make a status says why each node waits: with hundreds of nodes that costs more than all else in a pass.
constexpr base::Span kMakeStatusEvery = std::chrono::seconds(1);

}  // namespace

std::optional<json::Value> StatusWriter::kept(std::size_t kind, const json::Value& status) {
  const observe::DefinitionFacts* definition = kinds_.definition(kind);
  if (definition == nullptr) return status;
  Lost& lost = lost_[kind];
  if (lost.version != definition->version) lost = {.version = definition->version};
  if (!definition->has_status || !definition->status_schema) {
    lost.fields.insert("status");
    return {};
  }
  const auto other_word = served_.profile->other_word;
  return observe::kept_status(
      status, *definition->status_schema,
      [other_word](std::string_view word) { return other_word == nullptr ? std::string_view() : other_word(word); },
      lost.fields);
}

std::optional<std::string> StatusWriter::definition_lacks(std::size_t kind) {
  const observe::DefinitionFacts* definition = kinds_.definition(kind);
  if (definition == nullptr) return {};
  Lost& lost = lost_[kind];
  std::vector<std::string> names = definition->missing_fields;
  names.insert(names.end(), lost.fields.begin(), lost.fields.end());
  if (names.empty()) return "";
  const vendors::WorkProfile::Kind& of = served_.profile->policy_kind(kind);
  std::string text = fmt::format(
      "the definition {}.{} does not know {}: what is set there has no effect, and what is there is not told; kubectl "
      "apply -f charts/drover/crds/{}_{}.yaml",
      of.plural, of.group, act::list_of(names), of.group, of.plural);
  if (std::exchange(lost.told, text) != text) log::warn("a definition is outdated", {{"why", text}});
  return text;
}

std::optional<json::Value> StatusWriter::news(const observe::PolicyRef& policy,
                                              const std::function<json::Value(std::optional<std::string>)>& render) {
  const kube::Object* object = policy_set_.find(policy);
  if (object == nullptr) return {};
  const std::optional<std::string> lacks = definition_lacks(policy.kind);
  std::optional<json::Value> status = kept(policy.kind, render(lacks));
  // What was just seen to be lost is told at once.
  if (auto now = definition_lacks(policy.kind); now != lacks) status = kept(policy.kind, render(std::move(now)));
  if (!status) return {};
  static const json::Value kNoStatus = json::Members();
  const json::Value* there = json::find(*object, {"status"});
  const json::Value& before = there == nullptr ? kNoStatus : *there;
  if (act::is_same_but_for_times(before, *status)) return {};
  return act::merge_between(before, *status);
}

void StatusWriter::write(PolicyState& state, const core::FleetView& view, const core::Plan& plan,
                         const std::string& competing_operator) {
  const observe::Fleet& fleet = state.fleet;
  const kube::Object* policy = fleet.policy();
  const observe::PolicyRef& ref = *fleet.policy_ref();
  if (!kinds_.definition_is_heard(ref.kind)) return;  // the pass that follows it writes
  if (loop_.now() < state.status_not_before) {
    state.status_is_due = true;
    return;
  }
  state.status_not_before = loop_.now() + kMakeStatusEvery;
  act::StatusFacts facts{.policy = policy, .about = {.wants = fleet.wants()}, .ns = served_.operands.ns};
  facts.operator_name = name_;
  facts.forced = state.forced;
  facts.about.competing_operator = competing_operator;
  if (ref.kind > 0 || served_.profile->policies_share_nodes) facts.about.disputed = fleet.disputed();
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    const auto& held = fleet.recorded(i).held;
    facts.since.push_back(held ? base::rfc3339(held->since) : std::string());
  }
  const auto status = news(ref, [&](std::optional<std::string> lacks) {
    facts.about.definition_lacks = std::move(lacks);
    return act::policy_status(view, plan, *served_.profile, facts, loop_.wall());
  });
  if (!status) return;
  const std::string name(kube::name_of(*policy));
  // What is left out of a merge stays: it must be made of the status that is there.
  kube::Request request = kube::patch(
      observe::policy_kind_of(*served_.profile, ref.kind), "", name, kube::PatchKind::Merge,
      json::Members{{"metadata", json::Members{{"resourceVersion", kube::version_of(*policy)}}}, {"status", *status}},
      "status");
  const bool sent = executor_.run(act::Write{.key = fmt::format("status/{}/{}", ref.kind, name),
                                             .request = std::move(request),
                                             .purpose = act::Purpose::Status,
                                             .subject = {.policy = ref},
                                             .rest = kStatusEvery});
  if (sent) state.status_not_before = loop_.now() + kStatusEvery;
}

void StatusWriter::write_ignored() {
  for (const observe::PolicySet::Ignored& one : policy_set_.ignored()) {
    if (!kinds_.definition_is_heard(one.policy.kind)) continue;
    const kube::Object* policy = policy_set_.find(one.policy);
    if (policy == nullptr) continue;
    const auto status = news(one.policy, [&](const std::optional<std::string>&) {
      return act::ignored_status(*policy, one.because, loop_.wall());
    });
    if (!status) continue;
    const std::string name(kube::name_of(*policy));
    executor_.run(
        act::Write{.key = fmt::format("status/{}/{}", one.policy.kind, name),
                   .request = kube::patch(observe::policy_kind_of(*served_.profile, one.policy.kind), "", name,
                                          kube::PatchKind::Merge, json::Members{{"status", *status}}, "status"),
                   .purpose = act::Purpose::Status,
                   .rest = kStatusEvery});
  }
}

}  // namespace drover::operate
