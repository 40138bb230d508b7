// Why a node stands where it stands or moves, as a code. Status, Events, metrics and the runbook are keyed by it; texts
// are for people and are never read by code.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace drover::core {

// One list for the codes and their names.
// clang-format off
#define DROVER_REASONS(ROW)                                                                                  \
  /* what the policy and its users want */                                                                   \
  ROW(NotSelected) ROW(HostManaged) ROW(UnknownStateLabel) ROW(Paused) ROW(Requested) ROW(SkipLabel)         \
  ROW(UncordonedByUser) ROW(RecentlyUncordoned)                                                              \
  /* the driver */                                                                                           \
  ROW(UpToDate) ROW(Outdated) ROW(AnotherVersion) ROW(TargetUnknown) ROW(TargetFailedHere)                   \
  ROW(DriverNotReady) ROW(DriverStarting) ROW(FirstInstall) ROW(LoadRequested) ROW(TemplateUpdating)         \
  ROW(PodOutdated)                                                                                           \
  /* the node */                                                                                             \
  ROW(NodeNotReady) ROW(NodeLost) ROW(CannotUnload) ROW(ClaimedByOtherWork)                                  \
  /* the queue */                                                                                            \
  ROW(RolloutHalted) ROW(ImageMissing) ROW(Preparing) ROW(NotNext) ROW(NoSlot) ROW(SlotFree)                 \
  ROW(NotPrepared)                                                                                           \
  /* emptying the node */                                                                                    \
  ROW(Cordoned) ROW(NoJobs) ROW(JobsDone) ROW(JobsTimeout) ROW(WaitingForJobs) ROW(ListingPods)              \
  ROW(NothingToEvict) ROW(LeftToDrain) ROW(DeviceFree) ROW(DeviceInUse) ROW(EvictingDevicePods)              \
  ROW(EvictionRefused) ROW(EvictionTimeout) ROW(DrainDisabled) ROW(Draining) ROW(Drained) ROW(DrainRefused)  \
  ROW(DrainTimeout) ROW(PodReturned) ROW(PodsKeepComing)                                                     \
  /* without the controller */                                                                               \
  ROW(EvictionRequested) ROW(DrainRequested) ROW(RequestWithdrawn)                                           \
  /* the swap and its proof */                                                                               \
  ROW(ReplacingDriver) ROW(DriverReady) ROW(StartTimeout) ROW(LoadFailed) ROW(DeviceHeld) ROW(Validating)    \
  ROW(Validated) ROW(ValidatorOutdated) ROW(ValidationTimeout)                                               \
  /* the end */                                                                                              \
  ROW(BackInService) ROW(NewPodAsks) ROW(ActionRequired)                                                     \
  /* repairs */                                                                                              \
  ROW(ClaimOfAnotherPolicy) ROW(CordonNoLongerOurs) ROW(HeldWithoutReason) ROW(FailureNotRecorded)           \
  ROW(ControllerIsBack) ROW(ClockIsWrong) ROW(OrphanedTaint) ROW(CordonWanted) ROW(PermissionOutdated)       \
  ROW(GatesClosedAtRest) ROW(ClaimNotWritten) ROW(GatesLost) ROW(RecordUnreadable) ROW(RefusalHeard)         \
  ROW(LabelWrong)
// clang-format on

enum class Reason : std::uint8_t {
  None,
#define DROVER_REASON_CODE(code) code,
  DROVER_REASONS(DROVER_REASON_CODE)
#undef DROVER_REASON_CODE
};

inline constexpr auto kReasonNames = std::to_array<std::string_view>({"",
#define DROVER_REASON_NAME(code) #code,
                                                                      DROVER_REASONS(DROVER_REASON_NAME)
#undef DROVER_REASON_NAME
});

constexpr std::string_view name(Reason reason) { return kReasonNames[static_cast<std::size_t>(reason)]; }

// None for a word that is not a reason of ours.
constexpr Reason reason_named(std::string_view word) {
  for (std::size_t i = 0; i < kReasonNames.size(); ++i) {
    if (kReasonNames[i] == word) return static_cast<Reason>(i);
  }
  return Reason::None;
}

}  // namespace drover::core
