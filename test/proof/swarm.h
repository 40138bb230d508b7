// Random trouble from one seed: faults between the operator and the API server, operators that die, machines that go
// away, and people who meddle with everything that they can reach. Then the trouble ends, and the fleet must come to
// rest with nothing stranded and no promise broken on the way.
#pragma once

#include <cstdint>
#include <string>

#include "door.h"

namespace drover::proof {

struct SwarmResult {
  std::string trouble;    // "" when all is well
  std::string chronicle;  // what happened
};

// `alter` is what every operator does wrong, for deliberate bugs.
SwarmResult swarm(std::uint64_t seed, const Door::Alter& alter = {});

}  // namespace drover::proof
