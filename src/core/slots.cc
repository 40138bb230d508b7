#include "core/slots.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/queue_position.h"

namespace drover::core {
namespace {

constexpr std::size_t kNodesNamed = 3;
// Images are fetched for this many nodes beyond those that may start, so that a free slot is used at once.
constexpr int kAhead = 2;

// A node whose image is on its way keeps its place in the line for this long: images do not arrive in the order of the
// line.
constexpr Span kKeepsItsPlace = std::chrono::minutes(1);

// As the last count counted.
QueuePosition queue_position_of(const NodeView& node) {
  return core::queue_position_of(node, node.device_pods.value_or(0));
}

bool was_given_back_lately(const NodeView& node) { return node.given_back_for && *node.given_back_for < kRespect; }

// The others do not wait for a node that the API server does not let us take; its turn comes again.
bool was_refused_lately(const NodeView& node) { return node.refusal && node.refusal->retry_in > Span::zero(); }

bool could_start(const NodeView& node, bool is_halted) {
  return node.phase == Phase::Required && node.is_managed() && node.is_ready && !node.cannot_unload &&
         !node.target.empty() && node.driver.can_be_replaced() && node.other_claim.empty() &&
         !was_given_back_lately(node) && !was_refused_lately(node) && (!is_halted || node.is_asked_for) &&
         (node.driver.is_outdated || node.is_asked_for || node.driver.waits_for_us);
}

// It has no driver, or the one that is wanted has still to come up.
bool is_changing(const NodeView& node) {
  const DriverView& driver = node.driver;
  if (!node.is_ready || node.target.empty()) return false;
  return driver.pod.empty() || driver.is_going || (!driver.is_ready && !driver.is_outdated);
}

// Its driver is to be replaced and does not serve: no other one is taken away meanwhile.
bool is_lacking(const NodeView& node) {
  const DriverView& driver = node.driver;
  return node.is_ready && !node.target.empty() && driver.is_outdated && !driver.is_ready && !node.is_skipped &&
         !node.cannot_unload && driver.can_be_replaced();
}

// A node that a controller could not upgrade either does not wait for it.
void count_without_controller(const NodeView& node, Slots& slots) {
  const bool is_pending = node.phase == Phase::Required && !node.without_controller && !node.driver.asks_for &&
                          !node.is_skipped && !node.cannot_unload && node.driver.can_be_replaced();
  const bool is_under_way = is_in_flight(node.phase) && !(node.claim && node.claim->requested_scope);
  if (slots.paused == nullptr && (is_pending || is_under_way)) slots.paused = &node;
  if (slots.changing == nullptr && is_changing(node)) slots.changing = &node;
  if (slots.lacking == nullptr && is_lacking(node)) slots.lacking = &node;
}

void look_again_in(Span span, Slots& slots) {
  slots.look_again_in = std::min(slots.look_again_in.value_or(span), span);
}

void count(const FleetView& fleet, Slots& slots) {
  slots.in_flight = fleet.in_flight_elsewhere;
  for (const NodeView& node : fleet.nodes) {
    const bool ours = is_in_flight(node.phase);
    if (ours) ++slots.in_flight;
    if (node.phase == Phase::Required && was_refused_lately(node)) look_again_in(node.refusal->retry_in, slots);
    if (!node.is_managed()) continue;
    ++slots.managed;
    if (!fleet.policy.is_on) count_without_controller(node, slots);
    if (node.is_unavailable()) ++slots.unavailable;
    if (node.is_cordoned && !ours && slots.cordoned.size() < kNodesNamed) slots.cordoned.push_back(&node);
    if (!node.outcome || node.outcome->target != node.target) continue;
    if (!node.outcome->failed) ++slots.finished;
    // A node that failed after its swap is held; an outcome without a claim was not written by us.
    if (node.outcome->failed && node.outcome->after_swap && node.claim) {
      ++slots.finished;
      slots.failed.push_back(&node);
    }
  }
}

void keep_place(const NodeView& node, Slots& slots) {
  const Span left = kKeepsItsPlace - node.preflight.running_for;
  if (slots.awaited == nullptr) slots.awaited = &node;
  look_again_in(left, slots);
}

// Without the controller: nodes that ask are served, and a driver is replaced only when every other one is there.
void queue_without_controller(const FleetView& fleet, Slots& slots) {
  std::vector<std::size_t> line;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const NodeView& node = fleet.nodes[i];
    const bool is_left_alone = node.is_skipped && !node.asks_for_room();
    if (could_start(node, slots.is_halted) && goes_without_controller(node, fleet.policy) && !is_left_alone)
      line.push_back(i);
  }
  // Nodes that ask come before nodes whose driver is to be replaced; of those first the ones without a working driver.
  const auto turn = [&](std::size_t i) {
    const NodeView& node = fleet.nodes[i];
    return std::tuple_cat(std::make_tuple(!node.asks_for_room(), node.driver.is_ready), queue_position_of(node));
  };
  std::sort(line.begin(), line.end(), [&](std::size_t a, std::size_t b) { return turn(a) < turn(b); });
  int to_serve = slots.max_parallel ? *slots.max_parallel - slots.in_flight : static_cast<int>(line.size());
  if (fleet.has_unseen_takes) to_serve = 0;
  int room = std::min(slots.max_unavailable - slots.unavailable, slots.global_headroom);
  bool may_replace =
      slots.paused == nullptr && slots.changing == nullptr && slots.in_flight == 0 && slots.global_headroom > 0;
  int ahead = 0;
  for (const std::size_t i : line) {
    const NodeView& node = fleet.nodes[i];
    if (ahead > kAhead) break;
    slots.is_next_in_line[i] = true;
    if (node.preflight.state == PreflightView::State::Missing) continue;
    ++ahead;
    const bool is_proven = node.preflight.state == PreflightView::State::Passed;
    if (!node.asks_for_room()) {
      slots.is_admitted[i] = may_replace && is_proven && (slots.lacking == nullptr || !node.driver.is_ready);
      may_replace = false;
      continue;
    }
    may_replace = false;
    const int cost = node.is_unavailable() ? 0 : 1;
    if (to_serve <= 0 || cost > room) continue;
    --to_serve;
    room -= cost;
    slots.is_admitted[i] = is_proven;
  }
}

// Pods that differ from their template in nothing that the driver is made of are replaced where they stand, as a
// rolling update would: no more of them are away than may be upgraded at once, and those in trouble come first.
void choose_renewals(const FleetView& fleet, Slots& slots) {
  constexpr Phases kAtRest = {Phase::Idle, Phase::Done, Phase::Failed};
  int room = fleet.policy.max_parallel.value_or(1);
  std::vector<std::size_t> line;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    const DriverView& driver = fleet.nodes[i].driver;
    if (!fleet.nodes[i].is_selected || !kAtRest.has(fleet.nodes[i].phase)) continue;
    const bool can_be_renewed = driver.is_stale && !driver.is_going && driver.is_settled && !driver.pod.empty();
    if (can_be_renewed) line.push_back(i);
    // One that was renewed and does not serve yet keeps the others waiting.
    const bool is_coming = !driver.is_stale && !driver.is_ready && !driver.is_outdated && !driver.is_host_managed &&
                           fleet.nodes[i].phase != Phase::Failed;
    if (fleet.nodes[i].is_ready && (driver.is_going || is_coming)) --room;
  }
  std::sort(line.begin(), line.end(), [&](std::size_t a, std::size_t b) {
    const NodeView& one = fleet.nodes[a];
    const NodeView& other = fleet.nodes[b];
    return std::make_tuple(one.driver.is_ready, std::string_view(one.name)) <
           std::make_tuple(other.driver.is_ready, std::string_view(other.name));
  });
  for (const std::size_t i : line) {
    if (room-- <= 0) return;
    slots.may_renew[i] = true;
  }
}

}  // namespace

