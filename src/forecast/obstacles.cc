#include "forecast/obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace drover::forecast {
namespace {

std::string_view kind_of(const core::PodView& pod) {
  if (pod.is_mirror) return "mirror-pod";
  if (pod.returns) return "daemon-pod";
  return pod.owner.empty() ? "bare-pod" : "empty-dir";
}

// Nobody knows yet what one will be called that does not exist.
std::string name_of(const core::PodView& pod, const World& world) {
  return world.is_replacement(pod.full_name()) ? "one of " + pod.owner : pod.full_name();
}

}  // namespace

void Obstacles::tell(Obstacle obstacle) {
  const bool is_known =
      std::any_of(told_.begin(), told_.end(), [&](const Obstacle& one) { return is_same(one, obstacle); });
  if (!is_known) told_.push_back(std::move(obstacle));
}

void Obstacles::tell_what_is_known(const ForecastInput& input) {
  if (!input.competing_operator.empty()) {
    tell({.kind = "operator",
          .node = {},
          .object = input.competing_operator,
          .message = "it runs, and drover writes to no node beside it; scale it to 0"});
  }
  for (const PolicyFleet& policy_fleet : input.policies) tell_images_and_nodes(policy_fleet);
  for (const Dispute& dispute : input.disputes) tell_dispute(dispute);
}

void Obstacles::tell_images_and_nodes(const PolicyFleet& policy_fleet) {
  for (std::size_t i = 0; i < policy_fleet.fleet.nodes.size(); ++i) {
    const NodeDetails& detail = policy_fleet.details[i];
    const core::NodeView& node = policy_fleet.fleet.nodes[i];
    const bool is_to_change = node.driver.is_outdated || !node.driver.is_ready;
    if (!node.is_managed() || node.is_skipped || !is_to_change) continue;
    if (!detail.missing.empty()) {
      tell({.kind = "image",
            .node = {},
            .object = detail.image,
            .message = fmt::format("it cannot be had ({}); push it, or mend its name or pull secret", detail.missing)});
    }
    if (!detail.cannot_unload.empty()) {
      tell(
          {.kind = "kernel",
           .node = node.name,
           .object = node.name,
           .message = fmt::format("its kernel cannot unload the driver ({}); set the skip label and reboot it with the "
                                  "new driver",
                                  detail.cannot_unload)});
    }
    if (!node.is_ready) {
      tell({.kind = "node",
            .node = node.name,
            .object = node.name,
            .message = "it is not ready, and is not waited for"});
    }
  }
}

void Obstacles::tell_dispute(const Dispute& dispute) {
  tell({.kind = "dispute",
        .node = dispute.node,
        .object = dispute.node,
        .message = fmt::format("{} select it, so it {}; let one of them select it", dispute.rivals,
                               dispute.has_no_owner ? "gets no driver" : "stays with the one that has it"),
        .stops = dispute.has_no_owner});
}

void Obstacles::tell_budget(const std::string& node, const core::PodView& pod, const World& world, bool stops) {
  const observe::Budget* budget = world.held_by(pod.full_name());
  if (budget == nullptr) return;
  const std::string_view then = stops ? "never goes" : "is deleted when its time is over";
  tell({.kind = "budget",
        .node = node,
        .object = budget->full_name(),
        .message = fmt::format("it has no room ({} healthy, {} wanted), so {} {}; raise it or scale its owner up",
                               budget->healthy, budget->wanted_healthy, name_of(pod, world), then),
        .stops = stops});
}

void Obstacles::tell_limit(const core::Policy& policy, const core::Slots& slots) {
  const bool is_full = slots.unavailable >= slots.max_unavailable;
  if (slots.in_flight > 0 || slots.global_headroom <= 0 || !is_full) return;
  tell({.kind = "limit",
        .node = {},
        .object = policy.name,
        .message = slots.obstacle() + "; bring them back, or raise maxUnavailable"});
}

void Obstacles::tell_limit_over_all(const core::GlobalLimit& limit) {
  tell({.kind = "limit",
        .node = {},
        .object = "over all policies",
        .message = fmt::format("{} of {} nodes are out of service, and {} may be; bring them back, or raise the "
                               "operator's --max-unavailable",
                               limit.unavailable, limit.managed, limit.max_unavailable())});
}

void Obstacles::tell_off(const core::Policy& policy) {
  tell({.kind = "off",
        .node = {},
        .object = policy.name,
        .message = "its autoUpgrade is false and its updateStrategy OnDelete, so drover replaces no driver; set "
                   "autoUpgrade to true, or delete the drivers' pods yourself"});
}

void Obstacles::tell_pods(const std::string& node, const core::Clearing& left, const World& world) {
  for (const core::PodFate& fate : left.refused) {
    tell({.kind = std::string(kind_of(*fate.pod)),
          .node = node,
          .object = name_of(*fate.pod, world),
          .message = std::string(fate.because)});
  }
  for (const core::PodView* pod : left.to_evict) tell_budget(node, *pod, world, true);
}

}  // namespace drover::forecast
