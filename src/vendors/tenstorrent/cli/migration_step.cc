#include "vendors/tenstorrent/cli/migration_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "vendors/tenstorrent/words.h"

namespace drover::cli {
namespace {

using HelperState = HelperView::State;

constexpr std::size_t kMostNames = 8;

std::string names_of(const std::vector<LeavingPod>& pods) {
  std::vector<std::string> names;
  for (const LeavingPod& pod : pods) {
    if (names.size() == kMostNames) break;
    names.push_back(pod.held_by.empty() ? pod.full_name() : fmt::format("{} ({})", pod.full_name(), pod.held_by));
  }
  std::string text = base::join(names, ", ");
  if (pods.size() > names.size()) text += fmt::format(" and {} more", pods.size() - names.size());
  return text;
}

// Pods that may not be evicted, and what would allow it; "" when there are none.
std::string protected_pods(const MigrationView& view, const MigrationTerms& terms) {
  for (const LeavingPod& pod : view.pods) {
    if (pod.is_going) continue;
    if (pod.is_bare && !terms.is_forced) {
      return fmt::format("{} belongs to no controller and would not come back; delete it, or use --force",
                         pod.full_name());
    }
    if (pod.has_local_data && !terms.deletes_local_data) {
      return fmt::format("{} has an emptyDir that would be lost; delete it, or use --delete-emptydir-data",
                         pod.full_name());
    }
  }
  return {};
}

class StepChooser {
 public:
  StepChooser(const MigrationView& view, const MigrationTerms& terms) : view_(view), terms_(terms) {}

  NextDeed next() const {
    if (!view_.is_there) return {Operation::Refuse, "there is no such node"};
    return terms_.direction == Direction::ToOperator ? to_operator() : to_host();
  }

 private:
  NextDeed to_operator() const {
    if (view_.is_skipped) {
      return refuse(fmt::format("it has the label {0}=true, so no policy would take it; kubectl label node {1} {0}-",
                                vendors::kTenstorrentSkipLabel, view_.node));
    }
    if (!view_.policy) return refuse("no TenstorrentDriverPolicy means it; apply one that does (paused: true is fine)");
    if (view_.install_mode == vendors::kContainerMode) return taken_over();
    if (view_.helper.state == HelperState::Succeeded) {
      if (!view_.mark.empty()) return {Operation::Release, "host vacated; the node is given back"};
      return {Operation::Wait, "waiting for the node's agent to notice that the host is vacated"};
    }
    return clear_and_work("vacating the host");
  }

  NextDeed taken_over() const {
    if (!view_.mark.empty()) return {Operation::Release, "the operator has the node; it is given back"};
    if (view_.helper.state != HelperState::None) return remove_helper();
    if (view_.policy->is_paused) {
      return {Operation::Done, fmt::format("vacated; {0} is paused: kubectl patch ttdp {0} --type merge -p "
                                           "'{{\"spec\":{{\"paused\":false}}}}' lets the operator load {1}",
                                           view_.policy->name, view_.policy->version)};
    }
    if (view_.kmd_version == view_.policy->version) {
      return {Operation::Done, fmt::format("the operator's driver {} is loaded", view_.kmd_version)};
    }
    return {Operation::Wait, fmt::format("waiting for the operator to load {}", view_.policy->version)};
  }

  NextDeed to_host() const {
    const bool is_over = view_.install_mode == vendors::kHostMode;
    if (is_over && view_.mark.empty() && view_.helper.state == HelperState::None) {
      return {Operation::Done, "the host has its own driver"};
    }
    if (!view_.is_skipped) return {Operation::Skip, "taking it out of every policy (skip label)"};
    if (view_.helper.state == HelperState::Succeeded) {
      if (!is_over) return {Operation::SayHost, "the host has its own driver again"};
      if (!view_.mark.empty()) return {Operation::Release, "the node is given back"};
      return remove_helper();
    }
    return clear_and_work(
        "the operator's driver is taken off; on the node: sudo apt install --reinstall tenstorrent-dkms (or: dkms "
        "install tenstorrent/<version>), then sudo modprobe tenstorrent");
  }

