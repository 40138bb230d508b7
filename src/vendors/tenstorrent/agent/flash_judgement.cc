#include "vendors/tenstorrent/agent/flash_judgement.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

namespace drover::agent {
namespace {

using Kind = FlashJudgement::Kind;

// Chips that are known to differ. tt-flash would leave the newer ones as they are.
bool chips_differ(const ChipReading& reading) {
  std::set<FirmwareVersion> versions;
  for (const Chip& chip : reading.chips) {
    const auto version = parse_firmware_version(chip.version);
    if (!version) return false;
    versions.insert(*version);
  }
  return versions.size() > 1;
}

// Why tt-flash would not bring this chip to the bundle's version; "" when it would, or has nothing to do.
std::string refusal_of(const std::string& chip, const FirmwareVersion& has, const FirmwareVersion& bundle,
                       bool forced) {
  if (has.first() > bundle.first()) {
    return fmt::format(
        "{} has firmware {}, and tt-flash refuses to go down a major version, to {}, also with forceWrite; set "
        "spec.version to {}.x, or flash this node by hand with tt-flash --allow-major-downgrades",
        chip, has.text(), bundle.text(), has.first());
  }
  if (forced) return {};
  if (has.first() + 1 < bundle.first()) {
    return fmt::format(
        "{} has firmware {}, and tt-flash refuses to go up more than one major version at once, to {}; set "
        "spec.version "
        "to {}.x first, or spec.flasher.forceWrite=true",
        chip, has.text(), bundle.text(), has.first() + 1);
  }
  if (has > bundle) {
    return fmt::format(
        "{} has firmware {}, and tt-flash writes no older version such as {} unless it is forced (it would end with "
        "success and change nothing); set spec.flasher.forceWrite=true to go down",
        chip, has.text(), bundle.text());
  }
  return {};
}

}  // namespace

FlashJudgement judge(const ChipReading& reading, const FlashWish& wish) {
  FlashJudgement judgement;
  judgement.uses_force = wish.forces || (wish.homogenizes && chips_differ(reading));
  if (reading.functions.empty()) {
    judgement.kind = Kind::Refused;
    judgement.why = "there is no Tenstorrent device (1e52) on this node's PCI bus; take the node out of the policy";
    return judgement;
  }
  if (const std::string bare = without_driver(reading); !bare.empty()) {
    judgement.kind = Kind::NoDriver;
    judgement.why = fmt::format("tt-kmd does not serve {}; firmware is flashed through it: load the driver", bare);
    return judgement;
  }
  if (!wish.forces && compare(reading, wish.target) == Readback::AtTarget) {
    judgement.kind = Kind::NothingToDo;
    judgement.why = fmt::format("every chip has firmware {}", wish.target.text());
    return judgement;
  }
  for (const Chip& chip : reading.chips) {
    const auto has = parse_firmware_version(chip.version);
    if (!has) continue;
    judgement.why = refusal_of(chip.name, *has, wish.target, judgement.uses_force);
    if (!judgement.why.empty()) {
      judgement.kind = Kind::Refused;
      return judgement;
    }
  }
  return judgement;
}

FlashJudgement judge(const ChipReading& reading, const Bundle& bundle, const FlashWish& wish) {
  FlashJudgement judgement = judge(reading, wish);
  if (judgement.kind != Kind::MayFlash) return judgement;
  std::vector<int> boards;
  for (const ChipFunction& function : reading.functions) boards.push_back(function.subsystem);
  const std::string missing = boards_missing(bundle, boards);
  if (bundle.version != wish.target) {
    judgement.kind = Kind::Refused;
    judgement.why = fmt::format(
        "the bundle holds firmware {}, and the chips are to say {}; set spec.bundleURL to the bundle of that version, "
        "or "
        "spec.readbackVersion to what its firmware says",
        bundle.version.text(), wish.target.text());
  } else if (!missing.empty()) {
    judgement.kind = Kind::Refused;
    judgement.why = fmt::format("the bundle {} holds nothing for {}; set spec.bundleURL to a bundle for this board",
                                bundle.version.text(), missing);
  }
  return judgement;
}

}  // namespace drover::agent
