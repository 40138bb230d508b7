#include "operator/company.h"

#include <fmt/format.h>

#include <utility>

#include "protocol/record.h"

namespace drover::operate {
namespace {

using core::Phase;

// In the other phases there is nothing to try but to wait, and whoever looks has waited.
constexpr core::Phases kAsking = {Phase::EvictDevicePods, Phase::Drain};

}  // namespace

// "The disruption budget train needs 5 healthy pods and has 5 currently" names it without its namespace.
std::string budget_in(std::string_view message, const std::string& ns) {
  constexpr std::string_view kBefore = "disruption budget ";
  const std::size_t at = message.find(kBefore);
  if (at == std::string_view::npos) return ns + "/?";
  const std::string_view rest = message.substr(at + kBefore.size());
  return fmt::format("{}/{}", ns, rest.substr(0, rest.find(' ')));
}

Company::Company(const base::Loop& loop, const NodePods& pods, const Census& census, const observe::Claims& claims,
                 const vendors::Profile& profile, std::string our_namespace)
    : loop_(loop),
      pods_(pods),
      census_(census),
      claims_(claims),
      profile_(profile),
      our_namespace_(std::move(our_namespace)) {}

observe::Beside Company::beside(const observe::NodeFacts& facts, const observe::Standing& standing,
                                const vendors::PolicyReading* reading) {
  static const vendors::PolicyReading kNobodys;
  const vendors::PolicyReading& asked = reading == nullptr ? kNobodys : *reading;
  observe::Beside beside;
  beside.device_pods = census_.on(facts.name);
  if (const auto at = refused_.find(facts.name); at != refused_.end()) beside.proof_trouble = at->second;
  if (const auto at = deleted_drivers_.find(facts.name); at != deleted_drivers_.end())
    beside.deleted_driver = at->second;
  if (!standing.held) {
    forget(facts.name);
    return beside;
  }
  const core::Claim& claim = standing.held->claim;
  const bool is_blocked = facts.report && facts.report->id == claim.id && facts.report->is_blocked;
  const bool counts = !is_blocked && api_is_there_ && facts.is_ready && (asked.policy.is_on || claim.serves);
  beside.spent = stopwatch_.look(facts.name, *standing.held, counts, loop_.now(), loop_.wall());
  Known& known = known_[facts.name];
  const bool is_same = known.claim == claim.id;
  const auto untouched = untouched_.find(facts.name);
  beside.is_untouched = untouched != untouched_.end() && untouched->second == claim.id;
  beside.tried = !kAsking.has(standing.phase) || (is_same && known.tried_in == standing.phase);
  if (const auto* pods = pods_.of(facts.name)) {
    known.pods.clear();
    pods->each([&](const std::string&, const observe::PodFacts& pod) {
      core::PodView view = observe::pod_view(pod, asked.jobs, asked.drained, profile_, our_namespace_, &claims_);
      if (const auto at = held_by_.find(pod.uid); at != held_by_.end()) view.held_by = at->second;
      known.pods.push_back(std::move(view));
    });
    beside.pods = &known.pods;
  }
  return beside;
}

void Company::held(const std::string& pod_uid, const std::string& budget) {
  if (budget.empty()) {
    held_by_.erase(pod_uid);
  } else {
    held_by_[pod_uid] = budget;
  }
}

void Company::tried(const std::string& node, const core::Claim& claim) {
  Known& known = known_[node];
  known.claim = claim.id;
  known.tried_in = claim.phase;
}

void Company::proof_refused(const std::string& node, const std::string& why) {
  if (why.empty() && refused_.erase(node) == 0) return;
  if (!why.empty()) refused_[node] = why;
  news_.insert(node);
}

void Company::forget(const std::string& node) {
  if (const auto at = known_.find(node); at != known_.end()) {
    for (const core::PodView& pod : at->second.pods) held_by_.erase(pod.uid);
    known_.erase(at);
  }
  stopwatch_.forget(node);
}

base::Span Company::excluded(const std::string& node, const protocol::Held& held) const {
  return stopwatch_.excluded(node, held, loop_.wall());
}

}  // namespace drover::operate
