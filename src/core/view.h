// What is known, as plain facts: made by observe from API objects, read by every rule. Nothing here is ever changed by
// core; a rule that needs another fact gets another field.
//
// Time appears only as spans that are measured elsewhere ("in this phase for 40 s that count"), so that
// rules cannot read a clock and a test can write down any moment.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/interned_string.h"
#include "core/marks.h"
#include "core/phase.h"
#include "core/policy.h"
#include "core/refusal.h"

namespace drover::core {

// A pod on a node in flight.
struct PodView {
  std::string ns;
  std::string name;
  std::string uid;
  std::string owner = {};  // "DaemonSet ml/exporter"; empty: a bare pod

  bool uses_device = false;
  bool is_finished = false;  // succeeded or failed: it holds nothing any more
  bool is_going = false;     // has a deletion timestamp
  bool is_mirror = false;    // the kubelet's own: it cannot be evicted
  bool is_daemon = false;    // made by a DaemonSet, which ignores a cordon
  bool returns = false;      // a daemon pod that tolerates our taint as well: it would be back at once
  bool has_local_data = false;
  bool is_ours = false;        // driver, validator, agent, operator
  bool is_waited_for = false;  // the policy names it: it may finish
  bool is_drained = true;      // the drain step's selector takes it
  int generation = 1;          // 1 more than the highest of its owner that was evicted here under this claim

  std::string held_by = {};  // the budget that refused its eviction the last time, "ml/train"

  std::string full_name() const { return ns + "/" + name; }
};

// The driver of one node: the pod that carries it and what the policy wants instead.
struct DriverView {
  base::InternedString wanted = {};  // the version, for people
  std::string pod = {};              // uid; empty: there is none
  bool is_host_managed = false;      // installed on the host: not ours to touch
  bool is_first = false;             // no driver is loaded: nothing can be lost
  bool is_outdated = false;          // what would be loaded differs from what is
  bool is_going = false;
  bool is_ready = false;
  bool never_ran = false;                // no container of its pod has run: replacing the pod takes nothing away
  bool is_unscheduled = false;           // its pod is on no node yet
  std::optional<Span> unready_for = {};  // at rest, and not ready since this process has seen it so
  bool is_settled = true;                // the DaemonSet's controller has seen the newest template
  bool carrier_is_gone = false;          // no DaemonSet brings it any more
  bool waits_for_us = false;             // its agent asks for permission to swap
  // Without the controller: which pods it wants gone first, and whether it has spoken and wants nothing (any more).
  std::optional<Scope> asks_for = {};
  bool asks_nothing = false;
  bool is_stale = false;       // its pod is made from an older template, which changes nothing of the driver
  bool may_not_force = false;  // its pod may not end what holds the device, and the policy says by now that it may
  base::InternedString trouble = {};  // "ImagePullBackOff: …"
  base::InternedString misfit = {};   // why no pod of the wanted template could be here: a taint, a label, a request
  // What only vendors whose agents report it tell.
  base::InternedString loaded = {};   // the version that the kernel has
  base::InternedString held_by = {};  // what holds the device, so that the driver cannot be taken out
  base::InternedString refusal = {};  // why what was wanted did not load; the pod does not try again

  // Another pod could take its place. One that waits for permission is the new one already.
  bool can_be_replaced() const { return misfit.empty() || waits_for_us; }
};

struct ValidatorView {
  bool has_passed = false;  // ready, and started after the driver that is loaded now
  bool is_stale = false;    // started before it: whatever it says is about another driver
  bool is_failing = false;  // it runs, and is not ready
  base::InternedString trouble = {};
};

// The proof that the new driver can be had on this very node (its image is there, or it has been built), made while the
// node still serves.
struct PreflightView {
  enum class State { Unasked, Running, Passed, Missing };
  State state = State::Unasked;
  base::InternedString trouble = {};
  Span running_for = {};  // since we first saw it run
};

// What was seen of a node and is old once we move it: forgotten while the rules are walked on its behalf.
struct WalkState {
  Span spent = {};                                // in this phase, as far as it counts
  std::optional<std::vector<PodView>> pods = {};  // only in flight, and only once they were listed after the cordon
  // Operand labels that can be paused, as they are now.
  std::vector<std::pair<base::InternedString, base::InternedString>> gates = {};
  bool tried = true;              // this process has made one full attempt at the phase's work
  bool time_is_restored = false;  // the time in its record was written by the leader before this one
  std::chrono::duration<std::int32_t> unheard_for = {};  // since what the phase waits for was last heard of
};

struct NodeView : NodeMarks, WalkState {
  std::string name;
  std::string uid = {};
  bool is_untouched = false;  // this process took it, and no pod has gone because of us
  bool is_selected = true;    // the policy wants it
  bool is_ready = true;
  bool is_skipped = false;       // the skip label
  bool is_held = false;          // a person keeps it cordoned
  bool cannot_unload = false;    // its kernel: only a reboot takes a driver out
  bool claim_is_written = true;  // false: it is adopted, and stands in no record yet
  bool record_is_odd = false;    // what is written of it cannot be read, and is to be restored
  Span unready_for = {};
  base::InternedString other_claim = {};    // what else has it: "firmware of tt-fw"
  std::optional<Span> given_back_for = {};  // since a user uncordoned it under us
  base::InternedString odd_label = {};      // a state label with an unknown value
  base::CowPtr<RefusalView> refusal = {};   // what the API server refuses about it

  DriverView driver = {};
  ValidatorView validator = {};
  PreflightView preflight = {};
  base::InternedString target = {};                    // digest of what the policy wants here
  base::InternedString next_claim = {};                // the id of a claim, if one is made now
  std::map<std::string, std::string> lost_gates = {};  // paused, and no claim says so: as they would be open
  std::optional<int> device_pods = {};                 // how many pods use its devices, by the last count

  // Out of service, for whatever reason.
  bool is_unavailable() const { return is_cordoned || !is_ready || is_in_flight(phase); }
  // Counted and upgraded by the policy.
  bool is_managed() const { return is_selected && !driver.is_host_managed; }
  // Its driver's init container wants pods gone, and was not told that they cannot be.
  bool asks_for_room() const {
    return driver.asks_for && (!refused || (*refused == Scope::DevicePods && *driver.asks_for == Scope::AllPods));
  }
};

// It goes its way although upgrades are off.
inline bool goes_without_controller(const NodeView& node, const Policy& policy) {
  if (policy.is_on) return false;
  if (is_in_flight(node.phase)) return node.claim && node.claim->requested_scope;
  const bool without_controller =
      node.without_controller && !node.is_asked_for && (policy.rolling_update || !node.driver.is_outdated);
  return without_controller || node.asks_for_room();
}

struct FleetView {
  Policy policy;
  std::vector<NodeView> nodes;
  int global_headroom = 1 << 30;  // what the fleet-wide limit leaves for this policy
  bool has_unseen_takes = false;  // it took a node that the watch does not show yet: no other one is taken meanwhile
  int in_flight_elsewhere = 0;    // that the policy took and no longer has, and that have still to be given back
  bool pods_are_counted = true;   // false: which node an upgrade disturbs least is not known yet
};

}  // namespace drover::core
