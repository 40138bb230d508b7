// The flow of drivers that are built on the node: prepared while it serves, then loaded by an agent that asks first.
//
// What is like the other flow is spelled like there, line by line, so that each table reads as a whole.
#include <array>

#include "core/reference/ask/clearing.h"
#include "core/reference/ask/driver.h"
#include "core/reference/ask/prepared.h"
#include "core/reference/ask/swap.h"
#include "core/reference/ask/turn.h"
#include "core/reference/ask/wishes.h"
#include "core/reference/flow.h"

namespace drover::reference {
namespace {

using enum Phase;

constexpr std::array kUpgradeWhenPrepared = {
    // At rest. A pod is renewed also where the driver is the host's own.
    wait(Idle, no_longer_wanted, "the policy does not want the node"),
    move({Done, Required, Failed}, no_longer_wanted, Idle, "the policy no longer wants the node"),
    work({Idle, Done, Failed}, its_pod_may_be_renewed, Work::ReplaceDriverPod,
         "its pod is made anew; the driver stays as it is"),
    wait({Idle, Done}, driver_is_the_hosts_own, "the driver is the host's own"),
    move({Required, Failed}, driver_is_the_hosts_own, Idle, "the driver is the host's own by now"),
    move(Failed, somebody_asked, Required, "somebody asked for another try"),
    wait({Idle, Done, Required, Failed}, upgrades_are_off, "upgrades are off"),
    move({Idle, Done}, somebody_asked, Required, "somebody asked for it"),
    wait(Idle, driver_is_outdated&& template_is_not_settled, "the driver's DaemonSet is being updated"),
    work(Idle, first_driver_is_being_installed&& old_driver_is_there, Work::ReplaceDriverPod,
         "the first driver is replaced before it has served"),
    wait({Idle, Done}, first_driver_is_being_installed, "the first driver is being installed"),
    move({Idle, Done}, driver_asks_to_load, Required, "a new driver waits for permission to load"),
    move({Idle, Done}, driver_is_outdated, Required, "the driver is outdated"),
    wait(Idle, wanted_driver_is_unknown, "nobody knows which driver it should have"),
    wait(Idle, node_is_not_ready, "the node is not ready"),
    wait(Idle, driver_is_not_ready, "the driver is not ready"),
    move(Idle, otherwise, Done, "the driver is up to date"),
    wait(Done, otherwise, "the driver is up to date"),

    // Its turn: nobody is cordoned before the next driver lies ready on the node.
    wait(Required, wanted_driver_is_unknown, "nobody knows which driver it should have"),
    move(Required, wanted_driver_failed_here, Failed, "the wanted driver is the one that failed here"),
    wait(Required, node_is_not_ready, "the node is not ready"),
    move(Required, nothing_is_to_change, Done, "the wanted driver is the one it has"),
    wait(Required, wanted_driver_is_starting, "the wanted driver is starting"),
    wait(Required, somebody_else_has_it, "somebody else has the node"),
    wait(Required, given_back_lately, "a person gave it back to service a moment ago"),
    wait(Required, kernel_cannot_unload, "its kernel cannot unload modules"),
    wait(Required, rollout_is_halted, "the rollout is halted: too many nodes failed with this driver"),
    work(Required, nobody_can_prepare_it, Work::ReplaceDriverPod, "its pod is made anew, to build the next driver"),
    work(Required, image_is_missing, Work::ProveImage, "the driver cannot be prepared"),
    wait(Required, its_turn_has_not_come, "its turn has not come"),
    work(Required, image_is_unproven, Work::ProveImage, "the driver is being prepared"),
    wait(Required, no_slot_is_free, "no slot is free"),
    move(Required, otherwise, Cordon, "a slot is free"),

    // Before the swap the node can be given back as it was, and is, whenever the reason to take it has gone.
    move(kBeforeSwap, no_longer_wanted, Idle, "the policy no longer wants the node"),
    move(kBeforeSwap, driver_is_the_hosts_own, Idle, "the driver is the host's own by now"),
    move(kBeforeSwap, wanted_driver_is_unknown, Required, "nobody knows which driver it should have"),
    move(kBeforeSwap, wanted_driver_failed_here, Failed, "the wanted driver is the one that failed here"),
    move(kBeforeSwap, nothing_is_to_change&& node_is_not_ready, Required,
         "the wanted driver is the one it has, and the node is not ready"),
    move(kBeforeSwap, nothing_is_to_change, Done, "the wanted driver is the one it has"),
    move(kBeforeSwap, another_driver_is_not_prepared, Required, "another driver is wanted, and it is not prepared"),
    move(kBeforeSwap, a_person_uncordoned_it, Required, "a person uncordoned it"),
    move(kBeforeSwap, off_before_anybody_went, Idle, "upgrades are off, and no pod has gone yet"),
    wait(kBeforeSwap, upgrades_are_off, "upgrades are off"),
    move(kBeforeSwap, node_is_lost, Failed, "the node was lost"),
    wait(kBeforeSwap, node_is_not_ready, "the node is not ready"),

    move({Cordon, WaitForJobs, EvictDevicePods}, otherwise, Drain, "the node is emptied in one go"),

    // Two passes, one time for both: who uses the device, then everybody else.
    move(Drain, nobody_is_to_be_evicted, Restart, "no pod is to be evicted"),
    wait(Drain, pods_are_not_known, "the node's pods are being listed"),
    move(Drain, a_holder_may_not_go, Failed, "a pod that uses the device may not be evicted"),
    move(Drain, a_holder_is_left&& emptying_took_too_long, Failed, "the drain ran out of time"),
    work(Drain, a_holder_is_left, Work::EvictDevicePods, "evicting pods that use the device"),
    wait(Drain, gates_are_at_work, "pods that use the device are leaving"),
    move(Drain, drain_is_off, Restart, "no pod uses the device"),
    move(Drain, everybody_has_gone, Restart, "the node is drained"),
    move(Drain, somebody_may_not_go, Failed, "a pod may not be evicted"),
    move(Drain, emptying_took_too_long, Failed, "the drain ran out of time"),
    work(Drain, otherwise, Work::EvictAll, "draining"),

    // The swap begins with the end of the old driver's pod; until then the node can still be given back.
    move(Restart, old_driver_still_serves&& no_longer_wanted, Idle, "the policy no longer wants the node"),
    move(Restart, no_longer_wanted&& its_pod_is_gone, Idle, "the policy no longer wants the node, and its pod is gone"),
    move(Restart, driver_is_the_hosts_own, Idle, "the driver is the host's own by now"),
    move(Restart, old_driver_still_serves&& wanted_driver_is_unknown, Required,
         "nobody knows which driver it should have"),
    move(Restart, old_driver_still_serves&& wanted_driver_failed_here, Failed,
         "the wanted driver is the one that failed here"),
    move(Restart, old_driver_still_serves&& nothing_is_to_change, Done, "the wanted driver is the one it has"),
    move(Restart, old_driver_still_serves&& another_driver_is_not_prepared, Required,
         "another driver is wanted, and it is not prepared"),
    move(Restart, old_driver_is_there&& a_person_uncordoned_it, Required, "a person uncordoned it"),
    wait(Restart, old_driver_is_there&& pods_are_not_known, "the node's pods are being listed"),
    move(Restart, old_driver_is_there&& holders_keep_coming, Failed, "pods that use the device keep coming"),
    move(Restart, old_driver_is_there&& a_holder_has_come, Drain, "a pod that uses the device has come"),

    // Pausing stops what takes the node away, not what gives it back.
    move(Restart, old_driver_still_serves&& off_before_anybody_went, Idle, "upgrades are off, and no pod has gone yet"),
    wait(Restart, old_driver_is_there&& upgrades_are_off, "upgrades are off"),
    wait(Restart, template_is_not_settled, "the driver's DaemonSet is being updated"),
    work(Restart, old_driver_is_there, Work::ReplaceDriverPod, "replacing the driver"),
    move(Restart, new_driver_is_ready, Uncordon, "the new driver is loaded"),
    move(Restart, new_driver_did_not_load, Failed, "the new driver did not load"),
    move(Restart, node_is_lost, Failed, "the node was lost"),
    wait(Restart, node_is_not_ready, "the node is not ready"),

    // The rollout waits for whoever holds the device; it goes on by itself when he leaves.
    work(Restart, its_pod_may_not_force, Work::ReplaceDriverPod, "its pod is made anew, to end what holds the device"),
    wait(Restart, device_is_held, "somebody holds the device"),
    work(Restart, its_pod_is_stale_and_in_trouble, Work::ReplaceDriverPod,
         "its pod is made anew from the new template"),
    move(Restart, restart_ran_out_of_time, Failed, "the new driver did not become ready"),
    wait(Restart, otherwise, "the new driver is starting"),

    // Only who comes here from elsewhere can be caught without a driver.
    move(Validate, otherwise, Restart, "what is loaded is looked at anew"),
    move(Uncordon, driver_is_not_ready, Restart, "the driver is not ready"),
    move(Uncordon, otherwise, Done, "the node is back in service"),

    // Left by a person, by a pod that he had made anew, or by another version; never by itself.
    move(Failed, a_new_pod_asks, Required, "its pod was made anew: another try"),
    move(Failed, another_version_is_wanted, Required, "another version is wanted"),
    wait(Failed, otherwise, "a person has to look"),
};
static_assert(says_something_everywhere(kUpgradeWhenPrepared));

constexpr Flow kWhenPrepared = {.name = "upgrade-when-prepared",
                                .rules = kUpgradeWhenPrepared,
                                .gates_close_at = Cordon,
                                .gates_open_at = Uncordon,
                                .has_label = false,
                                .pod_is_another_try = true};

}  // namespace

const Flow& upgrade_when_prepared() { return kWhenPrepared; }

}  // namespace drover::reference
