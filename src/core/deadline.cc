#include "core/deadline.h"

namespace drover::core {
namespace {

constexpr Span kWithoutLimit = std::chrono::minutes(1);

// The last quarter ends with the limit itself.
bool has_quarters_left(const NodeView& node, Span limit) { return node.claim->spent + limit / 4 < limit; }

std::optional<Span> limit_on(const NodeView& node, const Flow& flow, const Policy& policy) {
  if (!node.claim || !is_in_flight(node.phase)) return {};
  const auto limit = limit_of(flow, policy, node.phase);
  return limit && *limit > Span::zero() ? limit : std::nullopt;
}

}  // namespace

std::optional<Span> limit_of(const Flow& flow, const Policy& policy, Phase phase) {
  const auto of = [](const std::optional<Removal>& removal) { return removal ? removal->at_most : std::nullopt; };
  if (phase == flow.spec.swap) return policy.restart_at_most;
  switch (phase) {
    case Phase::WaitForJobs: return policy.jobs.at_most;
    case Phase::EvictDevicePods: return of(policy.device_pods);
    // An agent that has prepared the driver waits for both passes of the drain, under one limit.
    case Phase::Drain: return of(flow.has(Trait::ResidentAgent) ? policy.device_pods : policy.drain);
    case Phase::Validate: return policy.validate_at_most;
    default: return {};
  }
}

Span time_unwritten_at_most(const std::optional<Span>& limit) { return limit ? *limit / 4 : kWithoutLimit; }

bool time_is_to_be_written(const NodeView& node, const Flow& flow, const Policy& policy) {
  const auto limit = limit_on(node, flow, policy);
  if (!limit || node.spent >= *limit) return false;  // what comes at the limit is written by itself
  if (node.time_is_restored) return true;
  if (node.claim->deadline_paused) return false;  // it was written when it stopped
  return has_quarters_left(node, *limit) && node.spent - node.claim->spent >= *limit / 4;
}

std::optional<Span> time_is_written_in(const NodeView& node, const Flow& flow, const Policy& policy) {
  const auto limit = limit_on(node, flow, policy);
  if (!limit || node.claim->deadline_paused || !has_quarters_left(node, *limit)) return {};
  const Span left = node.claim->spent + *limit / 4 - node.spent;
  return left > Span::zero() ? std::optional(left) : std::nullopt;
}

}  // namespace drover::core
