// Questions and small edits that several controllers share: conditions, owners, pods, templates, amounts.
//
// Pure functions on API objects; no store, no server, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "kube/object.h"
#include "kube/resource.h"

namespace drover::sim {

// -- conditions -------------------------------------------------------------------------------------------------------

// The entry of status.conditions with this type, or nullptr.
const json::Value* find_condition(const kube::Object& object, std::string_view type);
// "True", "False", "Unknown", or "" when there is none.
std::string_view condition_status(const kube::Object& object, std::string_view type);

struct Condition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
};
// Puts the condition into status.conditions; lastTransitionTime moves only when the status does. True when something
// changed. `heartbeat` names the field that shows the last look ("lastUpdateTime", "lastProbeTime"), if this kind has
// one.
bool set_condition(kube::Object& object, const Condition& condition, const std::string& now,
                   std::string_view heartbeat = {});
bool remove_condition(kube::Object& object, std::string_view type);

// -- owners -----------------------------------------------------------------------------------------------------------

// The uid of the owner with controller=true, or "".
std::string_view controller_uid(const kube::Object& object);
// The name of the controlling owner when it is of this kind, or "".
std::string_view controller_name(const kube::Object& object, std::string_view kind);
// An ownerReference with controller and blockOwnerDeletion.
json::Value controller_reference(const kube::Resource& resource, const kube::Object& owner);
std::string key_in(std::string_view ns, std::string_view name);

// -- pods -------------------------------------------------------------------------------------------------------------

inline std::string_view phase_of(const kube::Object& pod) { return json::text_at(pod, {"status", "phase"}); }
inline std::string_view node_of(const kube::Object& pod) { return json::text_at(pod, {"spec", "nodeName"}); }
bool pod_is_ready(const kube::Object& pod);
// Succeeded or Failed: its containers are gone for good.
bool pod_is_terminal(const kube::Object& pod);
// Not terminal and not being deleted: what ReplicaSets and Jobs count.
bool pod_is_active(const kube::Object& pod);
// When its Ready condition last turned, if it is ready.
std::optional<base::WallTime> ready_since(const kube::Object& pod);
// How long until the pod has been ready for `min_ready`: zero when it is available, nothing when it is not ready.
std::optional<base::Span> available_in(const kube::Object& pod, base::Span min_ready, base::WallTime now);

// -- templates --------------------------------------------------------------------------------------------------------

// A pod to create for `owner`: labels, annotations, finalizers and spec of the template, generateName, controller
// reference.
kube::Object pod_from_template(const kube::Resource& resource, const kube::Object& owner,
                               const json::Value& pod_template);
// Keys in order at every depth: equal values have equal text.
std::string canonical_text(const json::Value& value);
// What pod-template-hash and controller-revision-hash hold: depends on the value and the number of collisions so far.
std::string template_hash(const json::Value& pod_template, std::int64_t collisions);

// -- amounts ----------------------------------------------------------------------------------------------------------

// The store may hold values that admission would refuse: code that counts or sizes reads them by these functions.

// A count, clamped to 0..INT32_MAX; `fallback` when the value is not a number.
std::int64_t count_at(const json::Value& value, json::Path path, std::int64_t fallback = 0);
// As many seconds, from none to a lifetime.
base::Span seconds_at(const json::Value& value, json::Path path, std::int64_t fallback = 0);
// A count or a percentage of `total`, within the bounds of `count_at`; nothing when it is neither.
std::optional<std::int64_t> scaled(const json::Value* int_or_percent, std::int64_t total, bool round_up);

// -- copies and times
// ---------------------------------------------------------------------------------------------------

// A copy to change, in memory of its own: it shares nothing with the store.
kube::Object copy_to_change(const kube::Object& stored);
// The object under a path, to change; what is in its way is replaced.
json::Members& members_in(json::Value& value, json::Path path);
// A wall time out of an object, or nothing when absent or garbled; none before 1970 or after 2200.
std::optional<base::WallTime> time_at(const json::Value& value, json::Path path);

}  // namespace drover::sim
