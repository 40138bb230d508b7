// Everything that a forecast needs of a live cluster, by lists alone: the fleet as `drover status` sees it, with the
// policies that a user means to apply in the place of those that are there, and the pods, nodes and budgets around it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/loop.h"
#include "cli/fleet_snapshot.h"
#include "cli/list_batch.h"
#include "cli/past_durations.h"
#include "cli/proposed_policy.h"
#include "forecast/input.h"
#include "kube/api.h"
#include "vendors/work_profile.h"

namespace drover::cli {

class SnapshotReader {
 public:
  // `policies` take the place of those of the same names; `max_unavailable` is what the operator was told of all
  // policies together.
  SnapshotReader(kube::Api& api, base::Loop& loop, vendors::WorkProfiles profiles, std::vector<ProposedPolicy> policies,
                 std::optional<core::Share> max_unavailable = {});
  SnapshotReader(const SnapshotReader&) = delete;
  SnapshotReader& operator=(const SnapshotReader&) = delete;

  // `done` is called once, with the first thing that went wrong. The rest may be asked afterwards.
  void begin(std::function<void(base::Result<void>)> done);

  bool has_policy() const { return !snapshot_.policies().empty(); }
  // The objects, with their status.
  std::vector<const kube::Object*> policies() const;
  // What cannot be read, or would be ignored, of the policies that are asked about, one line each; the input means
  // nothing then. Where some are proposed, these are asked about, else all.
  std::vector<std::string> troubles() const;
  // Fields that drover does not read, and other policies that do not count or cannot be read.
  std::vector<std::string> notes() const;
  forecast::ForecastInput input() const { return input_; }

 private:
  // One of input_.policies.
  struct Source {
    const VendorSnapshot& vendor;
    const PolicySnapshot& policy;
    const vendors::PolicyReading& reading;
  };
  struct DaemonSet {
    std::optional<base::WallTime> made_at = {};
    json::Value placement = {};
  };

  bool is_proposed(const VendorSnapshot& vendor, const observe::PolicyRef& policy) const {
    return api_.has(vendor.profile(), policy.kind, policy.key);
  }
  bool is_asked_about(const PolicySnapshot& policy) const;
  void make_policy_fleets();
  void find_disputes();
  void list_surroundings();
  void list_pods();
  void take_node(const kube::Object& node);
  void take_pod(const kube::Object& pod);
  void take_views(const kube::Object& object, forecast::PlacedPod& pod);
  void learn(const VendorSnapshot& vendor, const kube::Object& pod, const observe::PodFacts& facts);
  void find_missing_images();
  void find_durations();

  ProposedApi api_;
  ListBatch lists_;
  FleetSnapshot snapshot_;
  std::vector<Source> sources_;                   // beside input_.policies
  std::set<std::string> managed_;                 // nodes of policies
  std::map<std::string, DaemonSet> daemon_sets_;  // by owner, "DaemonSet ml/monitor"
  std::map<std::string, std::optional<base::WallTime>> nodes_made_at_;
  std::map<const vendors::WorkProfile*, PastDurations> pasts_;
  forecast::ForecastInput input_;
};

}  // namespace drover::cli
