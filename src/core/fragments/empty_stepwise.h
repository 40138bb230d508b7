// Emptying a node step by step: jobs may finish, then pods that use the device go, then, where it is on, the drain.
#pragma once

#include "core/conditions/emptying.h"
#include "core/conditions/queue.h"
#include "core/conditions/selection.h"
#include "core/conditions/swap.h"
#include "core/conditions/without_controller.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kEmptyStepwise[] = {
    move({Cordon, WaitForJobs}, upgrades_are_off, Required, Reason::Paused, "upgrades are off"),
    move({EvictDevicePods, Drain}, off_before_any_pod_went, Required, Reason::Paused,
         "upgrades are off, and no pod has gone yet"),
    wait({EvictDevicePods, Drain}, upgrades_are_off, Reason::Paused, "upgrades are off"),
    move(kBeforeSwap, node_is_lost, Failed, Reason::NodeLost, "the node was lost"),
    wait(kBeforeSwap, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),

    move(Cordon, otherwise, WaitForJobs, Reason::Cordoned, "the node is cordoned"),

    move(WaitForJobs, no_jobs_are_named, EvictDevicePods, Reason::NoJobs, "there is nothing to wait for"),
    wait(WaitForJobs, pods_are_not_known, Reason::ListingPods, "the node's pods are being listed"),
    move(WaitForJobs, jobs_are_done, EvictDevicePods, Reason::JobsDone, "the jobs are done"),
    move(WaitForJobs, jobs_ran_out_of_time, EvictDevicePods, Reason::JobsTimeout, "the jobs took too long"),
    wait(WaitForJobs, otherwise, Reason::WaitingForJobs, "waiting for jobs"),

    move(EvictDevicePods, device_pods_are_left_alone, Drain, Reason::LeftToDrain,
         "pods that use the device are left to the drain"),
    move(EvictDevicePods, both(driver_asks_for_a_drain, drain_is_on), Drain, Reason::DrainRequested,
         "the driver init container requests a drain"),
    wait(EvictDevicePods, pods_are_not_known, Reason::ListingPods, "the node's pods are being listed"),
    move(EvictDevicePods, no_pod_uses_the_device, kSwap, Reason::DeviceFree, "no pod uses the device"),
    move(EvictDevicePods, pods_keep_coming, Failed, Reason::PodsKeepComing, "pods that use the device keep coming"),
    move(EvictDevicePods, both(a_device_pod_may_not_go, drain_is_on), Drain, Reason::EvictionRefused,
         "a pod may not be evicted, and drain is on"),
    move(EvictDevicePods, a_device_pod_may_not_go, Failed, Reason::EvictionRefused,
         "a pod that uses the device may not be evicted"),
    move(EvictDevicePods, both(eviction_is_hopeless, drain_is_on), Drain, Reason::EvictionTimeout,
         "pods would not go, and drain is on"),
    move(EvictDevicePods, eviction_is_hopeless, Failed, Reason::EvictionTimeout,
         "pods that use the device would not go"),
    work(EvictDevicePods, eviction_ran_out_of_time, Action::DeleteDevicePods, Reason::EvictionTimeout,
         "the time for evictions is over"),
    work(EvictDevicePods, otherwise, Action::EvictDevicePods, Reason::EvictingDevicePods,
         "evicting pods that use the device"),

    move(Drain, both(drain_is_off, device_pods_are_left_alone), kSwap, Reason::NothingToEvict,
         "no pod is to be evicted"),
    move(Drain, drain_is_off, EvictDevicePods, Reason::DrainDisabled, "drain is off"),
    wait(Drain, pods_are_not_known, Reason::ListingPods, "the node's pods are being listed"),
    move(Drain, nothing_is_in_the_way, kSwap, Reason::Drained, "the node is drained"),
    move(Drain, pods_keep_coming, Failed, Reason::PodsKeepComing, "pods that use the device keep coming"),
    move(Drain, a_pod_may_not_go, Failed, Reason::DrainRefused, "a pod may not be evicted"),
    move(Drain, both(drain_ran_out_of_time, no_pod_uses_the_device), kSwap, Reason::DrainTimeout,
         "the time for the drain is over; no pod uses the device"),
    move(Drain, drain_is_hopeless, Failed, Reason::DrainTimeout, "the drain ran out of time"),
    work(Drain, drain_ran_out_of_time, Action::DeleteDevicePods, Reason::DrainTimeout,
         "the time for the drain is over"),
    work(Drain, otherwise, Action::EvictAll, Reason::Draining, "draining"),

    // A scheduler that had not seen the cordon yet may have put a pod there since.
    wait(kSwap, both(old_driver_is_there, pods_are_not_known), Reason::ListingPods, "the node's pods are being listed"),
    move(kSwap, both(old_driver_is_there, pods_keep_coming), Failed, Reason::PodsKeepComing,
         "pods that use the device keep coming"),
    move(kSwap, both(old_driver_is_there, a_device_pod_has_come), EvictDevicePods, Reason::PodReturned,
         "a pod that uses the device has come"),

    // Pausing stops what takes the node away, not what gives it back.
    move(kSwap, both(old_driver_still_serves, off_before_any_pod_went), Required, Reason::Paused,
         "upgrades are off, and no pod has gone yet"),
    wait(kSwap, both(old_driver_is_there, upgrades_are_off), Reason::Paused, "upgrades are off"),
};

}  // namespace drover::core::fragments
