// Random trouble from one seed: faults between the operator and the API server, operators that die, machines that go
// away, and people who meddle with everything that they can reach. Then the trouble ends, and the fleet must come to
// rest with nothing stranded and no promise broken on the way.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "vendor.h"

namespace drover::proof {

struct SwarmResult {
  std::string trouble;    // "" when all is well
  std::string chronicle;  // what happened
};

struct Bug;
// All these vendors in one operator; of the first two some machines have both devices, where there are such. `bug`: one
// that every operator has.
SwarmResult swarm(std::span<const Vendor* const> vendors, std::uint64_t seed, const Bug* bug = nullptr);

}  // namespace drover::proof
