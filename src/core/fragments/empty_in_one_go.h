// Emptying a node in one go: two passes, one time for both; first what uses the device, then everything else.
#pragma once

#include "core/conditions/agent.h"
#include "core/conditions/emptying.h"
#include "core/conditions/queue.h"
#include "core/conditions/selection.h"
#include "core/conditions/swap.h"
#include "core/rule.h"

namespace drover::core::fragments {

using enum Phase;
using enum Trait;

inline constexpr Rule kEmptyInOneGo[] = {
    move(kBeforeSwap, off_before_any_pod_went, Idle, Reason::Paused, "upgrades are off, and no pod has gone yet"),
    wait(kBeforeSwap, upgrades_are_off, Reason::Paused, "upgrades are off"),
    move(kBeforeSwap, node_is_lost, Failed, Reason::NodeLost, "the node was lost"),
    wait(kBeforeSwap, node_is_not_ready, Reason::NodeNotReady, "the node is not ready"),

    move({Cordon, WaitForJobs, EvictDevicePods}, otherwise, Drain, Reason::Cordoned, "the node is emptied in one go"),

    move(Drain, nothing_is_to_be_evicted, kSwap, Reason::NothingToEvict, "no pod is to be evicted"),
    wait(Drain, pods_are_not_known, Reason::ListingPods, "the node's pods are being listed"),
    move(Drain, pods_keep_coming, Failed, Reason::PodsKeepComing, "pods that use the device keep coming"),
    move(Drain, a_holder_may_not_go, Failed, Reason::EvictionRefused, "a pod that uses the device may not be evicted"),
    move(Drain, both(a_holder_is_left, emptying_took_too_long), Failed, Reason::DrainTimeout,
         "the drain ran out of time"),
    work(Drain, a_holder_is_left, Action::EvictDevicePods, Reason::EvictingDevicePods,
         "evicting pods that use the device"),
    wait(Drain, gates_are_at_work, Reason::DeviceInUse, "pods that use the device are leaving"),
    move(Drain, drain_is_off, kSwap, Reason::DeviceFree, "no pod uses the device"),
    move(Drain, node_is_drained, kSwap, Reason::Drained, "the node is drained"),
    move(Drain, a_pod_may_not_be_evicted, Failed, Reason::DrainRefused, "a pod may not be evicted"),
    move(Drain, emptying_took_too_long, Failed, Reason::DrainTimeout, "the drain ran out of time"),
    work(Drain, otherwise, Action::EvictAll, Reason::Draining, "draining"),

    // A scheduler that had not seen the cordon yet may have put a pod there since.
    wait(kSwap, both(old_driver_is_there, pods_are_not_known), Reason::ListingPods, "the node's pods are being listed"),
    move(kSwap, both(old_driver_is_there, pods_keep_coming), Failed, Reason::PodsKeepComing,
         "pods that use the device keep coming"),
    move(kSwap, both(old_driver_is_there, a_holder_has_come), Drain, Reason::PodReturned,
         "a pod that uses the device has come"),

    // Pausing stops what takes the node away, not what gives it back.
    move(kSwap, both(old_driver_still_serves, off_before_any_pod_went), Idle, Reason::Paused,
         "upgrades are off, and no pod has gone yet"),
    wait(kSwap, both(old_driver_is_there, upgrades_are_off), Reason::Paused, "upgrades are off"),
};

}  // namespace drover::core::fragments
