// One policy's nodes in a forecast: how the operator sees them, what it does to them, and what comes of it.
//
// What is decided is core's; here is only what the API server and the machines would make of it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/decide.h"
#include "core/drain.h"
#include "forecast/context.h"
#include "forecast/drivers.h"
#include "forecast/forecast.h"

namespace drover::forecast {

class ForecastRollout {
 public:
  // Of the policy with this index; it and what the context names must outlive this.
  ForecastRollout(PolicyFleet& policy, std::size_t index, Context context);

  const core::FleetView& fleet() const { return fleet_; }
  // The views as the operator would see them now, and what goes on by itself since.
  void observe();
  // Nodes wait for a slot.
  bool some_wait() const;
  void count_device_pods();

  // Decided together with all others.
  core::Rollout to_decide() {
    return {.kind = policy_.kind, .flow = policy_.flow, .fleet = &fleet_, .is_of_policy = policy_.is_of_policy};
  }
  void set_plan(core::Plan plan) { plan_ = std::move(plan); }
  const core::Plan& plan() const { return plan_; }
  // When time alone changes what is decided.
  std::optional<base::Span> look_again_in() const;
  // Does what was decided, but for evictions; false when there was nothing to do.
  bool apply();
  // Pods to be evicted; until the next `observe`.
  struct Eviction {
    std::size_t node;
    const core::PodView* pod;
  };
  const std::vector<Eviction>& evictions() const { return evictions_; }
  // False when it is refused, or not asked now.
  bool evict(const Eviction& eviction);

  // How each node has ended.
  void finish(Forecast& forecast);

 private:
  // Of a node, beside its view.
  struct Since {
    base::Span phase = {};  // since when it is there; may lie before the beginning
    base::Span unready_before = {};
    std::optional<base::Span> given_back_before = {};
    bool had_no_driver = false;
  };

  Row& row_of(std::size_t node) { return context_.rows.of(first_row_ + node); }
  bool time_counts(const core::NodeView& node) const;
  void change(std::size_t index, const core::Change& change);
  void note_steps(std::size_t index, const core::Change& change);
  bool work(std::size_t index, core::Action action);
  bool delete_pods(std::size_t index, const core::Clearing& clearing);
  void note_removal(std::size_t index, const core::PodView& pod, bool is_forced);
  void add_pods_in_the_way(std::size_t index, core::Phase phase);
  void add_obstacles(std::size_t index);
  core::Clearing clearing(const core::NodeView& node, core::Action action) const;
  core::Clearing in_the_way(const core::NodeView& node, core::Phase phase) const;
  Row::End end_of(const core::NodeView& node) const;

  PolicyFleet& policy_;
  core::FleetView& fleet_;
  std::size_t index_;
  std::size_t first_row_;
  Context context_;
  Drivers drivers_;
  std::vector<Since> since_;
  core::Plan plan_;
  std::vector<Eviction> evictions_;
};

}  // namespace drover::forecast
