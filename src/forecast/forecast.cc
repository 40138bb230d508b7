#include "forecast/forecast.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "forecast/clock.h"
#include "forecast/forecast_rollout.h"
#include "forecast/world.h"

namespace drover::forecast {
namespace {

using base::Span;

// A rollout that has not ended by then is not worth a number.
constexpr Span kHorizon = std::chrono::days(60);
// As long as the operator's own count of device pods is good for.
constexpr Span kCensusEvery = std::chrono::minutes(10);

class Rollout {
 public:
  Rollout(ForecastInput input, const core::Flow& flow, Durations durations);
  Forecast run();

 private:
  std::optional<Span> next_moment() const;
  std::optional<core::GlobalLimit> limit() const;
  void decide();
  // Every policy once, in the operator's order; false when nothing was done.
  bool walk();
  bool evict_in_turns();
  bool some_wait() const;
  bool count_device_pods();
  void finish();
  void tell_disputed();

  ForecastInput input_;
  Durations durations_;
  Clock clock_;
  World world_;
  Obstacles obstacles_;
  Rows rows_;
  std::vector<std::unique_ptr<ForecastRollout>> policy_states_;
  std::vector<const core::FleetView*> policies_;  // of them
  std::optional<Span> counted_at_ = {};
  Forecast forecast_;
};

Rollout::Rollout(ForecastInput input, const core::Flow& flow, Durations durations)
    : input_(std::move(input)),
      durations_(std::move(durations)),
      world_(input_, clock_, durations_.chance()),
      rows_(input_) {
  const Scene scene{.clock = clock_, .durations = durations_, .world = world_, .obstacles = obstacles_, .rows = rows_};
  for (std::size_t i = 0; i < input_.policies.size(); ++i) {
    policy_states_.push_back(std::make_unique<ForecastRollout>(input_.policies[i], i, flow, scene));
    policies_.push_back(&policy_states_.back()->fleet());
  }
}

Forecast Rollout::run() {
  obstacles_.tell_what_is_known(input_);
  forecast_.limit = limit();
  while (clock_.now() < kHorizon) {
    if (clock_.happen()) world_.place_waiting();
    for (const auto& flock : policy_states_) flock->look();
    if (!input_.competing_operator.empty()) {
      decide();
      break;
    }
    if (walk()) continue;
    const auto next = next_moment();
    if (!next) break;
    clock_.turn_to(*next);
  }
  finish();
  return std::move(forecast_);
}

std::optional<Span> Rollout::next_moment() const {
  std::optional<Span> next = clock_.next_at();
  const auto sooner = [&](Span at) { next = std::min(next.value_or(at), at); };
  for (const auto& flock : policy_states_) {
    if (const auto again = flock->plan().look_again_in) sooner(clock_.now() + std::max(*again, Span(1)));
  }
  // Asking again helps only when something has happened since the last time.
  if (const auto again = world_.ask_again_at()) sooner(*again);
  // Counting again helps only where somebody else's turn may still come.
  if (next && counted_at_ && some_wait()) sooner(std::max(clock_.now(), *counted_at_ + kCensusEvery));
  return next;
}

std::optional<core::GlobalLimit> Rollout::limit() const { return core::limit_over(input_.max_unavailable, policies_); }

void Rollout::decide() {
  std::vector<core::Rollout> rollouts;
  for (const auto& flock : policy_states_) rollouts.push_back(flock->to_decide());
  std::vector<core::Plan> plans = core::decide(rollouts, input_.max_unavailable);
  for (std::size_t i = 0; i < policy_states_.size(); ++i) policy_states_[i]->decided(std::move(plans[i]));
}

// As in the operator's pass: all policies are decided together, and what was written is seen in the next pass.
bool Rollout::walk() {
  bool something = false;
  decide();
  for (const auto& flock : policy_states_) something = flock->apply() || something;
  something = evict_in_turns() || something;
  something = count_device_pods() || something;
  if (something) world_.place_waiting();
  return something;
}

// A budget's last room goes to whoever is heard first; whoever goes first is made again first, and finds room.
bool Rollout::evict_in_turns() {
  std::vector<std::pair<ForecastRollout*, ForecastRollout::Asked>> all;
  for (const auto& flock : policy_states_) {
    for (const ForecastRollout::Asked& asked : flock->asked()) all.emplace_back(flock.get(), asked);
  }
  bool something = false;
  for (const std::size_t turn : durations_.turns(all.size())) {
    const auto& [flock, asked] = all[turn];
    something = flock->ask_to_go(asked) || something;
  }
  return something;
}

bool Rollout::some_wait() const {
  return std::any_of(policy_states_.begin(), policy_states_.end(),
                     [](const auto& flock) { return flock->some_wait(); });
}

// As the operator does: when somebody waits, and from the next look on.
bool Rollout::count_device_pods() {
  if (!some_wait() || (counted_at_ && clock_.now() - *counted_at_ < kCensusEvery)) return false;
  counted_at_ = clock_.now();
  for (const auto& flock : policy_states_) flock->count_device_pods();
  return true;
}

// ---- what comes of it

void Rollout::finish() {
  for (const auto& flock : policy_states_) flock->finish(forecast_);
  const auto limit = this->limit();
  const bool is_anybody_in_flight = std::any_of(policy_states_.begin(), policy_states_.end(),
                                                [](const auto& flock) { return flock->plan().slots.in_flight > 0; });
  if (limit && limit->headroom() <= 0 && some_wait() && !is_anybody_in_flight) {
    obstacles_.tell_limit_over_all(*limit);
  }
  forecast_.rows = rows_.told();
  tell_disputed();
  forecast_.takes = forecast_.takes_at_least = forecast_.takes_at_most = clock_.last_move_at();
  forecast_.obstacles = obstacles_.take();
}

// Those that nobody looks after stand in no plot.
void Rollout::tell_disputed() {
  for (const Dispute& dispute : input_.disputes) {
    if (!dispute.has_no_owner) continue;
    forecast_.gets_through = false;
    forecast_.rows.push_back({.node = dispute.node, .end = Row::End::Waits, .reason = dispute.rivals + " select it"});
  }
}

}  // namespace

Forecast forecast(ForecastInput input, const core::Flow& flow, Durations durations) {
  return Rollout(std::move(input), flow, std::move(durations)).run();
}

}  // namespace drover::forecast
