// The swap begins with the end of the old driver's pod; until then the node can still be given back.
#pragma once

#include "core/conditions/agent.h"
#include "core/conditions/emptying.h"
#include "core/conditions/installed.h"
#include "core/conditions/placement.h"
#include "core/conditions/selection.h"
#include "core/conditions/swap.h"
#include "core/conditions/without_controller.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kLastLook[] = {
    move(kSwap, both(old_driver_still_serves, no_longer_wanted), Idle, Reason::NotSelected,
         "the policy no longer wants the node"),
    move(kSwap, both(no_longer_wanted, no_pod_will_come), Idle, Reason::NotSelected,
         "the policy no longer wants the node, and no DaemonSet makes its pod")
        .with(ResidentAgent),
    move(kSwap, driver_is_host_managed, Idle, Reason::HostManaged, "the driver is the host's own by now")
        .with(ResidentAgent),
    move(kSwap, both(old_driver_still_serves, skip_label_is_set), Required, Reason::SkipLabel, "the skip label is set")
        .with(Skippable),
    move(kSwap, both(old_driver_still_serves, wanted_driver_is_unknown), Required, Reason::TargetUnknown,
         "the target driver cannot be determined"),
    move(kSwap, both(old_driver_still_serves, wanted_driver_failed_here), Failed, Reason::TargetFailedHere,
         "the wanted driver is the one that failed here"),
    move(kSwap, both(old_driver_still_serves, nothing_is_to_change), Done, Reason::UpToDate,
         "the wanted driver is the one it has"),
    move(kSwap, both(old_driver_still_serves, another_driver_is_not_prepared), Required, Reason::NotPrepared,
         "another driver is wanted, and it is not prepared")
        .with(ResidentAgent),
    move(kSwap, both(old_driver_still_serves, new_pod_would_not_fit), Required, Reason::Misfit,
         "the driver's pod does not fit the node"),
    move(kSwap, both(old_driver_is_there, a_person_uncordoned_it), Required, Reason::UncordonedByUser,
         "a user uncordoned it"),

    // A node that was served without the controller is given back as soon as its driver has what it wanted.
    move(kSwap, driver_asks_no_more, Required, Reason::RequestWithdrawn,
         "the driver init container withdrew its request")
        .with(InitRequests),
    move(kSwap, both(driver_asks_for_a_drain, drain_is_on), Drain, Reason::DrainRequested,
         "the driver init container requests a drain")
        .with(InitRequests),
};

}  // namespace drover::core::fragments
