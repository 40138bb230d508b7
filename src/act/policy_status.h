// What a policy says of itself: state, conditions, counts and the nodes that are not done, so that `kubectl get`,
// `kubectl wait` and `kubectl describe` tell the same as drover does. Pure; bounded, whatever the size of the fleet.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "act/conditions.h"
#include "base/json.h"
#include "base/time.h"
#include "core/decide.h"
#include "core/view.h"
#include "vendors/work_profile.h"

namespace drover::act {

inline constexpr std::size_t kMostNodesListed = 100;

// How many nodes stand where.
struct Summary {
  int total = 0;
  int pending = 0;    // to be upgraded and not begun
  int available = 0;  // of those, the ones whose turn it is
  int in_flight = 0;
  int done = 0;
  int failed = 0;
  int unavailable = 0;
  int serving = 0;                           // the wanted driver, now
  std::map<std::string, int> states = {};    // by the vendor's word
  std::map<core::Reason, int> reasons = {};  // why they stand where they stand
};

Summary summary_of(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile);

// A pod that was deleted because a documented time was over.
struct ForcedDeletion {
  std::string pod;  // "ml/train-7"
  std::string node = {};
  std::string budget = {};  // that refused its eviction; "" for none
  std::string at = {};      // RFC 3339
};
inline constexpr std::size_t kMostForcedListed = 20;

// Which operator carries the policies out, for `drover status`.
struct OperatorName {
  std::string instance = {};
  std::string version = {};
  std::string since = {};  // RFC 3339: when it began to lead
  std::string lease = {};  // "drover-system/drover"; empty: it works without one
};

// What a status is made of besides fleet and plan.
struct StatusFacts {
  const json::Value* policy = nullptr;  // the object, for its generation and its conditions' times
  ConditionFacts about = {};
  std::string ns = {};
  OperatorName operator_name = {};
  std::vector<ForcedDeletion> forced = {};  // by this process, the newest last
  std::vector<std::string> since = {};  // by index of the node: since when it stands where it stands; RFC 3339 or ""
};

// The whole status; `now` stamps what changed.
json::Value policy_status(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                          const StatusFacts& facts, base::WallTime now);
// Of a policy that does not count.
json::Value ignored_status(const json::Value& policy, const std::string& because, base::WallTime now);

// The merge patch that makes `after` of `before`; nothing when they are the same.
std::optional<json::Value> merge_between(const json::Value& before, const json::Value& after);
// The same but for the times of changes: where the server does not keep what changed, they alone would differ for ever.
bool is_same_but_for_times(const json::Value& before, const json::Value& after);

// The rollout that a status speaks of; 0 nodes when none is under way.
int nodes_at_start(const json::Value& policy);

}  // namespace drover::act
