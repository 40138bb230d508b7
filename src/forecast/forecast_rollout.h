// One policy's nodes in a forecast: how the operator sees them, what it does to them, and what comes of it.
//
// What is decided is core's; here is only what the API server, kubelets, drivers and validators would answer.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/decide.h"
#include "core/drain.h"
#include "forecast/clock.h"
#include "forecast/durations.h"
#include "forecast/forecast.h"
#include "forecast/world.h"

namespace drover::forecast {

// What all policies share in one run.
struct Scene {
  Clock& clock;
  Durations& durations;
  World& world;
  Obstacles& obstacles;
  Rows& rows;
};

class ForecastRollout {
 public:
  // The plot with this index; it and what the scene names must outlive this.
  ForecastRollout(PolicyFleet& policy_fleet, std::size_t index, const core::Flow& flow, Scene scene);

  const core::FleetView& fleet() const { return fleet_; }
  // The views as the operator would see them now, and what goes on by itself since.
  void look();
  bool some_wait() const;
  void count_device_pods();

  // Decided together with all others.
  core::Rollout to_decide() { return {.flow = &flow_, .fleet = &fleet_}; }
  void decided(core::Plan plan) { plan_ = std::move(plan); }
  const core::Plan& plan() const { return plan_; }
  // What was decided, but for pods that are to go; false when there was nothing to do.
  bool apply();
  // Pods that are to go; until the next `look`.
  struct Asked {
    std::size_t node;
    const core::PodView* pod;
  };
  const std::vector<Asked>& asked() const { return asked_; }
  // False when it does not go, or is not asked now.
  bool ask_to_go(const Asked& asked);

  // How each node has ended.
  void finish(Forecast& forecast);

 private:
  // How a node stands in the forecast, beside its view.
  struct Course {
    base::Span since = {};  // in its phase; may lie before the beginning
    bool driver_is_coming = false;
    bool is_validating = false;
    std::optional<base::Span> proving_since = {};
    base::Span unready_before = {};
    std::optional<base::Span> given_back_before = {};
  };

  Row& row_of(std::size_t node) { return scene_.rows.of(first_row_ + node); }
  void tend(std::size_t index);
  void prove(std::size_t index, base::Span since);
  void driver_comes(std::size_t index, base::Span in);
  void change(std::size_t index, const core::Change& change);
  void note_steps(std::size_t index, const core::Change& change);
  bool work(std::size_t index, core::Action action);
  bool delete_at_once(std::size_t index, const core::Clearing& clearing);
  void remember_removal(std::size_t index, const core::PodView& pod, bool is_forced);
  void tell_pods_in_the_way(std::size_t index, core::Phase phase);
  core::Clearing clearing(const core::NodeView& node, core::Phase phase) const;
  Row::End end_of(const core::NodeView& node) const;

  const std::vector<NodeDetails>& details_;
  core::FleetView& fleet_;
  std::size_t index_;
  std::size_t first_row_;
  const core::Flow& flow_;
  Scene scene_;
  std::vector<Course> courses_;
  core::Plan plan_;
  std::vector<Asked> asked_;
};

}  // namespace drover::forecast
