// What tt-flash would make of a bundle on these chips, known before it is asked: on a node in service it must not be
// tried, and on a drained one it is too late.
//
// As tt-flash 3.11 decides (flash.py, stage 1): a lower major version is refused, also when forced; more than one major
// version up is refused unless forced; what is not older is skipped without a word and with exit code 0 unless forced.
// Pure. The texts name the versions and the field to set.
#pragma once

#include <string>

#include "vendors/tenstorrent/agent/bundle_reader.h"
#include "vendors/tenstorrent/agent/chip_reading.h"

namespace drover::agent {

struct FlashWish {
  FirmwareVersion target;         // what the chips must say afterwards
  bool forces = false;            // spec.flasher.forceWrite
  bool homogenizes = false;       // spec.flasher.homogenizeFirmwareVersions: chips that differ are forced to be alike
  bool continues_unread = false;  // spec.flasher.continueOnReadbackFailure
};

struct FlashJudgement {
  enum class Kind {
    MayFlash,
    NothingToDo,  // every chip says the target, and it is not forced
    Refused,      // tt-flash would refuse or skip it, or it cannot lead to the target; `why` names the field
    NoDriver,     // tt-kmd does not serve every chip
  };
  Kind kind = Kind::MayFlash;
  std::string why;
  bool uses_force = false;  // tt-flash is to be run with --force
};

// The bundle is what tt-flash will be given; a chip that could not be read does not count against it.
FlashJudgement judge(const ChipReading& reading, const Bundle& bundle, const FlashWish& wish);
// The same before the bundle is known: what target and chips say alone.
FlashJudgement judge(const ChipReading& reading, const FlashWish& wish);

}  // namespace drover::agent
