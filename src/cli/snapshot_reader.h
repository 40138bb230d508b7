// Everything that a forecast needs of a live cluster, by lists alone: the fleet as `drover status` sees it, with the
// policies that somebody thinks of in the place of those that are there, and the pods, nodes and budgets around it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/loop.h"
#include "cli/fleet_snapshot.h"
#include "cli/list_batch.h"
#include "cli/proposed_policy.h"
#include "forecast/input.h"
#include "kube/api.h"
#include "vendors/work_profile.h"

namespace drover::cli {

class SnapshotReader {
 public:
  // `policies` take the place of those of the same names; `max_unavailable` is what the operator was told of all
  // policies together.
  SnapshotReader(kube::Api& api, base::Loop& loop, const vendors::WorkProfile& profile,
                 std::vector<ProposedPolicy> policies, std::optional<core::Share> max_unavailable = {});
  SnapshotReader(const SnapshotReader&) = delete;
  SnapshotReader& operator=(const SnapshotReader&) = delete;

  // `done` is called once, with the first thing that went wrong. The rest may be asked afterwards.
  void begin(std::function<void(base::Result<void>)> done);

  bool has_policy() const { return snapshot_.policies() > 0; }
  // What cannot be read, or would be ignored, of the policies that are asked about, one line each; the ground means
  // nothing then. Where some are supposed, these are asked about, else all.
  std::vector<std::string> troubles();
  // Fields that nobody reads, and policies beside them that do not count or cannot be read.
  std::vector<std::string> notes();
  forecast::ForecastInput input() const { return input_; }

 private:
  std::string name_of(const observe::PolicyRef& policy) const;
  bool is_asked_about(const observe::PolicyRef& policy) const;
  // Of each policy that counts, turned to.
  void each_policy(const std::function<void(const observe::PolicyRef&, const vendors::Desired&)>& visit);
  void stake_out();
  void know_disputes();
  void list_surroundings();
  void list_pods();
  void take_node(const kube::Object& node);
  void take_pod(const kube::Object& pod);
  void learn_past(const kube::Object& pod, const observe::PodFacts& facts);
  void know_missing_images();
  void find_pace();

  // What an operand pod says of its own past, by node.
  struct Past {
    std::optional<base::WallTime> driver_ready_at = {};
    std::optional<base::Span> driver = {};
    std::optional<base::Span> pull = {};
    std::optional<base::WallTime> validator_made_at = {};
    std::optional<base::WallTime> validator_ready_at = {};
  };

  ProposedApi api_;
  const vendors::WorkProfile& profile_;
  ListBatch lists_;
  FleetSnapshot snapshot_;
  std::vector<const vendors::PolicyReading*> readings_;  // by plot
  std::set<std::string> managed_;                        // nodes in plots
  std::map<std::string, Past> pasts_;
  std::map<std::string, std::string> reports_;  // by node: what its agent says
  forecast::ForecastInput input_;
};

}  // namespace drover::cli
