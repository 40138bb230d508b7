#include "vendors/tenstorrent/agent/flash_sentence.h"

#include <fmt/format.h>

namespace drover::agent {
namespace {

using protocol::Outcome;

std::string target_version(const FlashAsk& ask) { return ask.target.substr(0, ask.target.find('#')); }

std::string smi_note(const ChipReading& reading) {
  return reading.smi_trouble.empty() ? std::string() : fmt::format(" ({})", reading.smi_trouble);
}

std::string told_by_tt_flash(const FlashEnd* ended) {
  if (ended == nullptr) return {};
  std::string text = fmt::format("; tt-flash {}", ended->how);
  if (!ended->sentence.empty()) text += fmt::format(" and said: {}", ended->sentence);
  return text;
}

}  // namespace

std::string flash_sentence(Outcome outcome, const FlashAsk& ask, const ChipReading& reading, const std::string& why,
                           const FlashEnd* ended) {
  const std::string now = text_of(reading) + smi_note(reading);
  switch (outcome) {
    case Outcome::Done: return fmt::format("every chip runs firmware {}: {}", target_version(ask), now);
    case Outcome::Failed:
      return fmt::format(
          "the flash of firmware {} failed: {}{}; the chips say now: {}. Do not reset, reboot or power off this node: "
          "look at this pod's log and ask Tenstorrent's support",
          target_version(ask), why, told_by_tt_flash(ended), now);
    case Outcome::Mismatch:
      return fmt::format(
          "the chips do not run firmware {}: {}{}; they say now: {}. Look at this pod's log; "
          "spec.flasher.forceWrite=true writes it again",
          target_version(ask), why, told_by_tt_flash(ended), now);
    case Outcome::Wedged:
      return fmt::format("no answer from {}: {}{}; the chips say now: {}",
                         unread_chips(reading).empty() ? "some chips" : unread_chips(reading), why,
                         told_by_tt_flash(ended), now);
    case Outcome::Unfinished:
      return fmt::format(
          "ended before its time; run again, it reads the chips and writes nothing: {}; they say now: {}", why, now);
    case Outcome::NotBegun:
    case Outcome::CannotDo:
    case Outcome::NoDriver:
    case Outcome::Ready: break;
  }
  return fmt::format("nothing was touched: {}", why);
}

}  // namespace drover::agent
