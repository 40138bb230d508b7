// A rule is a sentence: in these phases, when this is so, do that.
//
// A fragment is a table of rules; a flow (flow.h) is fragments joined. The first rule of a node's phase that applies
// counts. It either moves the node to another phase, or does its phase's (idempotent) work, or lets it wait; never two
// of these.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/condition.h"
#include "core/effect.h"
#include "core/phase.h"
#include "core/reason.h"
#include "core/trait.h"

namespace drover::core {

enum class Action : std::uint8_t {
  None,              // waiting for something else
  ProveImage,        // have the new driver's image fetched, or the driver built, on the node
  EvictDevicePods,   // ask for the eviction of what uses the device
  DeleteDevicePods,  // delete it: a documented time is over
  EvictAll,          // ask for the eviction of everything that the drain takes
  ReplaceDriverPod,  // delete the old driver's pod; its DaemonSet makes the new one
  ReplaceValidator,  // delete a validator's pod that is older than the driver; its DaemonSet makes another
};

std::string_view name(Action action);

// Every member has a default, so that arrays of rules need no tricks.
struct Rule {
  enum class Kind : std::uint8_t { Wait, Work, Move };

  Kind kind = Kind::Wait;
  Phases in = {};
  When when = {};
  Phase to = Phase::Idle;         // of a Move
  Action action = Action::None;   // of a Work
  Effects effects = {};           // in a flow: everything that a Move does besides
  Reason reason = Reason::None;   // why, for code
  std::string_view because = {};  // why, for people: Events, explain and the docs
  Traits only = {};               // the rule is in flows that have all of these
  bool is_announced = false;      // of a Wait: an Event tells when it begins

  constexpr Rule announced() const {
    Rule rule = *this;
    rule.is_announced = true;
    return rule;
  }
  constexpr Rule with(Traits traits) const {
    Rule rule = *this;
    rule.only = traits;
    return rule;
  }
};

constexpr Rule move(Phases in, When when, Phase to, Reason reason, std::string_view because) {
  return {.kind = Rule::Kind::Move, .in = in, .when = when, .to = to, .reason = reason, .because = because};
}
constexpr Rule work(Phases in, When when, Action action, Reason reason, std::string_view because) {
  return {.kind = Rule::Kind::Work, .in = in, .when = when, .action = action, .reason = reason, .because = because};
}
constexpr Rule wait(Phases in, When when, Reason reason, std::string_view because) {
  return {.kind = Rule::Kind::Wait, .in = in, .when = when, .reason = reason, .because = because};
}

}  // namespace drover::core
