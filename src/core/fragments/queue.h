// In the queue: may the node be taken out of service now? It still serves, and what can be proven before is.
#pragma once

#include "core/conditions/agent.h"
#include "core/conditions/installed.h"
#include "core/conditions/placement.h"
#include "core/conditions/queue.h"
#include "core/conditions/selection.h"
#include "core/conditions/swap.h"
#include "core/conditions/without_controller.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kQueue[] = {
    // An unknown label is corrected first; the node is not in flight yet.
    wait(Required, label_is_unknown, Reason::UnknownStateLabel, "the state label has an unknown value")
        .with(StateLabel),
    wait(Required, skip_label_is_set, Reason::SkipLabel, "the skip label is set").with(Skippable),
    wait(Required, wanted_driver_is_unknown, Reason::TargetUnknown, "the target driver cannot be determined"),
    move(Required, wanted_driver_failed_here, Failed, Reason::TargetFailedHere,
         "the wanted driver is the one that failed here"),
    wait(Required, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),
    move(Required, nothing_is_to_change, Done, Reason::UpToDate, "the wanted driver is the one it has"),
    wait(Required, new_pod_would_not_fit, Reason::Misfit, "the driver's pod does not fit the node"),
    wait(Required, both(wanted_driver_is_starting, its_pod_is_unschedulable), Reason::Unschedulable,
         "the scheduler finds no place for its pod"),
    wait(Required, wanted_driver_is_starting, Reason::DriverStarting, "the wanted driver is starting"),
    wait(Required, other_work_has_it, Reason::ClaimedByOtherWork, "the node is claimed by other work"),
    wait(Required, given_back_lately, Reason::RecentlyUncordoned, "uncordoned by a user"),
    wait(Required, kernel_cannot_unload, Reason::CannotUnload, "its kernel cannot unload modules"),
    wait(Required, rollout_is_halted, Reason::RolloutHalted,
         "the rollout is halted: too many nodes failed with this driver"),
    work(Required, its_pod_cannot_prepare, Action::ReplaceDriverPod, Reason::PodOutdated,
         "its pod is recreated to build the next driver")
        .with(ResidentAgent),
    work(Required, image_is_missing, Action::ProveImage, Reason::ImageMissing, "the driver's image cannot be pulled")
        .with(Container),
    work(Required, image_is_missing, Action::ProveImage, Reason::ImageMissing, "the driver cannot be prepared")
        .with(ResidentAgent),
    wait(Required, its_turn_has_not_come, Reason::NotNext, "its turn has not come"),
    work(Required, image_is_unproven, Action::ProveImage, Reason::Preparing, "the driver's image is being fetched")
        .with(Container),
    work(Required, image_is_unproven, Action::ProveImage, Reason::Preparing, "the driver is being prepared")
        .with(ResidentAgent),
    wait(Required, no_slot_is_free, Reason::NoSlot, "no slot is free"),

    // What an init container will ask for itself, once its pod is replaced, is not done before.
    wait(Required, both(driver_goes_without_controller, template_is_not_settled), Reason::TemplateUpdating,
         "the driver's DaemonSet is being updated")
        .with(InitRequests),
    work(Required, both(driver_goes_without_controller, old_driver_is_there), Action::ReplaceDriverPod,
         Reason::ReplacingDriver, "replacing the driver's pod; its init container requests evictions")
        .with(InitRequests),
    wait(Required, driver_goes_without_controller, Reason::ReplacingDriver, "the driver's pod is being replaced")
        .with(InitRequests),
    move(Required, otherwise, Cordon, Reason::SlotFree, "a slot is free"),
};

}  // namespace drover::core::fragments
