// How a kind of work is carried out. A row of a fragment may belong only to flows with certain traits; observe, act and
// the forecast ask the flow for them too, so that there is one list.
//
// A trait names a mechanism that a vendor's document describes, and is used by three rows or outside core: what only
// one flow has in one row is a fragment of its own.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/set.h"

namespace drover::core {

enum class Trait : std::uint8_t {
  Container,      // the driver is loaded by its pod's container, which installs it when it starts
  ResidentAgent,  // an agent in the pod prepares the next driver, and asks before it loads it
  StateLabel,     // a label of the node shows its phase, and takes requests
  Skippable,      // a label of the node keeps it out
  InitRequests,   // with upgrades off, the driver's init container says what it needs
  Validator,      // another pod proves the new driver
};

using Traits = base::Set<Trait>;

struct TraitRow {
  Trait trait;
  std::string_view name;  // for the docs
};

inline constexpr std::array<TraitRow, 6> kTraitTable = {{
    {Trait::Container, "container"},
    {Trait::ResidentAgent, "resident agent"},
    {Trait::StateLabel, "state label"},
    {Trait::Skippable, "skip label"},
    {Trait::InitRequests, "init container requests"},
    {Trait::Validator, "validator"},
}};

}  // namespace drover::core
