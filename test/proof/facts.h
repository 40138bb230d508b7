// What the checker knows of API objects, read from their JSON alone: it must be able to contradict the engine, so
// nothing of the engine's own reading is used here, and the words of the contract are written down once more.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"

namespace drover::proof {

inline constexpr std::string_view kState = "nvidia.com/gpu-driver-upgrade-state";
inline constexpr std::string_view kSkip = "nvidia.com/gpu-driver-upgrade.skip";
inline constexpr std::string_view kRequest = "nvidia.com/gpu-driver-upgrade-requested";
inline constexpr std::string_view kFoundCordoned = "nvidia.com/gpu-driver-upgrade.node-initial-state.unschedulable";
inline constexpr std::string_view kRecord = "drover.dev/record";
inline constexpr std::string_view kHold = "drover.dev/hold";
inline constexpr std::string_view kReport = "drover.dev/report";
inline constexpr std::string_view kTaint = "drover.dev/driver-swap";
inline constexpr std::string_view kScaleDown = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
inline constexpr std::string_view kDigest = "drover.dev/driver-digest";
inline constexpr std::string_view kKind = "nvidia/driver";
inline constexpr std::string_view kPaused = "paused-for-driver-upgrade";
inline constexpr std::string_view kOurNamespace = "gpu-operator";

inline constexpr std::string_view kDriverApp = "nvidia-driver-daemonset";
inline constexpr std::string_view kValidatorApp = "nvidia-operator-validator";
inline constexpr std::string_view kPreflightApp = "nvidia-driver-preflight";

// Every state of the label, in the order of the document.
const std::vector<std::string>& all_states();
bool is_in_flight_state(std::string_view state);

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
  std::string name;
  std::string uid;
  std::string state;
  bool is_cordoned = false;
  bool is_ready = false;
  bool is_tainted = false;
  bool is_held = false;
  bool is_skipped = false;
  bool cannot_unload = false;       // its agent says so of the kernel
  bool was_found_cordoned = false;  // the vendor's own operator's note
  bool is_selected = false;
  bool has_paused_gates = false;
  bool record_is_there = false;
  bool record_is_good = false;
  std::optional<ClaimFacts> claim = {};  // of this very machine
  std::string result = {};               // of the last try: "done", "failed"
  bool has_last = false;                 // the record speaks of our kind
  std::string next = {};                 // "asked", "outdated", "alone"
  std::string wish = {};                 // what the agent on it asks for: "evict", "drain", "load"
  bool agent_has_paused = false;         // the gates, and puts them back itself

  bool claim_is_ours() const { return claim && claim->kind == kKind; }
  bool asks_for_room() const { return wish == "evict" || wish == "drain"; }
  // By the record; by the label where there is none.
  bool is_in_flight() const;
  bool is_down() const { return is_cordoned || !is_ready || is_in_flight(); }
  // What the marks alone say of whose cordon it is.
  bool marks_say_the_cordon_is_the_machines() const;
  bool is_failed() const;
};

NodeMarks marks_of(const kube::Object& node);
// What the agent on a node asks for; "" for nothing.
std::string wish_on(const kube::Object& node);

struct RemovalTerms {
  bool force = false;
  bool local_data = false;
  std::int64_t seconds = 300;  // 0: no limit
};

// What a ClusterPolicy asks for.
struct Terms {
  bool is_there = false;
  std::string uid;
  std::string version;
  bool is_on = false;
  std::int64_t at_once = 1;  // 0: no limit
  std::int64_t away = 25;
  bool away_is_percent = true;
  bool waits = false;
  RemovalTerms device_pods = {};
  bool drains = false;
  RemovalTerms drain = {};
  bool rolls = false;  // off, and drivers change without the controller; the six variables are in the terms then

  std::int64_t may_be_away(std::int64_t nodes) const;
};

Terms terms_of(const kube::Object& policy);

bool uses_gpu(const kube::Object& pod);
bool is_finished(const kube::Object& pod);
bool is_ready(const kube::Object& object);
bool was_evicted(const kube::Object& pod);
bool has_local_data(const kube::Object& pod);
bool is_mirror(const kube::Object& pod);
// "app" of a pod of ours, "" for everybody else's.
std::string_view our_role(const kube::Object& pod);
// Without its generated suffix: "ml/train".
std::string family_of(const kube::Object& pod);

}  // namespace drover::proof
