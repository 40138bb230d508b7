#include "protocol/order_for.h"

namespace drover::protocol {
namespace {

// It speaks of no driver: nothing may be loaded for it.
constexpr std::string_view kNoDriver = "none";

}  // namespace

std::string order_for(const Situation& situation) {
  using core::Phase;
  const core::Claim* claim = situation.claim;
  // Once the node is clear the driver may be swapped, for this claim and this driver alone.
  if (claim != nullptr && core::kAfterSwap.has(situation.phase)) {
    return text_of(Order{.id = claim->id,
                         .target = claim->target,
                         .may_load = true,
                         .version = situation.version,
                         .serves = situation.serves});
  }
  if (!situation.agent_prepares) return {};
  if (situation.is_paused) return text_of(Order{.target = std::string(kNoDriver), .is_paused = true});
  const bool may_prepare = situation.phase == Phase::Required || core::kBeforeSwap.has(situation.phase);
  if (!situation.is_to_prepare || !may_prepare || situation.version.empty()) return {};
  return text_of(Order{.target = std::string(kNoDriver), .prepare = situation.version});
}

std::string asked_to_prepare(std::string_view order) {
  if (order.empty()) return {};
  const auto parsed = parse_order(order);
  return parsed ? parsed->prepare : std::string();
}

}  // namespace drover::protocol
