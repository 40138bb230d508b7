#include "cli/plan_forecast.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "cli/plan_lodgings.h"
#include "core/decide.h"
#include "core/drain.h"

namespace drover::cli {
namespace {

using base::Span;
using core::NodeView;
using core::Phase;
using core::Work;
using State = core::PreflightView::State;

// A rollout that has not ended by then is not worth a number.
constexpr Span kHorizon = std::chrono::days(60);
// As long as the operator's own count of device pods is good for.
constexpr Span kCensusEvery = std::chrono::minutes(10);
// A container that need not be fetched.
constexpr Span kStart = std::chrono::seconds(1);

// How a node stands in the forecast, beside its view.
struct Course {
  Span since = {};  // in its phase; may lie before the beginning
  bool driver_is_coming = false;
  bool is_validating = false;
  std::optional<Span> proving_since = {};
  Span unready_before = {};
  std::optional<Span> given_back_before = {};
};

class Rollout {
 public:
  Rollout(Ground ground, const core::Flow& flow, Durations durations);
  Forecast run();

 private:
  // The world, from one moment to the next.
  void after(Span span, std::function<void()> then) { happenings_.emplace(now_ + span, std::move(then)); }
  std::optional<Span> next_moment(const core::Plan& plan) const;
  void happen();
  void look();
  bool somebody_waits() const;
  bool count_device_pods();
  void tend(std::size_t index);
  void prove(std::size_t index, Span since);
  void driver_comes(std::size_t index, Span in);
  // What the plan asks for; true when something was done.
  bool apply(const core::Plan& plan);
  void change(std::size_t index, const core::Change& change);
  bool work(std::size_t index, Work work);
  bool ask_to_go(std::size_t index, const core::Clearing& clearing);
  bool delete_at_once(std::size_t index, const core::Clearing& clearing);
  void remember_removal(std::size_t index, const core::PodView& pod, bool is_forced);
  void tell_pods_in_the_way(std::size_t index, Phase phase);
  void finish(const core::Plan& plan);
  core::Clearing clearing(const NodeView& node, Phase phase) const;

  Ground ground_;
  const core::Flow& flow_;
  Durations durations_;
  core::FleetView& fleet_ = ground_.fleet;
  Span now_ = {};
  Span last_change_at_ = {};
  Span last_news_at_ = {};
  std::multimap<Span, std::function<void()>> happenings_;
  Lodgings lodgings_;
  Obstacles obstacles_;
  std::vector<Course> courses_;
  std::optional<Span> counted_at_ = {};
  Rows rows_;
  Forecast forecast_;
};

Rollout::Rollout(Ground ground, const core::Flow& flow, Durations durations)
    : ground_(std::move(ground)),
      flow_(flow),
      durations_(std::move(durations)),
      lodgings_(
          ground_, now_, [this](Span span, std::function<void()> then) { after(span, std::move(then)); },
          durations_.chance()),
      rows_(ground_) {
  fleet_.pods_are_counted = false;
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    NodeView& node = fleet_.nodes[i];
    Course course{.since = -node.spent, .unready_before = node.unready_for};
    if (node.preflight.state == State::Running) course.proving_since = -node.preflight.running_for;
    course.given_back_before = node.given_back_for;
    if (!ground_.lots[i].missing.empty())
      node.preflight = {.state = State::Missing, .trouble = ground_.lots[i].missing};
    courses_.push_back(course);
  }
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    if (const auto& since = courses_[i].proving_since) prove(i, *since);
  }
}

Forecast Rollout::run() {
  obstacles_.tell_what_is_known(ground_);
  core::Plan plan;
  while (now_ < kHorizon) {
    happen();
    look();
    plan = core::decide(flow_, fleet_);
    if (!ground_.foreign_operator.empty()) break;
    if (apply(plan)) continue;
    const auto next = next_moment(plan);
    if (!next) break;
    now_ = *next;
  }
  finish(plan);
  return std::move(forecast_);
}

// ---- the world

std::optional<Span> Rollout::next_moment(const core::Plan& plan) const {
  std::optional<Span> next;
  const auto sooner = [&](Span at) { next = std::min(next.value_or(at), at); };
  if (!happenings_.empty()) sooner(happenings_.begin()->first);
  if (plan.look_again_in) sooner(now_ + std::max(*plan.look_again_in, Span(1)));
  // Asking again helps only when something has happened since the last time.
  if (const auto again = lodgings_.ask_again_at(last_news_at_)) sooner(*again);
  // Counting again helps only where somebody else's turn may still come.
  if (next && counted_at_ && somebody_waits()) sooner(std::max(now_, *counted_at_ + kCensusEvery));
  return next;
}

void Rollout::happen() {
  bool something = false;
  while (!happenings_.empty() && happenings_.begin()->first <= now_) {
    const auto happening = happenings_.extract(happenings_.begin());
    happening.mapped()();
    something = true;
  }
  if (!something) return;
  last_news_at_ = now_;
  lodgings_.place_waiting(fleet_);
}

