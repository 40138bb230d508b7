#include "act/events.h"

#include <fmt/format.h>

#include "base/text.h"
#include "core/explain.h"
#include "core/repair.h"
#include "protocol/keys.h"

namespace drover::act {
namespace {

kube::Event about(const NodeName& node, const vendors::WorkProfile& profile, kube::Event::Type type,
                  std::string message) {
  return {.resource = kube::kNodes,
          .ns = {},
          .name = node.name,
          .uid = node.uid,
          .type = type,
          .reason = std::string(profile.event_reason),
          .message = std::move(message)};
}

}  // namespace

std::vector<kube::Event> events_of(const core::NodeView& before, const core::Change& change, const core::Policy& policy,
                                   const vendors::WorkProfile& profile) {
  const NodeName node{.name = before.name, .uid = before.uid};
  const auto& label = change.after.label;
  std::vector<kube::Event> events;
  if (change.repairs_show) {
    const std::string_view what = change.after.is_cordoned == before.is_cordoned ? "taint" : "cordon";
    events.push_back(
        about(node, profile, kube::Event::Type::Normal, fmt::format("Repaired the {}: {}", what, repairs_of(change))));
  }
  for (const core::Step& step : change.path) {
    if (step.to == core::Phase::Failed) {
      events.push_back(about(node, profile, kube::Event::Type::Warning,
                             fmt::format("Failed in {}: {}", profile.state(step.from), step.because)));
    }
    if (core::is_without_controller(before, policy)) continue;  // there is no state label to speak of
    const bool has_label = &step != &change.path.back() || label;
    const std::string_view word = has_label ? profile.state(step.to) : std::string_view();
    if (word.empty()) {
      const std::string_view what =
          profile.state_label.empty() ? "No driver upgrade is under way" : "Removed the node state label";
      events.push_back(about(node, profile, kube::Event::Type::Normal, fmt::format("{}: {}", what, step.because)));
      continue;
    }
    const auto type = step.to == core::Phase::Failed ? kube::Event::Type::Warning : kube::Event::Type::Normal;
    events.push_back(about(node, profile, type, fmt::format(fmt::runtime(profile.event_text), word)));
  }
  if (change.path.empty() && label && core::label_was_wrong(before, change.after)) {
    events.push_back(about(node, profile, kube::Event::Type::Normal,
                           fmt::format("Restored state label to {}", profile.state(*label))));
  }
  return events;
}

std::string repairs_of(const core::Change& change) {
  std::string text;
  for (const core::Repair* repair : change.repairs) text += (text.empty() ? "" : "; ") + std::string(repair->text);
  return text;
}

std::vector<kube::Event> forced_events(const NodeName& node, const core::PodView& pod,
                                       const vendors::WorkProfile& profile) {
  const std::string budget = pod.held_by.empty()
                                 ? "no PodDisruptionBudget blocked its eviction"
                                 : fmt::format("PodDisruptionBudget {} blocked its eviction", pod.held_by);
  kube::Event of_node =
      about(node, profile, kube::Event::Type::Warning,
            fmt::format("Deleted pod {}: the time for evictions is over, and {}", pod.full_name(), budget));
  kube::Event of_pod = of_node;
  of_pod.resource = kube::kPods;
  of_pod.ns = pod.ns;
  of_pod.name = pod.name;
  of_pod.uid = pod.uid;
  of_pod.message = fmt::format("Deleted from node {}: the time for evictions is over, and {}", node.name, budget);
  return {std::move(of_node), std::move(of_pod)};
}

kube::Event odd_record_event(const NodeName& node, const std::string& trouble, const vendors::WorkProfile& profile) {
  return about(
      node, profile, kube::Event::Type::Warning,
      fmt::format("The annotation {} could not be read ({}); it was restored from {}the driver's pod",
                  protocol::kRecordAnnotation, trouble, profile.state_label.empty() ? "" : "the state label and "));
}

kube::Event distrust_event(const NodeName& node, const std::string& what, const vendors::WorkProfile& profile) {
  return about(
      node, profile, kube::Event::Type::Warning,
      fmt::format("The annotation {} is not believed: {}; look at what wrote it", protocol::kRecordAnnotation, what));
}

kube::Event announced_event(const NodeName& node, const std::string& why, const vendors::WorkProfile& profile) {
  return about(node, profile, kube::Event::Type::Warning, why);
}

kube::Event blocked_event(const kube::Resource& kind, const json::Value& policy, const std::string& what) {
  return {.resource = kind,
          .ns = {},
          .name = std::string(kube::name_of(policy)),
          .uid = std::string(kube::uid_of(policy)),
          .type = kube::Event::Type::Warning,
          .reason = "Blocked",
          .message = what};
}

kube::Event unblocked_event(const kube::Resource& kind, const json::Value& policy) {
  kube::Event event = blocked_event(kind, policy, "The rollout is no longer blocked");
  event.type = kube::Event::Type::Normal;
  event.reason = "Unblocked";
  return event;
}

kube::Event budget_event(const std::string& ns, const std::string& name, bool holds, const std::string& what) {
  return {.resource = kube::kDisruptionBudgets,
          .ns = ns,
          .name = name,
          .uid = {},
          .type = holds ? kube::Event::Type::Warning : kube::Event::Type::Normal,
          .reason = holds ? "BlocksDriverUpgrade" : "NoLongerBlocks",
          .message = what};
}

kube::Event policy_event(const kube::Resource& kind, const json::Value& policy, const std::string& node,
                         const vendors::NodeState& words, const std::string& why) {
  const bool is_warning = words.tone == vendors::NodeState::Tone::Warning;
  return {.resource = kind,
          .ns = {},
          .name = std::string(kube::name_of(policy)),
          .uid = std::string(kube::uid_of(policy)),
          .type = is_warning ? kube::Event::Type::Warning : kube::Event::Type::Normal,
          .reason = std::string(words.reason),
          .message = why.empty() ? node : fmt::format("{}: {}", node, why)};
}

std::string reason_to_tell(const core::FleetView& fleet, const core::Plan& plan, const vendors::WorkProfile& profile,
                           std::size_t node) {
  constexpr std::size_t kMost = 1024;
  const core::NodeView& one = fleet.nodes[node];
  const bool has_failed = one.phase == core::Phase::Failed && one.outcome && !one.refusal;
  return base::one_line(has_failed ? one.outcome->reason : core::reason_of(profile.flow, fleet, plan.slots, node),
                        kMost);
}

std::string path_of(const core::Change& change, const vendors::WorkProfile& profile) {
  std::string path;
  for (const core::Step& step : change.path) {
    const std::string_view word = profile.state(step.to);
    path += fmt::format("{}{}", path.empty() ? "" : " > ", word.empty() ? "(no state)" : word);
  }
  if (!change.path.empty()) path += ": " + change.path.back().because;
  return path;
}

}  // namespace drover::act
