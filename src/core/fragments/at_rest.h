// At rest: is there anything to do? Idle, done, failed, and what takes a node out of the queue.
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

inline constexpr Rule kAtRest[] = {
    wait(Idle, no_longer_wanted, Reason::NotSelected, "the policy does not want the node"),
    move({Done, Required, Failed}, no_longer_wanted, Idle, Reason::NotSelected, "the policy no longer wants the node"),
    // A pod is renewed also where the driver is the host's own.
    work({Idle, Done, Failed}, its_pod_may_be_renewed, Action::ReplaceDriverPod, Reason::PodOutdated,
         "its pod is recreated; the driver stays as it is")
        .with(ResidentAgent),
    wait({Idle, Done}, driver_is_host_managed, Reason::HostManaged, "the driver is the host's own"),
    move({Required, Failed}, driver_is_host_managed, Idle, Reason::HostManaged, "the driver is the host's own by now")
        .with(ResidentAgent),
    work({Idle, Done, Required, Failed, kSwap}, both(its_pod_never_ran, another_pod_is_wanted),
         Action::ReplaceDriverPod, Reason::PodOutdated, "its pod never ran, and is recreated from the new template"),
    move(Failed, an_upgrade_is_requested, Required, Reason::Requested, "a retry was requested"),
    wait(Idle, label_is_unknown, Reason::UnknownStateLabel, "the state label has an unknown value").with(StateLabel),

    // Without the controller a driver's own init container says what it needs.
    move({Idle, Done, Failed}, driver_asks_for_room, Required, Reason::EvictionRequested,
         "the driver init container requests eviction")
        .with(InitRequests),
    move({Idle, Done}, driver_changes_without_controller, Required, Reason::Outdated,
         "the driver is outdated, and autoUpgrade is off")
        .with(InitRequests),
    move(Failed, both(another_version_is_wanted, driver_changes_without_controller), Required, Reason::AnotherVersion,
         "another version is wanted")
        .with(InitRequests),
    move({Idle, Required}, nothing_waits_for_them, Done, Reason::UpToDate, "the wanted driver is the one it has")
        .with(InitRequests),

    wait({Idle, Done, Required, Failed}, upgrades_are_off, Reason::Paused, "upgrades are off"),
    move({Idle, Done}, an_upgrade_is_requested, Required, Reason::Requested, "an upgrade was requested"),
    wait(Idle, both(driver_is_outdated, template_is_not_settled), Reason::TemplateUpdating,
         "the driver's DaemonSet is being updated")
        .with(ResidentAgent),
    wait(Idle, both(first_driver_is_being_installed, template_is_not_settled), Reason::TemplateUpdating,
         "the driver's DaemonSet is being updated")
        .with(Container),
    work(Idle, both(first_driver_is_being_installed, old_driver_is_there), Action::ReplaceDriverPod,
         Reason::ReplacingDriver, "the first driver is replaced before it has served"),
    wait(Idle, its_pod_is_unschedulable, Reason::Unschedulable, "the scheduler finds no place for its pod"),
    wait(Idle, its_pod_does_not_fit, Reason::Misfit, "the driver's pod does not fit the node"),
    wait(Idle, first_driver_is_being_installed, Reason::FirstInstall, "the first driver is being installed"),
    wait(Done, first_driver_is_being_installed, Reason::FirstInstall, "the first driver is being installed")
        .with(ResidentAgent),
    move({Idle, Done}, driver_asks_to_load, Required, Reason::LoadRequested,
         "a new driver waits for permission to load"),
    move({Idle, Done}, driver_is_outdated, Required, Reason::Outdated, "the driver is outdated"),
    // After those two: "done" says that a driver has served here, so another one goes the long way.
    wait(Done, first_driver_is_being_installed, Reason::FirstInstall, "the first driver is being installed")
        .with(Container),
    wait(Idle, wanted_driver_is_unknown, Reason::TargetUnknown, "the target driver cannot be determined"),
    wait(Idle, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),
    wait(Idle, driver_is_not_ready, Reason::DriverNotReady, "the driver is not ready"),
    move(Idle, otherwise, Done, Reason::UpToDate, "the driver is up to date"),
    wait(Done, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),
    wait(Done, driver_serves_no_longer, Reason::DriverNotReady, "the driver no longer serves").announced(),
    wait(Done, driver_is_not_heard_of, Reason::DriverUnknown, "nothing is heard of the driver")
        .with(ResidentAgent)
        .announced(),
    wait(Done, otherwise, Reason::UpToDate, "the driver is up to date"),
};

}  // namespace drover::core::fragments
