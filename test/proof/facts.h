// What the checker knows of API objects, read from their JSON alone: it must be able to contradict the engine, so
// nothing of the engine's own reading is used here, and the words of the contract are written down once more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "vendor.h"

namespace drover::proof {

inline constexpr std::string_view kRecord = "drover.dev/record";
inline constexpr std::string_view kHold = "drover.dev/hold";
inline constexpr std::string_view kTaint = "drover.dev/driver-swap";
inline constexpr std::string_view kScaleDown = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
inline constexpr std::string_view kDigest = "drover.dev/driver-digest";

// The record's words.
bool is_in_flight_phase(std::string_view phase);

// The claim in a node's record.
struct ClaimFacts {
  std::string id;
  std::string kind;
  std::string node;
  std::string policy;
  std::string phase;
  std::string target;
  std::string pod = {};  // uid of the driver's that served when the node was taken
  bool cordon_is_ours = false;
  bool autoscaler_told = false;
  base::WallTime since = {};
  bool serves = false;  // an agent that asked, with upgrades off
};

struct NodeMarks {
  const Vendor* vendor = nullptr;
  std::string name;
  std::string uid;
  std::string state = {};  // the vendor's word
  bool is_cordoned = false;
  bool is_ready = false;
  bool is_tainted = false;
  bool is_held = false;
  bool is_closed = false;  // by a taint of others: no new driver pod would be made there
  bool is_skipped = false;
  bool cannot_unload = false;       // its agent says so of the kernel
  bool was_found_cordoned = false;  // the vendor's own operator's note
  bool has_cordon_note = false;     // whose upgrade has cordoned it
  bool has_device = false;          // of the vendor
  bool is_selected = false;
  bool has_paused_gates = false;
  bool has_order = false;  // for its agent, beyond what a node that waits may prepare
  bool record_is_there = false;
  bool record_is_good = false;
  std::optional<ClaimFacts> claim = {};  // of this very machine
  std::string result = {};               // of the last try: "done", "failed"
  std::string code = {};                 // and why, "DrainTimeout"
  bool has_last = false;                 // the record speaks of our kind
  std::string next = {};                 // "asked", "outdated", "alone"
  std::string request = {};              // what the agent on it asks for: "evict", "drain", "load"
  std::string prepared = {};             // the version that it could load at once
  std::string loaded = {};               // the version that it says is
  bool agent_has_paused = false;         // the gates, and puts them back itself

  bool claim_is_ours() const { return claim && claim->kind == vendor->kind; }
  bool asks_for_room() const { return request == "evict" || request == "drain"; }
  // By the record; by the label where there is none.
  bool is_in_flight() const;
  bool is_down() const { return is_cordoned || !is_ready || is_in_flight(); }
  // What the marks alone say of whose cordon it is.
  bool marks_say_the_cordon_is_the_machines() const;
  bool is_failed() const;
};

NodeMarks marks_of(const Vendor& vendor, const kube::Object& node);
// What the agent on a node asks for; "" for nothing.
std::string wish_on(const Vendor& vendor, const kube::Object& node);

bool uses_device(const Vendor& vendor, const kube::Object& pod);
bool is_finished(const kube::Object& pod);
bool is_ready(const kube::Object& object);
bool was_evicted(const kube::Object& pod);
bool has_local_data(const kube::Object& pod);
bool is_mirror(const kube::Object& pod);
// Which part a pod of ours plays, "" for all others.
std::string_view our_role(const Vendor& vendor, const kube::Object& pod);
// Without its generated suffix: "ml/train".
std::string family_of(const Vendor& vendor, const kube::Object& pod);

}  // namespace drover::proof
