// The policies of all vendors and their nodes, from the API alone: what `drover status` and `drover explain` show, and
// what a plan begins with.
//
// The objects are listed once and decided on by the operator's own function, over all policies under the limit over
// all of them. A vendor whose policies the server does not know has none.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/loop.h"
#include "cli/list_batch.h"
#include "cli/vendor_snapshot.h"
#include "core/policy.h"
#include "kube/api.h"
#include "vendors/work_profile.h"

namespace drover::cli {

class FleetSnapshot {
 public:
  // `max_unavailable` is what the operator was told of all policies together.
  FleetSnapshot(kube::Api& api, base::Loop& loop, vendors::WorkProfiles profiles,
                std::optional<core::Share> max_unavailable = {});

  // `done` is called once, with the first thing that went wrong. The rest may be asked afterwards.
  void begin(std::function<void(base::Result<void>)> done);

  // Those that have policies, in the operator's order.
  const std::vector<std::unique_ptr<VendorSnapshot>>& vendors() const { return vendors_; }
  // The policies that count.
  std::vector<const PolicySnapshot*> policies() const;

 private:
  void list_sources();
  void list_pods();
  void decide(const PodsNeeded& listed);

  ListBatch lists_;
  base::Loop& loop_;
  std::optional<core::Share> max_unavailable_;
  ClusterSnapshot cluster_;
  std::vector<std::unique_ptr<VendorSnapshot>> vendors_;
};

}  // namespace drover::cli