// The views as the operator would see them now.
void Rollout::look() {
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    NodeView& node = fleet_.nodes[i];
    const Course& course = courses_[i];
    node.spent = now_ - course.since;
    node.tried = true;
    if (!node.is_ready) node.unready_for = course.unready_before + now_;
    if (course.given_back_before) node.given_back_for = *course.given_back_before + now_;
    if (course.proving_since) node.preflight.running_for = now_ - *course.proving_since;
    node.driver.is_settled = true;  // its DaemonSet follows the policy at once
    if (node.claim && (core::kBeforeSwap | Phase::Restart).has(node.phase)) {
      node.pods = lodgings_.pods_on(node.name);
      // How long a job takes nobody knows: those without a limit are not counted.
      if (!fleet_.policy.jobs.at_most) {
        for (core::PodView& pod : *node.pods) pod.is_waited_for = false;
      }
    } else {
      node.pods.reset();
    }
    tend(i);
  }
}

bool Rollout::somebody_waits() const {
  return fleet_.policy.is_on && std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(),
                                            [](const NodeView& node) { return node.phase == Phase::Required; });
}

// As the operator does: when somebody waits, and from the next look on.
bool Rollout::count_device_pods() {
  if (!somebody_waits() || (counted_at_ && now_ - *counted_at_ < kCensusEvery)) return false;
  counted_at_ = now_;
  fleet_.pods_are_counted = true;
  for (NodeView& node : fleet_.nodes) node.device_pods = lodgings_.device_pods_on(node.name);
  return true;
}

// The image arrives.
void Rollout::prove(std::size_t index, Span since) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  node.preflight.state = State::Running;
  course.proving_since = since;
  lodgings_.guest_came(node.name);
  after(std::max(Span::zero(), since + durations_.pull() + kStart - now_), [this, &node, &course] {
    node.preflight = {.state = State::Passed};
    course.proving_since.reset();
    lodgings_.guest_left(node.name);
  });
}

void Rollout::driver_comes(std::size_t index, Span in) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  after(in, [&node, &course] {
    node.driver.is_ready = true;
    node.validator = {};
    course.driver_is_coming = course.is_validating = false;
  });
}

// What comes by itself once it was set going: a driver that starts, a validator that looks at it.
void Rollout::tend(std::size_t index) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  const bool is_starting = !node.driver.is_ready && !node.driver.is_hosts_own && node.is_selected && node.is_ready &&
                           (node.driver.is_going || node.driver.pod.empty() || !node.driver.is_outdated);
  if (is_starting && !course.driver_is_coming && ground_.lots[index].missing.empty()) {
    course.driver_is_coming = true;
    const Span stop = node.driver.is_going ? durations_.stop() : Span::zero();
    const Span pull = core::is_in_flight(node.phase) ? Span::zero() : durations_.pull();
    // Without the controller it asks for the eviction of whoever uses the device.
    const bool asks = !fleet_.policy.is_on && node.rolls && fleet_.policy.device_pods;
    after(stop, [&node, asks] {
      node.driver.pod = "planned-" + node.name;
      node.driver.is_going = node.driver.is_outdated = node.driver.asks_nothing = false;
      node.driver.trouble.clear();
      node.driver.waits_for_us = asks;
      if (asks) node.driver.asks_for = core::Scope::DevicePods;
    });
    if (ground_.lots[index].cannot_unload.empty() && !asks) driver_comes(index, stop + pull + durations_.driver());
  }
  if (node.phase == Phase::Restart && node.claim && node.claim->serves && node.driver.asks_for) {
    node.driver.asks_for.reset();
    node.driver.waits_for_us = false;
    node.driver.asks_nothing = true;
    driver_comes(index, durations_.driver());
  }
  const bool is_looked_at = node.phase == Phase::Validate && node.driver.is_ready && !node.validator.has_passed;
  if (is_looked_at && !node.validator.is_stale && !course.is_validating) {
    course.is_validating = true;
    after(durations_.validation(), [&node] { node.validator = {.has_passed = true}; });
  }
}

// ---- what the plan asks for

bool Rollout::apply(const core::Plan& plan) {
  const bool is_counted = count_device_pods();
  bool something = is_counted;
  for (const core::Decision& decision : plan.decisions) {
    if (decision.change) {
      change(decision.node, *decision.change);
      something = true;
    } else if (decision.work != Work::None) {
      something = work(decision.node, decision.work) || something;
    }
  }
  if (something) lodgings_.place_waiting(fleet_);
  return something;
}

// As observe would read it back from the node that was patched.
void Rollout::change(std::size_t index, const core::Change& change) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  for (const core::Step& step : change.path) {
    if (step.to == Phase::Cordon) rows_.taken(index, now_);
    if (step.to == Phase::Done || step.to == Phase::Failed) rows_.ended(index, now_);
    if (step.to == Phase::Failed) tell_pods_in_the_way(index, step.from);
  }
  if (change.phase != node.phase) {
    course.since = now_;
    last_change_at_ = last_news_at_ = now_;
  }
  node.phase = change.phase;
  node.label = change.label;
  node.odd_label.clear();
  node.record_is_odd = false;
  if (change.cordoned) node.is_cordoned = *change.cordoned;
  if (change.tainted) node.is_tainted = *change.tainted;
  if (change.cordoned == false || change.tainted == false) lodgings_.room_was_made();
  node.claim = change.claim;
  node.claim_is_written = true;
  node.outcome = change.outcome;
  node.is_asked_for = change.is_asked_for;
  node.rolls = change.rolls;
  node.lost_gates.clear();
  for (const std::string& gate : change.gates_to_pause) {
    std::erase_if(node.gates, [&](const auto& one) { return one.first == gate; });
  }
  for (const auto& [gate, value] : change.gates_to_restore) node.gates.emplace_back(gate, value);
}

