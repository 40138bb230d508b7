#include "forecast/forecast.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "forecast/context.h"
#include "forecast/forecast_rollout.h"

namespace drover::forecast {
namespace {

using base::Span;

// A rollout that has not ended by then is not worth a number.
constexpr Span kHorizon = std::chrono::days(60);
// As long as the operator's own count of device pods is good for.
constexpr Span kCountEvery = std::chrono::minutes(10);

// A node that policies of several vendors have: one cordon, and one claim at most.
struct SharedNode {
  struct Side {
    core::NodeView* node;
    std::string_view kind;  // of its policy's claims
  };
  std::vector<Side> sides = {};
  bool is_cordoned = false;

  void agree() {
    const bool has_changed = std::any_of(sides.begin(), sides.end(),
                                         [&](const Side& side) { return side.node->is_cordoned != is_cordoned; });
    if (has_changed) is_cordoned = !is_cordoned;
    const auto holder = std::find_if(sides.begin(), sides.end(), [](const Side& side) { return side.node->claim; });
    for (const Side& side : sides) {
      side.node->is_cordoned = is_cordoned;
      const bool is_others = holder != sides.end() && holder->node != side.node;
      side.node->other_claim = is_others ? holder->kind : std::string_view();
    }
  }
};

class Run {
 public:
  Run(ForecastInput input, Durations durations);
  Forecast forecast();

 private:
  std::optional<Span> next_moment() const;
  std::optional<core::GlobalLimit> limit() const { return core::limit_over(input_.max_unavailable, policies_); }
  void decide();
  // One pass of the operator; false when there was nothing to do.
  bool pass();
  bool evict();
  bool some_wait() const;
  bool count_device_pods();
  void find_shared_nodes();
  void finish();

  ForecastInput input_;
  Durations durations_;
  Clock clock_;
  World world_;
  Obstacles obstacles_;
  Rows rows_;
  std::vector<std::unique_ptr<ForecastRollout>> rollouts_;
  std::vector<const core::FleetView*> policies_;
  std::vector<SharedNode> shared_;
  std::optional<Span> counted_at_ = {};
  Forecast forecast_;
};

Run::Run(ForecastInput input, Durations durations)
    : input_(std::move(input)),
      durations_(std::move(durations)),
      world_(input_, clock_, durations_.chance()),
      rows_(input_) {
  const Context context{
      .clock = clock_, .durations = durations_, .world = world_, .obstacles = obstacles_, .rows = rows_};
  for (std::size_t i = 0; i < input_.policies.size(); ++i) {
    rollouts_.push_back(std::make_unique<ForecastRollout>(input_.policies[i], i, context));
    if (input_.policies[i].is_of_policy) policies_.push_back(&rollouts_.back()->fleet());
  }
  find_shared_nodes();
}

void Run::find_shared_nodes() {
  std::map<std::string_view, SharedNode> nodes;
  for (PolicyFleet& policy : input_.policies) {
    for (core::NodeView& node : policy.fleet.nodes) {
      nodes[node.name].sides.push_back({&node, policy.kind});
      nodes[node.name].is_cordoned = node.is_cordoned;
    }
  }
  for (auto& [name, node] : nodes) {
    if (node.sides.size() > 1) shared_.push_back(std::move(node));
  }
}

Forecast Run::forecast() {
  obstacles_.add_known(input_);
  forecast_.limit = limit();
  forecast_.sources = input_.sources;
  while (clock_.now() < kHorizon) {
    if (clock_.run_due()) world_.place_waiting();
    for (const auto& rollout : rollouts_) rollout->observe();
    if (pass()) continue;
    const auto next = next_moment();
    if (!next) break;
    clock_.advance_to(*next);
  }
  finish();
  return std::move(forecast_);
}

std::optional<Span> Run::next_moment() const {
  std::optional<Span> next = clock_.next_at();
  const auto sooner = [&](Span at) { next = std::min(next.value_or(at), at); };
  for (const auto& rollout : rollouts_) {
    if (const auto again = rollout->look_again_in()) sooner(clock_.now() + std::max(*again, Span(1)));
  }
  // Asking again helps only when something has changed since the last time.
  if (const auto again = world_.ask_again_at()) sooner(*again);
  // Counting again helps only where other nodes may still be taken.
  if (next && counted_at_ && some_wait()) sooner(std::max(clock_.now(), *counted_at_ + kCountEvery));
  return next;
}

void Run::decide() {
  std::vector<core::Rollout> rollouts;
  for (const auto& rollout : rollouts_) rollouts.push_back(rollout->to_decide());
  std::vector<core::Plan> plans = core::decide(rollouts, input_.max_unavailable);
  for (std::size_t i = 0; i < rollouts_.size(); ++i) rollouts_[i]->set_plan(std::move(plans[i]));
}

// All policies are decided together, and what was written is seen in the next pass.
bool Run::pass() {
  bool any = false;
  decide();
  for (const auto& rollout : rollouts_) {
    any = rollout->apply() || any;
    for (SharedNode& node : shared_) node.agree();
  }
  any = evict() || any;
  any = count_device_pods() || any;
  if (any) world_.place_waiting();
  return any;
}

// A budget's last disruption goes to the request that arrives first; the pod that goes first is made again first, and
// finds room.
bool Run::evict() {
  std::vector<std::pair<ForecastRollout*, ForecastRollout::Eviction>> all;
  for (const auto& rollout : rollouts_) {
    for (const ForecastRollout::Eviction& eviction : rollout->evictions()) all.emplace_back(rollout.get(), eviction);
  }
  bool any = false;
  for (const std::size_t next : durations_.order(all.size())) {
    const auto& [rollout, eviction] = all[next];
    any = rollout->evict(eviction) || any;
  }
  return any;
}

bool Run::some_wait() const {
  return std::any_of(rollouts_.begin(), rollouts_.end(), [](const auto& rollout) { return rollout->some_wait(); });
}

// As the operator does: when nodes wait, and from the next pass on.
bool Run::count_device_pods() {
  if (!some_wait() || (counted_at_ && clock_.now() - *counted_at_ < kCountEvery)) return false;
  counted_at_ = clock_.now();
  for (const auto& rollout : rollouts_) rollout->count_device_pods();
  return true;
}

void Run::finish() {
  for (const auto& rollout : rollouts_) rollout->finish(forecast_);
  const auto limit = this->limit();
  const bool some_are_in_flight = std::any_of(rollouts_.begin(), rollouts_.end(),
                                              [](const auto& rollout) { return rollout->plan().slots.in_flight > 0; });
  if (limit && limit->headroom() <= 0 && some_wait() && !some_are_in_flight) obstacles_.add_limit_over_all(*limit);
  forecast_.rows = rows_.in_order();
  // Nodes that are in no policy's fleet because several select them.
  for (const Dispute& dispute : input_.disputes) {
    if (!dispute.has_no_owner) continue;
    forecast_.gets_through = false;
    forecast_.rows.push_back({.node = dispute.node, .end = Row::End::Waits, .reason = dispute.policies + " select it"});
  }
  forecast_.takes = forecast_.takes_at_least = forecast_.takes_at_most = clock_.last_move_at();
  forecast_.obstacles = obstacles_.take();
}

}  // namespace

bool Forecast::forces() const {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) {
    return std::any_of(row.removed.begin(), row.removed.end(),
                       [](const Removed& one) { return one.is_forced || one.is_forced_or_not; });
  });
}

Forecast forecast(ForecastInput input, Durations durations) {
  return Run(std::move(input), std::move(durations)).forecast();
}

}  // namespace drover::forecast
