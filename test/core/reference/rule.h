// A rule is a sentence: in this phase, when this is so, do that.
//
// A flow is a table of rules. The first that applies counts. A rule either moves the node to another phase, or lets it
// do its phase's (idempotent) work, or lets it wait; never two of these.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/reference/question.h"

namespace drover::reference {

enum class Work : std::uint8_t {
  None,              // waiting for somebody else
  ProveImage,        // have the new driver's image fetched, or the driver built, on the node
  EvictDevicePods,   // ask for the eviction of what uses the device
  DeleteDevicePods,  // delete it: a documented time is over
  EvictAll,          // ask for the eviction of everything that the drain takes
  ReplaceDriverPod,  // delete the old driver's pod; its DaemonSet makes the new one
  ReplaceValidator,  // delete a validator's pod that is older than the driver; its DaemonSet makes another
};

std::string_view name(Work work);

struct Rule {
  enum class Kind : std::uint8_t { Move, Work, Wait };

  Kind kind;
  Phases in;
  Condition when;
  Phase to = Phase::Idle;         // of a Move
  Work work = Work::None;         // of a Work
  std::string_view because = {};  // why: for Events, explain and the docs
};

constexpr Rule move(Phases in, Condition when, Phase to, std::string_view because) {
  return {.kind = Rule::Kind::Move, .in = in, .when = when, .to = to, .because = because};
}
constexpr Rule work(Phases in, Condition when, Work work, std::string_view because) {
  return {.kind = Rule::Kind::Work, .in = in, .when = when, .work = work, .because = because};
}
constexpr Rule wait(Phases in, Condition when, std::string_view because) {
  return {.kind = Rule::Kind::Wait, .in = in, .when = when, .because = because};
}

// Which way a vendor's node goes, and while where its siblings are kept away from the device.
struct Flow {
  std::string_view name;
  std::span<const Rule> rules;
  Phase gates_close_at;
  Phase gates_open_at;
  bool has_label = true;            // a label of the node shows its phase
  bool pod_is_another_try = false;  // a driver's pod that is made anew after a failure may try again
};

// Every phase that a flow uses ends in a rule that always applies: no node can stand where nothing is said.
constexpr bool says_something_everywhere(std::span<const Rule> rules) {
  for (const PhaseRow& row : kPhaseTable) {
    const Rule* last = nullptr;
    for (const Rule& rule : rules) {
      if (rule.in.has(row.phase)) last = &rule;
    }
    if (last != nullptr && last->when.first.holds != otherwise.holds) return false;
  }
  return true;
}

// The phases that a flow uses.
Phases phases_of(const Flow& flow);

}  // namespace drover::reference
