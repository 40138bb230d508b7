// Why a node stands where it stands or moves, as a code, and what to do about it. Status, metrics, explain and the
// runbook are keyed by it; texts are for people and are never read by code.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace drover::core {

// One list: the code, and what to do about a node that stands for it; empty where it ends by itself.
// clang-format off
#define DROVER_REASONS(ROW)                                                                                         \
  /* what the policy and its users want */                                                                          \
  ROW(NotSelected, "if the node should have a driver, correct its labels or the policy's selector")                 \
  ROW(HostManaged, "to hand the node over, remove the driver that its host installed")                              \
  ROW(UnknownStateLabel, "remove the state label, or set it to a state that the document names")                    \
  ROW(Paused, "switch upgrades on in the policy")                                                                   \
  ROW(SkipLabel, "remove the skip label from the node")                                                             \
  ROW(RecentlyUncordoned, "wait ten minutes; to keep the node out, set its skip label")                             \
  ROW(Requested, "") ROW(UncordonedByUser, "")                                                                      \
  /* the driver */                                                                                                  \
  ROW(TargetUnknown, "correct the field that the condition Accepted names, or restore the node's OS labels")        \
  ROW(TargetFailedHere, "remove the cause, then retry the node, or choose another version")                         \
  ROW(DriverNotReady, "read the log of the driver's pod")                                                           \
  ROW(DriverUnknown, "look at the driver's DaemonSet: its pod on the node is gone or does not start")               \
  ROW(Unschedulable, "correct what the scheduler names: the request of the driver's pod, a taint, the node's room") \
  ROW(Misfit, "correct the tolerations or requests in the policy, or the node's taints or labels")                  \
  ROW(FirstInstall, "if it takes long, read the log of the driver's pod")                                           \
  ROW(TemplateUpdating, "if it stays, look at the DaemonSet and at kube-controller-manager")                        \
  ROW(PodOutdated, "if it stays, read the log of the driver's pod")                                                 \
  ROW(UpToDate, "") ROW(Outdated, "") ROW(AnotherVersion, "") ROW(DriverStarting, "") ROW(LoadRequested, "")        \
  /* the node */                                                                                                    \
  ROW(NodeNotReady, "look at the kubelet and the machine")                                                          \
  ROW(NodeLost, "look at the kubelet and the machine, then retry the node")                                         \
  ROW(CannotUnload, "delete its driver pod, drain the node, reboot it, uncordon it")                                \
  ROW(ClaimedByOtherWork, "wait for the other work to end")                                                         \
  /* what the API server refuses */                                                                                 \
  ROW(WriteRefused, "correct what the detail names: the operator's role, a webhook, an admission policy, a quota")  \
  ROW(NamespaceMissing, "create the namespace that the detail names, or name another one with --vendor")            \
  ROW(ServiceAccountMissing, "create the ServiceAccount that the detail names; the chart brings it")                \
  ROW(OperandRefused, "correct what the detail names: a quota, a label of the namespace, a webhook, a policy")      \
  /* the queue */                                                                                                   \
  ROW(RolloutHalted, "find out why the nodes failed; retry one, put the old version back, or raise failureBudget")  \
  ROW(ImageMissing, "correct what the detail names: the version, the pull secret, the registry, the disk")          \
  ROW(NoSlot, "wait, bring the nodes that the detail names back into service, or raise the limit")                  \
  ROW(Preparing, "") ROW(NotNext, "") ROW(SlotFree, "") ROW(NotPrepared, "")                                        \
  /* emptying the node */                                                                                           \
  ROW(WaitingForJobs, "wait for the jobs, end them, or set a timeout")                                              \
  ROW(ListingPods, "if it stays, check that the operator may list pods in all namespaces")                          \
  ROW(DeviceInUse, "if they stay, end the processes that the detail names")                                         \
  ROW(EvictingDevicePods, "raise the PodDisruptionBudget that the detail names, or scale its workload up")          \
  ROW(EvictionRefused, "delete the pod that the detail names, or set the field that it names; then retry the node") \
  ROW(EvictionTimeout, "look for a finalizer, a volume or a kubelet that keeps the pods; then retry the node")      \
  ROW(Draining, "raise the PodDisruptionBudget that the detail names, or scale its workload up")                    \
  ROW(DrainRefused, "delete the pod that the detail names, or set the field that it names; then retry the node")    \
  ROW(DrainTimeout, "look at the pods that the detail names; then retry the node")                                  \
  ROW(PodsKeepComing, "keep the owner of the pods off the node; then retry the node")                               \
  ROW(Cordoned, "") ROW(NoJobs, "") ROW(JobsDone, "") ROW(JobsTimeout, "") ROW(NothingToEvict, "")                  \
  ROW(LeftToDrain, "") ROW(DeviceFree, "") ROW(DrainDisabled, "") ROW(Drained, "") ROW(PodReturned, "")             \
  /* without the controller */                                                                                      \
  ROW(EvictionRequested, "") ROW(DrainRequested, "") ROW(RequestWithdrawn, "")                                      \
  /* the swap and its proof */                                                                                      \
  ROW(ReplacingDriver, "if it stays, end the processes that hold the device on the node")                           \
  ROW(StartTimeout, "read the log of the driver's pod, then retry the node")                                        \
  ROW(LoadFailed, "read the kernel's log on the node, then retry it or choose another version")                     \
  ROW(DeviceHeld, "end the processes that the detail names, or let the policy end them")                            \
  ROW(ValidationTimeout, "read the log of the validator's pod, then retry the node")                                \
  ROW(DriverReady, "") ROW(Validating, "") ROW(Validated, "") ROW(ValidatorOutdated, "")                            \
  /* the end */                                                                                                     \
  ROW(ActionRequired, "remove the cause of the failure, then retry the node")                                       \
  ROW(BackInService, "") ROW(NewPodAsks, "")                                                                        \
  /* repairs */                                                                                                     \
  ROW(ClaimOfAnotherPolicy, "") ROW(CordonNoLongerOurs, "") ROW(HeldWithoutReason, "")                              \
  ROW(FailureNotRecorded, "") ROW(ControllerIsBack, "") ROW(ClockIsWrong, "") ROW(TimeSpent, "")          \
  ROW(ReturnsCounted, "") ROW(OrphanedTaint, "")                                                                   \
  ROW(CordonWanted, "") ROW(PermissionOutdated, "") ROW(GatesClosedAtRest, "") ROW(ClaimNotWritten, "")             \
  ROW(GatesLost, "") ROW(RecordUnreadable, "") ROW(RefusalHeard, "") ROW(LabelWrong, "")
// clang-format on

enum class Reason : std::uint8_t {
  None,
#define DROVER_REASON_CODE(code, remedy) code,
  DROVER_REASONS(DROVER_REASON_CODE)
#undef DROVER_REASON_CODE
};

struct ReasonRow {
  Reason reason;
  std::string_view name;
  std::string_view remedy;
};

inline constexpr auto kReasonTable = std::to_array<ReasonRow>({{Reason::None, "", ""},
#define DROVER_REASON_ROW(code, remedy) {Reason::code, #code, remedy},
                                                               DROVER_REASONS(DROVER_REASON_ROW)
#undef DROVER_REASON_ROW
});

constexpr std::string_view name(Reason reason) { return kReasonTable[static_cast<std::size_t>(reason)].name; }
// What to do about it; "" where it ends by itself.
constexpr std::string_view remedy(Reason reason) { return kReasonTable[static_cast<std::size_t>(reason)].remedy; }

// None for a word that is not a reason of ours.
constexpr Reason reason_named(std::string_view word) {
  for (const ReasonRow& row : kReasonTable) {
    if (row.name == word) return row.reason;
  }
  return Reason::None;
}

}  // namespace drover::core
