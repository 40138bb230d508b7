#include "core/drain.h"

#include <fmt/format.h>

namespace drover::core {
namespace {

constexpr std::size_t kPodsNamed = 3;

bool is_in_scope(const PodView& pod, Scope scope) {
  if (scope == Scope::DevicePods) return pod.uses_device;
  // What uses the device is in the way of every drain, whatever the selector says.
  return pod.uses_device || (!pod.is_daemon && pod.is_drained);
}

}  // namespace

// The order matters: a reason that a person can do nothing about comes before one that a flag would change.
PodFate fate_of(const PodView& pod, Scope scope, const Removal& removal) {
  if (pod.is_ours) return {&pod, Way::Stays, "it is drover's own"};
  if (pod.is_finished) return {&pod, Way::Stays, "it has finished"};
  if (!is_in_scope(pod, scope)) return {&pod, Way::Stays, "it does not use the device"};
  if (pod.is_mirror) {
    if (!pod.uses_device) return {&pod, Way::Stays, "the kubelet runs it from a file"};
    return {&pod, Way::MayNot, "the kubelet runs it from a file on the node; take that file away"};
  }
  if (pod.is_going) return {&pod, Way::Goes, "it is being deleted"};
  if (!pod.uses_device && pod.generation > kMostReturns) return {&pod, Way::Stays, "its owner recreates it here"};
  if (pod.returns) return {&pod, Way::MayNot, "its DaemonSet tolerates all taints and would recreate it"};
  if (pod.owner.empty() && !removal.takes_bare_pods) {
    return {&pod, Way::MayNot, removal.bare_pod_text};
  }
  if (pod.has_local_data && !removal.takes_local_data) {
    return {&pod, Way::MayNot, removal.local_data_text};
  }
  return {&pod, Way::Evict, "it uses the device"};
}

Clearing clearing_of(const std::vector<PodView>& pods, Scope scope, const Removal& removal) {
  Clearing clearing;
  for (const PodView& pod : pods) {
    const PodFate fate = fate_of(pod, scope, removal);
    switch (fate.way) {
      case Way::Stays: break;
      case Way::Goes: clearing.going.push_back(&pod); break;
      case Way::Evict: clearing.to_evict.push_back(&pod); break;
      case Way::MayNot: clearing.refused.push_back(fate); break;
    }
  }
  return clearing;
}

std::string names_of_returned(const std::vector<PodView>& pods) {
  std::string names;
  for (const PodView& pod : pods) {
    if (!pod.is_finished && !pod.uses_device && pod.generation > kMostReturns)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", pod.full_name());
  }
  return names;
}

std::string names_of(const Clearing& clearing) {
  std::string names;
  std::size_t named = 0;
  const auto add = [&](const PodView& pod, std::string_view remark) {
    if (++named > kPodsNamed) return;
    names += named == 1 ? "" : ", ";
    names += pod.full_name();
    if (!remark.empty()) names += fmt::format(" ({})", remark);
  };
  for (const PodFate& fate : clearing.refused) add(*fate.pod, fate.because);
  for (const PodView* pod : clearing.to_evict) {
    add(*pod, pod->held_by.empty() ? std::string() : fmt::format("blocked by PodDisruptionBudget {}", pod->held_by));
  }
  for (const PodView* pod : clearing.going) add(*pod, "ending");
  if (named > kPodsNamed) names += fmt::format(" and {} more", named - kPodsNamed);
  return names;
}

}  // namespace drover::core
