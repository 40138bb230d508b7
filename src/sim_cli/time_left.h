// How long the demo's rollout still takes: as `drover plan` would say now, asked again every half minute.
#pragma once

#include <optional>

#include "base/time.h"
#include "kube/api.h"
#include "sim/world.h"
#include "vendors/work_profile.h"

namespace drover::sim_cli {

class TimeLeft {
 public:
  TimeLeft(kube::Api& api, sim::World& world, const vendors::WorkProfile& profile)
      : api_(api), world_(world), profile_(profile) {}

  // Nothing when the rollout would get stuck.
  std::optional<base::Span> look();

 private:
  void foresee();

  kube::Api& api_;
  sim::World& world_;
  const vendors::WorkProfile& profile_;
  base::Instant foresee_at_ = {};
  std::optional<base::Instant> ends_at_ = {};
};

}  // namespace drover::sim_cli