bool Rollout::work(std::size_t index, Work work) {
  NodeView& node = fleet_.nodes[index];
  Course& course = courses_[index];
  switch (work) {
    case Work::None: return false;
    case Work::ProveImage:
      if (node.preflight.state != State::Unasked) return false;
      prove(index, now_);
      return true;
    case Work::EvictDevicePods:
    case Work::EvictAll: return ask_to_go(index, clearing(node, node.phase));
    case Work::DeleteDevicePods: {
      const auto& removal = fleet_.policy.device_pods ? fleet_.policy.device_pods : fleet_.policy.drain;
      return delete_at_once(index,
                            core::clearing_of(*node.pods, core::Scope::DevicePods, removal.value_or(core::Removal{})));
    }
    case Work::ReplaceDriverPod:
      node.driver.is_going = true;
      node.driver.is_ready = false;
      course.driver_is_coming = false;
      return true;
    case Work::ReplaceValidator: node.validator = {}; return true;
  }
  return false;
}

bool Rollout::ask_to_go(std::size_t index, const core::Clearing& clearing) {
  bool something = false;
  for (const core::PodView* pod : clearing.to_evict) {
    if (!lodgings_.evict(pod->full_name())) continue;
    something = true;
    remember_removal(index, *pod, false);
  }
  return something;
}

bool Rollout::delete_at_once(std::size_t index, const core::Clearing& clearing) {
  for (const core::PodView* pod : clearing.to_evict) {
    obstacles_.tell_budget(fleet_.nodes[index].name, *pod, lodgings_, false);
    remember_removal(index, *pod, true);
    lodgings_.remove(pod->full_name());
  }
  return !clearing.to_evict.empty();
}

void Rollout::remember_removal(std::size_t index, const core::PodView& pod, bool is_forced) {
  const bool is_replacement = lodgings_.is_replacement(pod.full_name());
  rows_.of(index).removed.push_back(
      {.pod = pod.full_name(), .owner = pod.owner, .is_replacement = is_replacement, .is_forced = is_forced});
  last_news_at_ = now_;
}

core::Clearing Rollout::clearing(const NodeView& node, Phase phase) const {
  if (!node.pods) return {};
  const core::Policy& policy = fleet_.policy;
  if (phase == Phase::Drain) {
    return core::clearing_of(*node.pods, core::Scope::AllPods, policy.drain.value_or(core::Removal{}));
  }
  return core::clearing_of(*node.pods, core::Scope::DevicePods, policy.device_pods.value_or(core::Removal{}));
}

// ---- what comes of it

void Rollout::tell_pods_in_the_way(std::size_t index, Phase phase) {
  if (!core::kBeforeSwap.has(phase)) return;
  const NodeView& node = fleet_.nodes[index];
  obstacles_.tell_pods(node.name, clearing(node, phase), lodgings_);
}

void Rollout::finish(const core::Plan& plan) {
  for (std::size_t i = 0; i < fleet_.nodes.size(); ++i) {
    const NodeView& node = fleet_.nodes[i];
    Row& row = rows_.of(i);
    const bool has_it = node.driver.is_ready && !node.driver.is_outdated;
    const bool is_at_rest = (node.phase == Phase::Done || node.phase == Phase::Idle) && !node.is_asked_for;
    row.reason = node.phase == Phase::Failed && node.outcome ? node.outcome->reason
                                                             : core::reason_of(flow_, fleet_, plan.slots, i);
    if (!node.is_managed() || node.is_skipped) {
      row.end = Row::End::LeftOut;
    } else if (node.phase == Phase::Failed) {
      row.end = Row::End::Failed;
    } else if (is_at_rest && has_it) {
      row.end = Row::End::Done;
    } else {
      row.end = Row::End::Waits;
      tell_pods_in_the_way(i, node.phase);
      if (node.phase == Phase::Required) obstacles_.tell_limit(fleet_.policy, plan.slots);
    }
    const bool is_stuck = row.end == Row::End::Failed || row.end == Row::End::Waits;
    if (is_stuck) forecast_.gets_through = false;
    forecast_.waves = std::max(forecast_.waves, row.wave);
  }
  forecast_.rows = rows_.told();
  forecast_.takes = forecast_.takes_at_least = forecast_.takes_at_most = last_change_at_;
  forecast_.obstacles = obstacles_.take();
}

}  // namespace

Forecast forecast(Ground ground, const core::Flow& flow, Durations durations) {
  return Rollout(std::move(ground), flow, std::move(durations)).run();
}

}  // namespace drover::cli
