// What stands on a node because we wrote it there: all that one PATCH of ours can change about it for one work. Read
// back by observe, changed by effects and repairs, written by act.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/cow_ptr.h"
#include "base/interned_string.h"
#include "base/time.h"
#include "core/phase.h"
#include "core/reason.h"

namespace drover::core {

using base::Span;

// Which pods a clearing is about.
enum class Scope : std::uint8_t {
  DevicePods,  // whatever uses the device, daemon pods too: they would hold the driver
  AllPods,     // as `kubectl drain`: daemon pods stay, pods that the selector leaves out stay
};

// As the value of a label: there was none. No label can say this.
inline constexpr std::string_view kAbsent = "-";

// Our exclusive hold on a node, as read from its record.
struct Claim {
  // Found: it was cordoned before we took it, so it stays cordoned. None: the policy does not have its nodes cordoned.
  enum class Cordon { Ours, Found, None };

  std::string id;
  std::string policy;  // uid
  Phase phase = Phase::Cordon;
  std::string target = {};      // digest of what the node is to have
  std::string driver_pod = {};  // uid of the pod that served when we took the node
  std::string boot = {};
  Cordon cordon = Cordon::Ours;
  bool was_asked_for = false;                     // by a person: swap even when the driver is current
  bool driver_failed = false;                     // what the node has never worked: it is not given back with it
  int device_pod_returns = 0;                     // how often pods of one owner that use the device came back
  Span spent = {};                                // in this phase, as far as it counts and as it was last written
  bool deadline_paused = false;                   // its deadline does not come nearer, as it was last written
  std::map<std::string, std::string> gates = {};  // labels that we paused, as they were; kAbsent where there was none
  // With upgrades off: made because a driver's init container asked, and how far we went for it.
  std::optional<Scope> requested_scope = {};

  bool operator==(const Claim&) const = default;
};

// How the last try ended.
struct Outcome {
  bool failed = false;
  bool after_swap = false;  // a failure of the version, not of the circumstances
  base::InternedString target = {};
  Reason code = Reason::None;
  base::InternedString reason = {};  // the same for people
  base::InternedString pod = {};     // the driver's pod that waited for permission when it failed, and was not given it
  bool operator==(const Outcome&) const = default;
};

struct NodeMarks {
  base::CowPtr<Claim> claim = {};  // with the gates that are closed
  base::CowPtr<Outcome> outcome = {};
  Phase phase = Phase::Idle;          // by the record; by the label where there is no record
  std::optional<Phase> label = {};    // what its state label says; none: it has none
  std::optional<Scope> refused = {};  // what its driver's init container was told that it cannot have
  bool is_cordoned = false;
  bool is_tainted = false;          // our taint is on it
  bool is_asked_for = false;        // a person wants it upgraded whatever its driver is
  bool without_controller = false;  // it waits for its turn without the controller
};

}  // namespace drover::core
