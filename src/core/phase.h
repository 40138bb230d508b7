// Where a node stands on its way from one driver to the next.
//
// The list is the union of what the vendors' documents call their states; a flow (flows/) says which of them a vendor
// uses and in which order, a profile (vendors/) how they are spelled. Adding a phase means adding a row here, and the
// compiler asks for the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/set.h"

namespace drover::core {

enum class Phase : std::uint8_t {
  Idle,
  Required,
  Cordon,
  WaitForJobs,
  EvictDevicePods,
  Drain,
  Restart,
  Validate,
  Uncordon,
  Done,
  Failed,
};

inline constexpr std::size_t kPhases = static_cast<std::size_t>(Phase::Failed) + 1;

struct PhaseRow {
  Phase phase;
  std::string_view name;     // in explain, docs and transcripts
  std::string_view meaning;  // for people
};

inline constexpr std::array<PhaseRow, kPhases> kPhaseTable = {{
    {Phase::Idle, "idle", "nothing is known or wanted of the node"},
    {Phase::Required, "required", "its driver is to be changed; it waits for its turn and still serves"},
    {Phase::Cordon, "cordon", "nothing new may be scheduled onto it"},
    {Phase::WaitForJobs, "wait-for-jobs", "pods that the user named may finish first"},
    {Phase::EvictDevicePods, "evict-device-pods", "pods that use the device go"},
    {Phase::Drain, "drain", "all other pods go too"},
    {Phase::Restart, "restart", "the driver is swapped: from here on the old one no longer serves"},
    {Phase::Validate, "validate", "the new driver proves itself"},
    {Phase::Uncordon, "uncordon", "the node goes back into service"},
    {Phase::Done, "done", "the wanted driver serves"},
    {Phase::Failed, "failed", "manual action required"},
}};

constexpr std::string_view name(Phase phase) { return kPhaseTable[static_cast<std::size_t>(phase)].name; }

using Phases = base::Set<Phase>;

// In a fragment: the phase in which the flow swaps. No node is ever there.
inline constexpr Phase kSwap = static_cast<Phase>(31);

// We have taken the node, and can give it back as it was.
inline constexpr Phases kBeforeSwap = {Phase::Cordon, Phase::WaitForJobs, Phase::EvictDevicePods, Phase::Drain};
// The old driver is gone or going: forward is the only way.
inline constexpr Phases kAfterSwap = {Phase::Restart, Phase::Validate, Phase::Uncordon};
inline constexpr Phases kInFlight = kBeforeSwap | kAfterSwap;

constexpr bool is_in_flight(Phase phase) { return kInFlight.has(phase); }

}  // namespace drover::core
