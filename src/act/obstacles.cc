#include "act/obstacles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/conditions/placement.h"
#include "core/node_class.h"

namespace drover::act {
namespace {

using base::Span;
using core::NodeView;
using core::Phase;
using core::Reason;

// What may pass by itself is not told before.
constexpr Span kPatience = std::chrono::seconds(30);

class Finder {
 public:
  Finder(const core::Flow& flow, const core::FleetView& fleet, const core::Plan& plan)
      : flow_(flow), fleet_(fleet), plan_(plan) {}

  Obstacles find() {
    for (const core::Decision& decision : plan_.decisions) look_at(decision);
    look_at_limit();
    refused_.insert(refused_.end(), std::make_move_iterator(found_.begin()), std::make_move_iterator(found_.end()));
    return {.found = std::move(refused_), .look_again_in = look_again_in_};
  }

 private:
  Obstacle& add(std::string reason, std::string object, const NodeView& node) {
    auto at = std::find_if(found_.begin(), found_.end(),
                           [&](const Obstacle& one) { return one.reason == reason && one.object == object; });
    if (at == found_.end())
      at = found_.insert(found_.end(), {.reason = std::move(reason), .object = std::move(object)});
    if (at->nodes.empty() || at->nodes.back() != node.name) at->nodes.push_back(node.name);
    return *at;
  }

  void look_at(const core::Decision& decision) {
    const NodeView& node = fleet_.nodes[decision.node];
    const bool moves = decision.change && !decision.change->path.empty();
    if (!node.is_managed()) return;
    if (node.refusal) return add_refusal(node);
    if (moves || decision.rule == nullptr) return;
    if (core::is_in_flight(node.phase)) return look_in_flight(node);
    if (node.phase == Phase::Required) look_in_queue(node, *decision.rule);
    if (core::is_meant(node)) look_at_rest(node);
  }

  bool has_lasted(Span span) {
    if (span >= kPatience) return true;
    look_again_in_ = std::min(look_again_in_.value_or(kPatience - span), kPatience - span);
    return false;
  }

  // One for all nodes: what the server says about the first of them stands for the others.
  void add_refusal(const NodeView& node) {
    const std::string_view reason = core::name(node.refusal->reason);
    auto at = std::find_if(refused_.begin(), refused_.end(), [&](const Obstacle& one) { return one.reason == reason; });
    if (at == refused_.end()) {
      at = refused_.insert(refused_.end(), {.reason = std::string(reason)});
      at->object = fmt::format("{}: {}", core::refusal_row(node.refusal->reason)->because, node.refusal->text);
    }
    at->nodes.push_back(node.name);
  }

  void look_in_flight(const NodeView& node) {
    if (!node.driver.held_by.empty()) add("DeviceHeld", "the device is held", node).why = node.driver.held_by.str();
    if (node.pods && core::kBeforeSwap.has(node.phase)) look_at_pods(node);
    if (node.phase == flow_.spec.swap) look_at_driver(node, node.spent);
  }

  // Of a node that was done, Ready tells that what has started is not ready.
  void look_at_rest(const NodeView& node) {
    const Reason trouble = core::pod_trouble(node.driver);
    const bool is_told = node.phase == Phase::Done && trouble != Reason::Unschedulable && trouble != Reason::Misfit;
    if (node.driver.unready_for && !is_told) look_at_driver(node, *node.driver.unready_for);
  }

  void look_at_driver(const NodeView& node, Span lasted) {
    const core::DriverView& driver = node.driver;
    const Reason trouble = core::pod_trouble(driver);
    const bool is_missing = driver.pod.empty() && trouble == Reason::None;
    if ((trouble == Reason::None && !is_missing) || !has_lasted(lasted)) return;
    switch (trouble) {
      case Reason::Misfit: add_misfit(node); break;
      case Reason::Unschedulable:
        add("Unschedulable", "the driver's pod cannot be scheduled", node).why = driver.trouble.str();
        break;
      case Reason::DriverNotReady: add("DriverNotReady", driver.trouble.str(), node); break;
      default:
        add("NoDriverPod", "the driver's pod does not exist; kubectl describe its DaemonSet says why", node);
        break;
    }
  }

