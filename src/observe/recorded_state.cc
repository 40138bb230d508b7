#include "observe/recorded_state.h"

#include <fmt/format.h>

#include "observe/trust.h"
#include "protocol/record.h"

namespace drover::observe {
namespace {

using core::Claim;
using core::Phase;

// What the vendor's own operator was doing when we took over. Its labels have no upgrade id, its cordon no owner but
// for one annotation; where the two leave a doubt, the reading that disturbs less counts.
//
//   label says           it has cordoned the node   it has not, or others have
//   required             waits                      waits
//   cordon … drain       goes on from there         waits: it has to be taken again
//   restart … uncordon   goes on from there         goes on; the cordon is not ours
//   failed               held, ours to give back    failed, serving
//   done                 done                       done
void adopt(const NodeFacts& facts, const vendors::WorkProfile& profile, const std::string& policy, base::WallTime now,
           RecordedState& recorded) {
  const Phase said = *recorded.label;
  recorded.phase = said;
  const bool was_cordoned_before = !facts.annotation(profile.found_cordoned_annotation).empty();
  const bool is_their_cordon = facts.is_cordoned && cordon_is_trusted(facts, profile);
  const bool needs_cordon = core::kBeforeSwap.has(said);
  if (needs_cordon && !is_their_cordon) {
    recorded.phase = Phase::Required;
    return;
  }
  const bool holds = core::is_in_flight(said) || (said == Phase::Failed && is_their_cordon && !was_cordoned_before);
  if (!holds) return;
  protocol::ClaimRecord held{.kind = std::string(profile.kind), .node = facts.uid, .claim = {}, .since = now};
  held.claim = Claim{.id = fmt::format("adopted-{}", facts.version),
                     .policy = policy,
                     .phase = said,
                     .boot = facts.boot,
                     .cordon = is_their_cordon && !was_cordoned_before ? Claim::Cordon::Ours : Claim::Cordon::Found};
  // A gate that a user closes is closed for good; the operator before us closed them for the upgrade.
  if (profile.gates_are_made) {
    vendors::each_part(profile.gates, [&](std::string_view key) {
      if (facts.label(key) == profile.gate_paused) held.claim.gates.emplace(key, core::kAbsent);
    });
  }
  recorded.held = std::move(held);
}

void read_label(const NodeFacts& facts, const vendors::WorkProfile& profile, RecordedState& recorded) {
  // Whose nodes show no state says at least whose cordon it is.
  if (profile.state_label.empty()) {
    const bool says_so = !facts.annotation(profile.cordon_annotation).empty();
    if (says_so && facts.is_cordoned) recorded.label = Phase::Cordon;
    return;
  }
  const std::string_view word = facts.label(profile.state_label);
  if (word.empty()) return;
  recorded.label = profile.phase(word);
  if (!recorded.label) recorded.odd_label = word;
}

}  // namespace

RecordedState recorded_state_of(const NodeFacts& facts, const vendors::WorkProfile& profile, const std::string& policy,
                                base::WallTime now, std::string_view gates) {
  RecordedState recorded;
  read_label(facts, profile, recorded);
  recorded.is_asked_for = facts.annotation(profile.request_annotation) == "true";

  const protocol::OutcomeRecord* last = nullptr;
  if (facts.record) {
    const auto at = facts.record->last.find(profile.kind);
    if (at != facts.record->last.end()) last = &at->second;
    // A claim is bound to the machine: one that was copied to another node with the same name means nothing.
    if (facts.record->held && facts.record->held->node == facts.uid) {
      if (facts.record->held->kind == profile.kind) {
        protocol::ClaimRecord held = *facts.record->held;
        recorded.distrust = distrust(held, facts, profile, gates);
        // What is believed whole is shared.
        if (held == *facts.record->held) {
          recorded.held = facts.record->held;
        } else {
          recorded.held = std::move(held);
        }
      } else {
        recorded.other_claim = facts.record->held->kind;
      }
    }
  }
  if (last != nullptr) {
    recorded.outcome = last->outcome;
    recorded.without_controller = last->next == protocol::OutcomeRecord::Next::Alone;
    recorded.given_back_at = last->given_back_at;
  }

  const bool says_required = recorded.label == Phase::Required;
  if (recorded.held) {
    // A node that is done is never held: such a record is not believed, and the node's state is determined again.
    const Phase claimed = recorded.held->claim.phase;
    recorded.phase = claimed == Phase::Done ? Phase::Idle : claimed;
    // A person may send a node that failed on its way again; anywhere else the label is put right.
    if (says_required && recorded.phase == Phase::Failed) recorded.is_asked_for = true;
    // Until its turn comes it is held as it failed, and what was asked for stands beside the claim.
    const bool waits = recorded.phase == Phase::Required;
    if (waits && last != nullptr && last->next == protocol::OutcomeRecord::Next::Asked) recorded.is_asked_for = true;
    return recorded;
  }
  if (last == nullptr) {
    // What has claimed the node has its cordon too; our label does not count then.
    if (recorded.label && recorded.other_claim.empty()) adopt(facts, profile, policy, now, recorded);
    return recorded;
  }
  if (last->next == protocol::OutcomeRecord::Next::Asked) recorded.is_asked_for = true;
  if (says_required) {
    recorded.phase = Phase::Required;
    // With upgrades off there is no label: a label that is set asks for one.
    if (last->next == protocol::OutcomeRecord::Next::Nothing || recorded.without_controller)
      recorded.is_asked_for = true;
    return recorded;
  }
  if (last->next != protocol::OutcomeRecord::Next::Nothing) {
    recorded.phase = Phase::Required;
  } else if (last->outcome) {
    recorded.phase = last->outcome->failed ? Phase::Failed : Phase::Done;
  }
  return recorded;
}

}  // namespace drover::observe
