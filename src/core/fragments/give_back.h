// Before the swap the node can be given back as it was, and is, whenever the reason to take it has gone.
#pragma once

#include "core/conditions/agent.h"
#include "core/conditions/emptying.h"
#include "core/conditions/installed.h"
#include "core/conditions/placement.h"
#include "core/conditions/queue.h"
#include "core/conditions/selection.h"
#include "core/conditions/without_controller.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kGiveBack[] = {
    move(kBeforeSwap, no_longer_wanted, Idle, Reason::NotSelected, "the policy no longer wants the node"),
    move(kBeforeSwap, driver_is_host_managed, Idle, Reason::HostManaged, "the driver is the host's own by now")
        .with(ResidentAgent),
    move(kBeforeSwap, skip_label_is_set, Required, Reason::SkipLabel, "the skip label is set").with(Skippable),
    move(kBeforeSwap, wanted_driver_is_unknown, Required, Reason::TargetUnknown,
         "the target driver cannot be determined"),
    move(kBeforeSwap, wanted_driver_failed_here, Failed, Reason::TargetFailedHere,
         "the wanted driver is the one that failed here"),
    move(kBeforeSwap, both(nothing_is_to_change, node_is_not_ready), Required, Reason::NodeNotReady,
         "the wanted driver is the one it has, and the node is not ready"),
    move(kBeforeSwap, nothing_is_to_change, Done, Reason::UpToDate, "the wanted driver is the one it has"),
    move(kBeforeSwap, another_driver_is_not_prepared, Required, Reason::NotPrepared,
         "another driver is wanted, and it is not prepared")
        .with(ResidentAgent),
    move(kBeforeSwap, a_person_uncordoned_it, Required, Reason::UncordonedByUser, "a user uncordoned it"),
    move(kBeforeSwap, driver_asks_no_more, Required, Reason::RequestWithdrawn,
         "the driver init container withdrew its request")
        .with(InitRequests),
    move(kBeforeSwap, new_pod_would_not_fit, Required, Reason::Misfit, "the driver's pod does not fit the node"),
    move(kBeforeSwap, kernel_cannot_unload, Required, Reason::CannotUnload, "its kernel cannot unload modules")
        .with(Container),
};

}  // namespace drover::core::fragments
