#include "core/flows/flows.h"
#include "core/fragments/at_rest.h"
#include "core/fragments/empty_stepwise.h"
#include "core/fragments/failed.h"
#include "core/fragments/give_back.h"
#include "core/fragments/last_look.h"
#include "core/fragments/queue.h"
#include "core/fragments/return.h"
#include "core/fragments/swap_by_pod.h"
#include "core/fragments/validate.h"

namespace drover::core {
namespace {

using enum Phase;
using enum Effect;
using enum Trait;

constexpr Entry kOnEntryInPlace[] = {
    {Idle, {ForgetOutcome, Release}},
    {Required, {AcceptUnproven, PutBack, Requeue}},
    {Cordon, Take},
    {Drain, WidenScope},
    {Restart, {Retarget, CloseGates}},
    {Validate, {Retarget, OpenGates}},
    {Done, {Succeed, Release}},
    {Failed, Fail},
};

constexpr Flow kInPlace = compose(
    {.name = "upgrade-in-place",
     .traits = {Container, StateLabel, Skippable, InitRequests, Validator},
     .swap = Restart,
     .phases = {Idle, Required, Cordon, WaitForJobs, EvictDevicePods, Drain, Restart, Validate, Uncordon, Done, Failed},
     .on_entry = kOnEntryInPlace},
    {fragments::kAtRest, fragments::kQueue, fragments::kGiveBack, fragments::kLastLook, fragments::kEmptyStepwise,
     fragments::kSwapByPod, fragments::kValidate, fragments::kReturn, fragments::kFailed});

static_assert(is_sound(kInPlace));

}  // namespace

const Flow& in_place() { return kInPlace; }

}  // namespace drover::core
