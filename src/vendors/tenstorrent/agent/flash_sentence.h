// How the end of a flash is told to people: which chip, which version it has now, what to do. Pure.
#pragma once

#include <string>

#include "protocol/verdict.h"
#include "vendors/tenstorrent/agent/chip_reading.h"
#include "vendors/tenstorrent/agent/flash_journal.h"
#include "vendors/tenstorrent/agent/flash_output.h"

namespace drover::agent {

// What a verdict's message says. `why`: the decision's. `ended`: tt-flash in this run, where it was run.
std::string flash_sentence(protocol::Outcome outcome, const FlashAsk& ask, const ChipReading& reading,
                           const std::string& why, const FlashEnd* ended);

}  // namespace drover::agent