  // Cordon, drain, and the work on the machine.
  NextDeed clear_and_work(std::string at_work) const {
    if (view_.helper.state == HelperState::Failed && !view_.helper_is_ours) return remove_helper();
    if (view_.helper.state == HelperState::Failed) {
      return {Operation::Fail, fmt::format("{}; it stays cordoned: fix that and run this again, or kubectl uncordon {}",
                                           view_.helper.said, view_.node)};
    }
    if (view_.helper.state == HelperState::UnderWay) {
      return {Operation::Wait, view_.helper.said.empty() ? at_work : view_.helper.said};
    }
    if (view_.mark.empty()) {
      if (const std::string trouble = protected_pods(view_, terms_); !trouble.empty()) return refuse(trouble);
      return {Operation::Cordon, view_.is_cordoned ? "found cordoned, and will be left so" : "cordoning it"};
    }
    if (!view_.pods.empty()) return drain();
    if (terms_.direction == Direction::ToHost && view_.builder_is_there) {
      return {Operation::Wait, "waiting for the builder's pod to leave, which would load the driver again"};
    }
    return {Operation::StartHelper, std::move(at_work)};
  }

  NextDeed drain() const {
    const std::string trouble = protected_pods(view_, terms_);
    const bool is_late = view_.spent > terms_.drain_at_most;
    if (!trouble.empty() || is_late) {
      return {Operation::Fail,
              fmt::format("{}; it stays cordoned: run this again, or kubectl uncordon {}",
                          trouble.empty() ? fmt::format("not drained within {}: {}", base::human(terms_.drain_at_most),
                                                        names_of(view_.pods))
                                          : trouble,
                          view_.node)};
    }
    const bool all_go = std::all_of(view_.pods.begin(), view_.pods.end(), [](const auto& pod) { return pod.is_going; });
    return {all_go ? Operation::Wait : Operation::Evict, "evicting " + names_of(view_.pods)};
  }

  NextDeed remove_helper() const {
    if (view_.helper.is_going) return {Operation::Wait, "waiting for the pod of an earlier run to go"};
    return {Operation::RemoveHelper, "removing the pod that did the work"};
  }

  NextDeed refuse(std::string why) const {
    if (view_.mark.empty()) return {Operation::Refuse, std::move(why)};
    return {Operation::Fail,
            fmt::format("{}; it stays cordoned by an earlier run: kubectl uncordon {}", why, view_.node)};
  }

  const MigrationView& view_;
  const MigrationTerms& terms_;
};

}  // namespace

NextDeed next_deed(const MigrationView& view, const MigrationTerms& terms) { return StepChooser(view, terms).next(); }

std::vector<std::string> migration_preview(const MigrationView& view, const MigrationTerms& terms) {
  const NextDeed first = next_deed(view, terms);
  if (first.operation == Operation::Refuse || first.operation == Operation::Fail || first.operation == Operation::Done)
    return {first.text};
  std::vector<std::string> lines;
  const bool to_host = terms.direction == Direction::ToHost;
  if (to_host && !view.is_skipped) lines.push_back(fmt::format("would set {}=true", vendors::kTenstorrentSkipLabel));
  if (!view.is_cordoned) lines.emplace_back("would cordon it");
  if (!view.pods.empty()) lines.push_back("would evict " + names_of(view.pods));
  lines.emplace_back(to_host ? "would unload the operator's driver, and wait until DKMS has brought the host's"
                             : "would unload DKMS's driver and remove what DKMS left");
  if (!view.is_cordoned) lines.emplace_back("would uncordon it");
  if (!to_host) {
    lines.push_back(view.policy->is_paused
                        ? fmt::format("{} is paused: the operator would load nothing", view.policy->name)
                        : fmt::format("would wait until the operator has loaded {}", view.policy->version));
  }
  return lines;
}

}  // namespace drover::cli
