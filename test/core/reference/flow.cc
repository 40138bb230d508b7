#include "core/reference/flow.h"

#include <array>

#include "core/reference/ask/alone.h"
#include "core/reference/ask/clearing.h"
#include "core/reference/ask/driver.h"
#include "core/reference/ask/swap.h"
#include "core/reference/ask/turn.h"
#include "core/reference/ask/wishes.h"

namespace drover::reference {
namespace {

using enum Phase;

// A state machine you can see. The first line that applies counts; `explain` prints it line by line.
constexpr std::array kUpgradeInPlace = {
    // At rest.
    wait(Idle, no_longer_wanted, "the policy does not want the node"),
    move({Done, Required, Failed}, no_longer_wanted, Idle, "the policy no longer wants the node"),
    wait({Idle, Done}, driver_is_the_hosts_own, "the driver is the host's own"),
    move(Failed, somebody_asked, Required, "somebody asked for another try"),
    wait(Idle, label_is_unknown, "the state label says something that nobody knows"),

    // Without the controller a driver's own init container says what it needs.
    move({Idle, Done, Failed}, driver_asks_for_room, Required, "the driver asks for room"),
    move({Idle, Done}, driver_changes_alone, Required, "the driver is outdated, and no controller is at work"),
    move(Failed, another_version_is_wanted&& driver_changes_alone, Required, "another version is wanted"),
    move({Idle, Required}, nothing_waits_for_them, Done, "the wanted driver is the one it has"),
    wait({Idle, Done, Required, Failed}, upgrades_are_off, "upgrades are off"),

    move({Idle, Done}, somebody_asked, Required, "somebody asked for it"),
    wait(Idle, first_driver_is_being_installed&& template_is_not_settled, "the driver's DaemonSet is being updated"),
    work(Idle, first_driver_is_being_installed&& old_driver_is_there, Work::ReplaceDriverPod,
         "the first driver is replaced before it has served"),
    wait(Idle, first_driver_is_being_installed, "the first driver is being installed"),
    move({Idle, Done}, driver_asks_to_load, Required, "a new driver waits for permission to load"),
    move({Idle, Done}, driver_is_outdated, Required, "the driver is outdated"),
    // After those two: somebody says that a driver has served here, so another one goes the long way.
    wait(Done, first_driver_is_being_installed, "the first driver is being installed"),
    wait(Idle, wanted_driver_is_unknown, "nobody knows which driver it should have"),
    wait(Idle, node_is_not_ready, "the node is not ready"),
    wait(Idle, driver_is_not_ready, "the driver is not ready"),
    move(Idle, otherwise, Done, "the driver is up to date"),
    wait(Done, otherwise, "the driver is up to date"),

    // Its turn. A label that nobody knows is put right first; whoever wrote it has the time to look.
    wait(Required, label_is_unknown, "the state label says something that nobody knows"),
    wait(Required, skip_label_is_set, "the skip label is set"),
    wait(Required, wanted_driver_is_unknown, "nobody knows which driver it should have"),
    move(Required, wanted_driver_failed_here, Failed, "the wanted driver is the one that failed here"),
    wait(Required, node_is_not_ready, "the node is not ready"),
    move(Required, nothing_is_to_change, Done, "the wanted driver is the one it has"),
    wait(Required, wanted_driver_is_starting, "the wanted driver is starting"),
    wait(Required, somebody_else_has_it, "somebody else has the node"),
    wait(Required, given_back_lately, "a person gave it back to service a moment ago"),
    wait(Required, kernel_cannot_unload, "its kernel cannot unload modules"),
    wait(Required, rollout_is_halted, "the rollout is halted: too many nodes failed with this driver"),
    work(Required, image_is_missing, Work::ProveImage, "the driver's image cannot be had"),
    wait(Required, its_turn_has_not_come, "its turn has not come"),
    work(Required, image_is_unproven, Work::ProveImage, "the driver's image is being fetched"),
    wait(Required, no_slot_is_free, "no slot is free"),
    wait(Required, driver_goes_alone&& template_is_not_settled, "the driver's DaemonSet is being updated"),
    work(Required, driver_goes_alone&& old_driver_is_there, Work::ReplaceDriverPod,
         "replacing the driver's pod, which asks for the rest itself"),
    wait(Required, driver_goes_alone, "the driver's pod is being replaced"),
    move(Required, otherwise, Cordon, "a slot is free"),

    // Before the swap the node can be given back as it was, and is, whenever the reason to take it has gone.
    move(kBeforeSwap, no_longer_wanted, Idle, "the policy no longer wants the node"),
    move(kBeforeSwap, skip_label_is_set, Required, "the skip label is set"),
    move(kBeforeSwap, wanted_driver_is_unknown, Required, "nobody knows which driver it should have"),
    move(kBeforeSwap, wanted_driver_failed_here, Failed, "the wanted driver is the one that failed here"),
    move(kBeforeSwap, nothing_is_to_change&& node_is_not_ready, Required,
         "the wanted driver is the one it has, and the node is not ready"),
    move(kBeforeSwap, nothing_is_to_change, Done, "the wanted driver is the one it has"),
    move(kBeforeSwap, a_person_uncordoned_it, Required, "a person uncordoned it"),
    move(kBeforeSwap, driver_asks_no_more, Required, "the driver asks for nothing any more"),
    move(kBeforeSwap, kernel_cannot_unload, Required, "its kernel cannot unload modules"),
    move({Cordon, WaitForJobs}, upgrades_are_off, Required, "upgrades are off"),
    move({EvictDevicePods, Drain}, off_before_anybody_went, Required, "upgrades are off, and no pod has gone yet"),
    wait({EvictDevicePods, Drain}, upgrades_are_off, "upgrades are off"),
    move(kBeforeSwap, node_is_lost, Failed, "the node was lost"),
    wait(kBeforeSwap, node_is_not_ready, "the node is not ready"),

    move(Cordon, otherwise, WaitForJobs, "the node is cordoned"),

    move(WaitForJobs, no_jobs_are_named, EvictDevicePods, "there is nothing to wait for"),
    wait(WaitForJobs, pods_are_not_known, "the node's pods are being listed"),
    move(WaitForJobs, jobs_are_done, EvictDevicePods, "the jobs are done"),
    move(WaitForJobs, jobs_ran_out_of_time, EvictDevicePods, "the jobs took too long"),
    wait(WaitForJobs, otherwise, "waiting for jobs"),

    move(EvictDevicePods, device_pods_are_left_alone, Drain, "pods that use the device are left to the drain"),
    move(EvictDevicePods, driver_asks_for_a_drain&& drain_is_on, Drain, "the driver asks for a drain"),
    wait(EvictDevicePods, pods_are_not_known, "the node's pods are being listed"),
    move(EvictDevicePods, no_pod_uses_the_device, Restart, "no pod uses the device"),
    move(EvictDevicePods, a_device_pod_may_not_go&& drain_is_on, Drain, "a pod may not be evicted, and drain is on"),
    move(EvictDevicePods, a_device_pod_may_not_go, Failed, "a pod that uses the device may not be evicted"),
    move(EvictDevicePods, eviction_is_hopeless&& drain_is_on, Drain, "pods would not go, and drain is on"),
    move(EvictDevicePods, eviction_is_hopeless, Failed, "pods that use the device would not go"),
    work(EvictDevicePods, eviction_ran_out_of_time, Work::DeleteDevicePods, "the time for evictions is over"),
    work(EvictDevicePods, otherwise, Work::EvictDevicePods, "evicting pods that use the device"),

    move(Drain, drain_is_off&& device_pods_are_left_alone, Restart, "no pod is to be evicted"),
    move(Drain, drain_is_off, EvictDevicePods, "drain is off"),
    wait(Drain, pods_are_not_known, "the node's pods are being listed"),
    move(Drain, nothing_is_in_the_way, Restart, "the node is drained"),
    move(Drain, a_pod_may_not_go, Failed, "a pod may not be evicted"),
    move(Drain, drain_ran_out_of_time&& no_pod_uses_the_device, Restart,
         "the time for the drain is over; no pod uses the device"),
    move(Drain, drain_is_hopeless, Failed, "the drain ran out of time"),
    work(Drain, drain_ran_out_of_time, Work::DeleteDevicePods, "the time for the drain is over"),
    work(Drain, otherwise, Work::EvictAll, "draining"),

    // The swap begins with the end of the old driver's pod; until then the node can still be given back.
    move(Restart, old_driver_still_serves&& no_longer_wanted, Idle, "the policy no longer wants the node"),
    move(Restart, old_driver_still_serves&& skip_label_is_set, Required, "the skip label is set"),
    move(Restart, old_driver_still_serves&& wanted_driver_is_unknown, Required,
         "nobody knows which driver it should have"),
    move(Restart, old_driver_still_serves&& wanted_driver_failed_here, Failed,
         "the wanted driver is the one that failed here"),
    move(Restart, old_driver_still_serves&& nothing_is_to_change, Done, "the wanted driver is the one it has"),
    move(Restart, old_driver_is_there&& a_person_uncordoned_it, Required, "a person uncordoned it"),

    // Who was served without the controller is given back as soon as his driver has what it wanted.
    move(Restart, driver_asks_no_more, Required, "the driver asks for nothing any more"),
    move(Restart, driver_asks_for_a_drain&& drain_is_on, Drain, "the driver asks for a drain"),

    // A scheduler that had not seen the cordon yet may have put a pod there since.
    wait(Restart, old_driver_is_there&& pods_are_not_known, "the node's pods are being listed"),
    move(Restart, old_driver_is_there&& pods_keep_coming, Failed, "pods that use the device keep coming"),
    move(Restart, old_driver_is_there&& a_device_pod_has_come, EvictDevicePods, "a pod that uses the device has come"),

    // Pausing stops what takes the node away, not what gives it back.
    move(Restart, old_driver_still_serves&& off_before_anybody_went, Required,
         "upgrades are off, and no pod has gone yet"),
    wait(Restart, old_driver_is_there&& upgrades_are_off, "upgrades are off"),
    wait(Restart, template_is_not_settled, "the driver's DaemonSet is being updated"),
    work(Restart, old_driver_is_there, Work::ReplaceDriverPod, "replacing the driver"),
    move(Restart, new_driver_is_ready, Validate, "the new driver is ready"),
    move(Restart, restart_ran_out_of_time, Failed, "the new driver did not become ready"),
    move(Restart, node_is_lost, Failed, "the node was lost"),
    wait(Restart, node_is_not_ready, "the node is not ready"),
    wait(Restart, otherwise, "the new driver is starting"),

    move(Validate, new_driver_works, Uncordon, "the new driver works"),
    work(Validate, validator_is_stale, Work::ReplaceValidator, "the validator is older than the driver"),
    move(Validate, validation_ran_out_of_time, Failed, "the new driver was not validated"),
    move(Validate, node_is_lost, Failed, "the node was lost"),
    wait(Validate, node_is_not_ready, "the node is not ready"),
    wait(Validate, otherwise, "the new driver is being validated"),

    // Only who comes here from elsewhere can be caught without a driver.
    move(Uncordon, driver_is_not_ready, Validate, "the driver is not ready"),
    move(Uncordon, otherwise, Done, "the node is back in service"),

    // Left by a person (also while upgrades are off: his word is kept), or by another version; never by itself.
    move(Failed, another_version_is_wanted, Required, "another version is wanted"),
    wait(Failed, otherwise, "a person has to look"),
};

static_assert(says_something_everywhere(kUpgradeInPlace));

constexpr Flow kInPlace = {
    .name = "upgrade-in-place", .rules = kUpgradeInPlace, .gates_close_at = Restart, .gates_open_at = Validate};

}  // namespace

const Flow& upgrade_in_place() { return kInPlace; }

Phases phases_of(const Flow& flow) {
  Phases used;
  for (const PhaseRow& row : kPhaseTable) {
    for (const Rule& rule : flow.rules) {
      if (rule.in.has(row.phase)) used = used | row.phase;
    }
  }
  return used;
}

std::string_view name(Work work) {
  switch (work) {
    case Work::None: return "wait";
    case Work::ProveImage: return "prove-image";
    case Work::EvictDevicePods: return "evict-device-pods";
    case Work::DeleteDevicePods: return "delete-device-pods";
    case Work::EvictAll: return "evict-all";
    case Work::ReplaceDriverPod: return "replace-driver-pod";
    case Work::ReplaceValidator: return "replace-validator";
  }
  return "wait";
}

}  // namespace drover::reference
