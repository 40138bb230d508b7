// The smallest program there is: it ends well, at once.
//
// A preflight pod runs it inside the driver's image, which proves that the image is on the node and can be started.
// It must run in any image whatever that holds, a shell and a C library among it or not; so it is one segment, made
// here byte by byte, that asks the kernel to end it.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace drover::agent {

// As the ELF header names them.
enum class Machine : std::uint16_t { X86_64 = 62, AArch64 = 183 };

// The file for that machine, a few hundred bytes at most.
std::string noop_binary(Machine machine);
// For the machine that this very program runs on; Refused where there is none for it.
base::Result<std::string> noop_binary();

}  // namespace drover::agent
