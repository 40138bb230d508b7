// Random trouble from one seed: faults between the operator and the API server, operators that die, machines that go
// away, and people who meddle with everything that they can reach. Then the trouble ends, and the fleet must come to
// rest with nothing stranded and no promise broken on the way.
#pragma once

#include <cstdint>
#include <string>

#include "vendor.h"

namespace drover::proof {

struct SwarmResult {
  std::string trouble;    // "" when all is well
  std::string chronicle;  // what happened
};

struct Bug;
// `bug`: one that every operator has.
SwarmResult swarm(const Vendor& vendor, std::uint64_t seed, const Bug* bug = nullptr);

}  // namespace drover::proof
