#include "forecast/obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/conditions/placement.h"

namespace drover::forecast {
namespace {

std::string_view kind_of(const core::PodView& pod) {
  if (pod.is_mirror) return "mirror-pod";
  if (pod.returns) return "daemon-pod";
  return pod.owner.empty() ? "bare-pod" : "empty-dir";
}

// A pod that does not exist yet has no name.
std::string name_of(const core::PodView& pod, const World& world) {
  return world.is_replacement(pod.full_name()) ? "one of " + pod.owner : pod.full_name();
}

// About a node as a whole.
Obstacle about(const core::NodeView& node, std::string kind, std::string message) {
  return {.kind = std::move(kind), .node = node.name, .object = node.name, .message = std::move(message)};
}

}  // namespace

void Obstacles::add(Obstacle obstacle) {
  const bool is_known =
      std::any_of(all_.begin(), all_.end(), [&](const Obstacle& one) { return is_same(one, obstacle); });
  if (!is_known) all_.push_back(std::move(obstacle));
}

void Obstacles::add_known(const ForecastInput& input) {
  for (const PolicyFleet& policy : input.policies) {
    if (!policy.competing_operator.empty()) {
      add({.kind = "operator",
           .node = {},
           .object = policy.competing_operator,
           .message = "it runs, and drover writes to no node beside it; scale it to 0"});
    }
    add_known_of_nodes(policy);
  }
  for (const Dispute& dispute : input.disputes) {
    add({.kind = "dispute",
         .node = dispute.node,
         .object = dispute.node,
         .message = fmt::format("{} select it, so it {}; let one of them select it", dispute.policies,
                                dispute.has_no_owner ? "gets no driver" : "stays with the one that has it"),
         .stops = dispute.has_no_owner});
  }
}

void Obstacles::add_known_of_nodes(const PolicyFleet& policy) {
  for (std::size_t i = 0; i < policy.fleet.nodes.size(); ++i) {
    const NodeDetails& detail = policy.details[i];
    const core::NodeView& node = policy.fleet.nodes[i];
    const bool is_to_change = node.driver.is_outdated || !node.driver.is_ready;
    if (!node.is_managed() || node.is_skipped || !is_to_change) continue;
    if (!detail.missing.empty()) {
      add({.kind = "image",
           .node = {},
           .object = detail.image,
           .message =
               fmt::format("it cannot be pulled ({}); push it, or correct its name or pull secret", detail.missing)});
    } else if (node.preflight.state == core::PreflightView::State::Missing) {
      add(about(node, "build",
                fmt::format("its agent cannot prepare the driver ({}); until it can, the node keeps its driver",
                            node.preflight.trouble)));
    }
    if (!detail.cannot_unload.empty()) {
      add(about(node, "kernel",
                fmt::format("its kernel cannot unload the driver ({}); set the skip label and reboot it with the new "
                            "driver",
                            detail.cannot_unload)));
    }
    if (!node.driver.misfit.empty()) {
      add(about(
          node, "misfit",
          fmt::format("a pod of the wanted driver does not fit it ({}); until one does, the node keeps its driver",
                      node.driver.misfit)));
    } else if (core::pod_trouble(node.driver) == core::Reason::Unschedulable) {
      add(about(node, "unschedulable",
                fmt::format("its driver's pod waits for the scheduler ({})", node.driver.trouble)));
    }
    if (!node.is_ready) add(about(node, "node", "it is not ready, and is not waited for"));
  }
}

void Obstacles::add_held_device(const core::NodeView& node) {
  add(about(node, "device",
            fmt::format("its driver cannot be unloaded while the device is held ({}), and its slot stays taken; end "
                        "what holds it",
                        node.driver.held_by)));
}

void Obstacles::add_budget(const std::string& node, const core::PodView& pod, const World& world, bool stops) {
  const observe::Budget* budget = world.held_by(pod.full_name());
  if (budget == nullptr) return;
  const std::string_view then = stops ? "never goes" : "is deleted when its time is over";
  add({.kind = "budget",
       .node = node,
       .object = budget->full_name(),
       .message = fmt::format("it has no room ({} healthy, {} wanted), so {} {}; raise it or scale its owner up",
                              budget->healthy, budget->wanted_healthy, name_of(pod, world), then),
       .stops = stops});
}

void Obstacles::add_limit(const core::Policy& policy, const core::Slots& slots) {
  const bool is_full = slots.unavailable >= slots.max_unavailable;
  if (slots.in_flight > 0 || slots.global_headroom <= 0 || !is_full) return;
  add({.kind = "limit",
       .node = {},
       .object = policy.name,
       .message = slots.obstacle() + "; bring them back, or raise maxUnavailable"});
}

void Obstacles::add_limit_over_all(const core::GlobalLimit& limit) {
  add({.kind = "limit",
       .node = {},
       .object = "over all policies",
       .message = fmt::format("{} of {} nodes are out of service, and {} may be; bring them back, or raise the "
                              "operator's --max-unavailable",
                              limit.unavailable, limit.managed, limit.max_unavailable())});
}

void Obstacles::add_off(const core::Policy& policy) {
  add({.kind = "off",
       .node = {},
       .object = policy.name,
       .message = "its upgrades are off, so drover replaces no driver; switch them on"});
}

void Obstacles::add_pods(const std::string& node, const core::Clearing& left, const World& world) {
  for (const core::PodFate& fate : left.refused) {
    add({.kind = std::string(kind_of(*fate.pod)),
         .node = node,
         .object = name_of(*fate.pod, world),
         .message = std::string(fate.because)});
  }
  for (const core::PodView* pod : left.to_evict) add_budget(node, *pod, world, true);
  for (const core::PodView* pod : left.going) {
    add({.kind = "grace",
         .node = node,
         .object = name_of(*pod, world),
         .message = "it may take longer to end than the time that is left; raise timeoutSeconds"});
  }
}

}  // namespace drover::forecast