// A driver that waits for permission holds its node already; then nodes with a request; then those that disturb least.
QueuePosition queue_position_of(const NodeView& node, int device_pods) {
  return {!node.driver.waits_for_us, !node.is_asked_for, device_pods, node.name};
}

std::string Slots::obstacle() const {
  if (!trouble.empty()) return "the policy cannot be read: " + trouble;
  if (!pods_are_counted) return "the pods on the nodes are being counted";
  if (paused != nullptr) return fmt::format("an upgrade is paused, and {} waits for it; resume it first", paused->name);
  const NodeView* awaited_driver = changing != nullptr ? changing : lacking;
  if (awaited_driver != nullptr && in_flight == 0)
    return fmt::format("the driver of {} is not ready yet", awaited_driver->name);
  if (max_parallel && in_flight >= *max_parallel)
    return fmt::format("{} reached ({} of {})", max_parallel_field, in_flight, *max_parallel);
  if (global_headroom <= 0) return "--max-unavailable over all policies reached";
  if (unavailable < max_unavailable)
    return awaited == nullptr ? "" : awaited->name + " is first, and its image is being fetched";
  std::string why = fmt::format("maxUnavailable reached ({} of {})", unavailable, max_unavailable);
  if (!cordoned.empty()) {
    why += "; cordoned by others: ";
    for (std::size_t i = 0; i < cordoned.size(); ++i) why += fmt::format("{}{}", i == 0 ? "" : ", ", cordoned[i]->name);
  }
  return why;
}