  void add_misfit(const NodeView& node) {
    add("Misfit", fmt::format("the driver's pod does not fit the node: {}", node.driver.misfit), node);
  }

  void look_at_pods(const NodeView& node) {
    const bool is_held = std::any_of(node.pods->begin(), node.pods->end(), [](const core::PodView& pod) {
      return !pod.held_by.empty() && !pod.is_going && !pod.is_finished;
    });
    if (!is_held || !has_lasted(node.spent)) return;
    const bool is_drain = node.phase == Phase::Drain;
    const auto& removal = is_drain ? fleet_.policy.drain : fleet_.policy.device_pods;
    for (const core::PodView& pod : *node.pods) {
      if (pod.held_by.empty() || pod.is_going || pod.is_finished) continue;
      Obstacle& one = add("PodDisruptionBudget", "blocked by PodDisruptionBudget " + pod.held_by, node);
      const std::size_t slash = pod.held_by.find('/');
      one.budget_ns = pod.held_by.substr(0, slash);
      one.budget = slash == std::string::npos ? std::string() : pod.held_by.substr(slash + 1);
      if (!removal || !removal->at_most) continue;
      const std::string after = base::human(*removal->at_most);
      one.next = removal->forces ? fmt::format("pods that use the device are deleted after {}", after)
                                 : fmt::format("the node fails and returns to service after {}", after);
    }
  }

  void look_in_queue(const NodeView& node, const core::Rule& rule) {
    switch (rule.reason) {
      case Reason::ImageMissing:
        add("ImageMissing", fmt::format("{}: {}", rule.because, node.preflight.trouble), node);
        break;
      case Reason::Misfit: add_misfit(node); break;
      case Reason::CannotUnload: add("CannotUnload", "the kernel cannot unload modules", node); break;
      case Reason::ClaimedByOtherWork: add("ClaimedByOtherWork", "claimed by " + node.other_claim.str(), node); break;
      default: break;
    }
  }

  // Nodes that other people keep out of service use up the limit, and none of ours will come back to make room.
  void look_at_limit() {
    const core::Slots& slots = plan_.slots;
    const bool is_full = slots.unavailable >= slots.max_unavailable && slots.in_flight == 0;
    const bool some_wait = std::any_of(fleet_.nodes.begin(), fleet_.nodes.end(), [](const NodeView& node) {
      return node.is_managed() && node.phase == Phase::Required && !node.is_skipped;
    });
    if (!is_full || !some_wait || !fleet_.policy.is_on) return;
    for (const NodeView& node : fleet_.nodes) {
      if (node.is_managed() && (node.is_cordoned || !node.is_ready))
        add("MaxUnavailable", slots.obstacle(), node).is_about_nodes = false;
    }
  }

  const core::Flow& flow_;
  const core::FleetView& fleet_;
  const core::Plan& plan_;
  std::vector<Obstacle> refused_;  // they come first
  std::vector<Obstacle> found_;
  std::optional<Span> look_again_in_;
};

}  // namespace

Obstacles obstacles_of(const core::Flow& flow, const core::FleetView& fleet, const core::Plan& plan) {
  return Finder(flow, fleet, plan).find();
}

std::string text_of(const Obstacle& obstacle) {
  std::string text = fmt::format("{}: {}", list_of(obstacle.nodes, 5), obstacle.object);
  if (!obstacle.why.empty()) text += ": " + obstacle.why;
  if (!obstacle.next.empty()) text += "; " + obstacle.next;
  return text;
}

std::string list_of(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

bool holds(const std::vector<Obstacle>& obstacles, const std::string& node) {
  return std::any_of(obstacles.begin(), obstacles.end(), [&](const Obstacle& one) {
    return std::find(one.nodes.begin(), one.nodes.end(), node) != one.nodes.end();
  });
}

}  // namespace drover::act
