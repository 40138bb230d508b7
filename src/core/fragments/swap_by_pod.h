// The swap: the old driver's pod is replaced, and the new one's driver is waited for.
#pragma once

#include "core/conditions/agent.h"
#include "core/conditions/placement.h"
#include "core/conditions/queue.h"
#include "core/conditions/swap.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kSwapByPod[] = {
    wait(kSwap, template_is_not_settled, Reason::TemplateUpdating, "the driver's DaemonSet is being updated"),
    work(kSwap, old_driver_is_there, Action::ReplaceDriverPod, Reason::ReplacingDriver, "replacing the driver"),
    move(kSwap, new_driver_is_ready, Validate, Reason::DriverReady, "the new driver is ready").with(Validator),
    move(kSwap, new_driver_is_ready, Uncordon, Reason::DriverReady, "the new driver is loaded").with(ResidentAgent),
    move(kSwap, new_driver_did_not_load, Failed, Reason::LoadFailed, "the new driver did not load").with(ResidentAgent),
    move(kSwap, restart_ran_out_of_time, Failed, Reason::StartTimeout, "the new driver did not become ready")
        .with(Container),
    move(kSwap, node_is_lost, Failed, Reason::NodeLost, "the node was lost"),
    wait(kSwap, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),

    // The rollout waits for processes that hold the device; it goes on by itself when the device is released.
    work(kSwap, its_pod_may_not_force, Action::ReplaceDriverPod, Reason::PodOutdated,
         "its pod is recreated to end the processes that hold the device")
        .with(ResidentAgent),
    wait(kSwap, device_is_held, Reason::DeviceHeld, "the device is held").with(ResidentAgent),
    work(kSwap, its_pod_is_stale_and_in_trouble, Action::ReplaceDriverPod, Reason::PodOutdated,
         "its pod is recreated from the new template")
        .with(ResidentAgent),
    move(kSwap, restart_ran_out_of_time, Failed, Reason::StartTimeout, "the new driver did not become ready")
        .with(ResidentAgent),
    wait(kSwap, its_pod_is_unschedulable, Reason::Unschedulable, "the scheduler finds no place for its pod"),
    wait(kSwap, its_pod_does_not_fit, Reason::Misfit, "the driver's pod does not fit the node"),
    wait(kSwap, otherwise, Reason::DriverStarting, "the new driver is starting"),
};

}  // namespace drover::core::fragments
