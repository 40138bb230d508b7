#include "core/flows/flows.h"
#include "core/fragments/at_rest.h"
#include "core/fragments/empty_in_one_go.h"
#include "core/fragments/failed.h"
#include "core/fragments/give_back.h"
#include "core/fragments/last_look.h"
#include "core/fragments/queue.h"
#include "core/fragments/return.h"
#include "core/fragments/swap_by_pod.h"

namespace drover::core {
namespace {

using enum Phase;
using enum Effect;
using enum Trait;

constexpr Entry kOnEntryPrepared[] = {
    {Idle, {ForgetOutcome, Release}},
    {Required, {PutBack, AskAgain, Requeue}},
    {Cordon, {Take, CloseGates}},
    {Restart, Retarget},
    {Uncordon, OpenGates},
    {Done, {Succeed, Release}},
    {Failed, {Fail, RememberPod}},
};

// A record of another origin may say a phase that this flow does not lead to: it has a way out of there.
constexpr Rule kStrays[] = {
    move(Validate, otherwise, Restart, Reason::DriverStarting, "the loaded driver is checked again"),
};

constexpr Flow kPrepared = compose(
    {.name = "upgrade-when-prepared",
     .traits = {ResidentAgent},
     .swap = Restart,
     .phases = {Idle, Required, Cordon, WaitForJobs, EvictDevicePods, Drain, Restart, Validate, Uncordon, Done, Failed},
     .strays = {WaitForJobs, EvictDevicePods, Validate},
     .on_entry = kOnEntryPrepared},
    {fragments::kAtRest, fragments::kQueue, fragments::kGiveBack, fragments::kLastLook, fragments::kEmptyInOneGo,
     fragments::kSwapByPod, kStrays, fragments::kReturn, fragments::kFailed});

static_assert(is_sound(kPrepared));

}  // namespace

const Flow& prepared() { return kPrepared; }

}  // namespace drover::core