Slots count_slots(const FleetView& fleet) {
  Slots slots;
  count(fleet, slots);
  const Policy& policy = fleet.policy;
  const int base = policy.nodes_at_start > 0 ? std::min(policy.nodes_at_start, slots.managed) : slots.managed;
  // A share above 100% does not limit: however many are out of service, others may be too.
  const bool is_limited = !policy.unavailable.is_percent || policy.unavailable.amount <= 100;
  slots.max_unavailable = is_limited ? policy.unavailable.of(base) : slots.unavailable + base + 1;
  slots.max_parallel = policy.max_parallel;
  slots.max_parallel_field = policy.max_parallel_field;
  slots.global_headroom = fleet.global_headroom;
  slots.trouble = policy.trouble;
  slots.pods_are_counted = fleet.pods_are_counted || !policy.is_on;
  const int failures = static_cast<int>(slots.failed.size());
  // "More than a tenth": of ten nodes one may fail, of nine none. A number is a number.
  slots.is_halted =
      failures > 0 && (policy.failures.is_percent ? failures * 100 > policy.failures.amount * slots.finished
                                                  : failures > policy.failures.amount);

  slots.is_admitted.assign(fleet.nodes.size(), false);
  slots.is_next_in_line.assign(fleet.nodes.size(), false);
  slots.may_renew.assign(fleet.nodes.size(), false);
  if (policy.is_ending || !policy.trouble.empty()) return slots;
  if (policy.is_on) choose_renewals(fleet, slots);
  // An image that is fetched for the wrong node first keeps the right one waiting.
  if (!slots.pods_are_counted) return slots;
  if (!policy.is_on) {
    queue_without_controller(fleet, slots);
    return slots;
  }

  std::vector<std::size_t> line;
  for (std::size_t i = 0; i < fleet.nodes.size(); ++i) {
    if (could_start(fleet.nodes[i], slots.is_halted) && !fleet.nodes[i].is_skipped) line.push_back(i);
  }
  const int max_parallel =
      slots.max_parallel ? std::max(0, *slots.max_parallel - slots.in_flight) : static_cast<int>(line.size());
  int to_start = fleet.has_unseen_takes ? 0 : max_parallel;
  int room = std::min(slots.max_unavailable - slots.unavailable, slots.global_headroom);
  const bool is_full = room <= 0;
  const int width = slots.max_parallel ? std::min(*slots.max_parallel, slots.max_unavailable) : slots.max_unavailable;
  // Nodes whose image cannot be pulled do not hold the line up: the window is counted without them.
  const auto by_turn = [&](std::size_t a, std::size_t b) {
    return queue_position_of(fleet.nodes[a]) < queue_position_of(fleet.nodes[b]);
  };
  const std::size_t window =
      std::min(line.size(), static_cast<std::size_t>(std::max(0, width) * (1 + kAhead) + kAhead));
  const auto missing = static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [&](std::size_t i) {
    return fleet.nodes[i].preflight.state == PreflightView::State::Missing;
  }));
  const auto sorted = line.begin() + static_cast<std::ptrdiff_t>(std::min(line.size(), window + missing));
  std::partial_sort(line.begin(), sorted, line.end(), by_turn);

  std::size_t ahead = 0;
  for (auto at = line.begin(); at != sorted && ahead < window; ++at) {
    const NodeView& node = fleet.nodes[*at];
    if (node.preflight.state == PreflightView::State::Missing) {
      slots.is_next_in_line[*at] = true;  // tried again from time to time
      continue;
    }
    ++ahead;
    slots.is_next_in_line[*at] = true;
    if (to_start <= 0) continue;
    // A node that we hold since an earlier try is away because of us already: trying again takes nothing more.
    if (is_full && !node.claim) continue;
    const int cost = node.is_unavailable() ? 0 : 1;
    if (cost > 0 && cost > room) continue;
    const bool is_proven = node.preflight.state == PreflightView::State::Passed;
    if (!is_proven && node.preflight.running_for >= kKeepsItsPlace) continue;
    if (!is_proven) keep_place(node, slots);
    room -= cost;
    --to_start;
    slots.is_admitted[*at] = is_proven;
  }
  return slots;
}

}  // namespace drover::core
