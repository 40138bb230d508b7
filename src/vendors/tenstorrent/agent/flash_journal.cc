#include "vendors/tenstorrent/agent/flash_journal.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "vendors/tenstorrent/words.h"

namespace drover::agent {
namespace {

using base::fault;
using base::Fault;
using base::Result;
using protocol::Outcome;

constexpr std::int64_t kSpoken = 1;
constexpr std::size_t kMostMessage = 1200;

constexpr std::array<std::pair<std::string_view, bool FlashNote::*>, 5> kFlags{{
    {"begun", &FlashNote::begun},
    {"written", &FlashNote::written},
    {"verified", &FlashNote::verified},
    {"reset", &FlashNote::reset},
    {"finished", &FlashNote::finished},
}};

json::Array written_parts(const std::vector<protocol::Part>& parts) {
  json::Array array;
  for (const protocol::Part& part : parts)
    array.push_back(json::Array{json::Value(part.name), json::Value(part.version)});
  return array;
}

std::vector<protocol::Part> parts_in(const json::Value& note, std::string_view key) {
  std::vector<protocol::Part> parts;
  for (const json::Value& pair : json::array_at(note, {key})) {
    if (!pair.is_array() || pair.get_array().size() != 2) continue;
    const auto text = [&](std::size_t at) {
      const json::Value& word = pair.get_array()[at];
      return word.is_string() ? std::string(std::string_view(word.get_string())) : std::string();
    };
    parts.push_back({text(0), text(1)});
  }
  return parts;
}

std::unexpected<Fault> unreadable(std::string_view why) {
  return fault(
      Fault::Kind::Malformed,
      fmt::format("the journal {} cannot be read: {}; look at the board, then remove it to allow another flash",
                  flash_journal_path(), why));
}

// A flash that was begun, by this claim or another, for this target: it is not done a second time.
FlashDecision after_beginning(const FlashNote& note, const FlashAsk& ask, Readback readback) {
  FlashDecision decision;
  if (!note.verified) {
    // The version was the target before a forced flash, too: then it says nothing.
    decision.at_target = ask.forces ? Outcome::Failed : Outcome::Done;
    decision.otherwise = Outcome::Failed;
    decision.why = note.written
                       ? "tt-flash ended without having verified every write"
                       : fmt::format(
                             "a flash was begun (claim {}, boot {}) and its end was not seen: the pod was killed, "
                             "or the machine lost power or was rebooted in the middle of it",
                             note.claim, note.boot);
    return decision;
  }
  decision.otherwise = readback == Readback::Unread ? Outcome::Wedged : Outcome::Mismatch;
  decision.why = "tt-flash has verified every write";
  if (readback != Readback::AtTarget && !note.reset) {
    decision.step = FlashStep::ReadAndReset;
    decision.why += ", and the chips do not run what was written: one reset is allowed";
  } else if (readback != Readback::AtTarget) {
    decision.why += ", and a reset did not make the chips run what was written";
  }
  return decision;
}

FlashDecision only_read(Outcome at_target, Outcome otherwise, std::string why) {
  return {.step = FlashStep::Read, .at_target = at_target, .otherwise = otherwise, .why = std::move(why)};
}

}  // namespace

std::string flash_journal_path() { return fmt::format("{}/journal.json", vendors::kFirmwareFolder); }

Result<std::optional<FlashNote>> read_flash_note(host::Host& host) {
  const std::string path = flash_journal_path();
  if (!host.exists(path)) return std::optional<FlashNote>();
  const auto text = host.read(path);
  if (!text) return unreadable(text.error().message);
  const auto value = json::parse(*text, 8);
  if (!value) return unreadable("it is cut or garbled");
  if (json::int_at(*value, {"v"}) != kSpoken) return unreadable("it was written by another release");
  FlashNote note;
  const auto text_in = [&](std::string_view key) { return std::string(json::text_at(*value, {key})); };
  note.claim = text_in("claim");
  note.target = text_in("target");
  note.boot = text_in("boot");
  for (const auto& [key, flag] : kFlags) {
    const json::Value* said = json::find(*value, {key});
    if (said == nullptr || !said->is_bool()) return unreadable(fmt::format("it does not say \"{}\"", key));
    note.*flag = said->get_bool();
  }
  if (note.claim.empty() || note.target.empty()) return unreadable("it names no claim or no target");
  if (const std::string outcome = text_in("outcome"); !outcome.empty()) {
    note.outcome = protocol::parse_outcome(outcome);
    if (!note.outcome) return unreadable("its outcome is not known");
  }
  if (note.finished && !note.outcome) return unreadable("it is finished without an outcome");
  note.message = base::one_line(text_in("message"), kMostMessage);
  note.before = parts_in(*value, "before");
  note.read = parts_in(*value, "read");
  for (const json::Value& line : json::array_at(*value, {"output"})) {
    if (line.is_string()) note.output.emplace_back(std::string_view(line.get_string()));
  }
  return note;
}

Result<void> write_flash_note(host::Host& host, const FlashNote& note) {
  json::Members members = {{"v", kSpoken}, {"claim", note.claim}, {"target", note.target}, {"boot", note.boot}};
  for (const auto& [key, flag] : kFlags) members[key] = note.*flag;
  members["outcome"] = note.outcome ? protocol::word(*note.outcome) : std::string_view();
  members["message"] = base::one_line(note.message, kMostMessage);
  members["before"] = written_parts(note.before);
  members["read"] = written_parts(note.read);
  json::Array output;
  for (const std::string& line : note.output) output.emplace_back(line);
  members["output"] = std::move(output);
  // Host::write puts the text on the disk, Host::rename the name.
  const std::string path = flash_journal_path();
  TRY_VOID(host.make_folder(std::string(vendors::kFirmwareFolder)));
  TRY_VOID(host.write(path + ".next", json::text_of(members) + "\n"));
  return host.rename(path + ".next", path);
}

Result<std::shared_ptr<void>> lock_flash_journal(host::Host& host) {
  TRY_VOID(host.make_folder(std::string(vendors::kFirmwareFolder)));
  return host.lock(fmt::format("{}/lock", vendors::kFirmwareFolder));
}

// Each line holds where those above do not.
//
//   the note                            boot     chips      forced   step           at the target   otherwise
//   this claim, finished                                             Nothing        (the note)      (the note)
//   this claim or target, begun, not    any      any                 Read           Done, Failed    Failed
//     verified                                                                        if forced
//   the same, verified, not reset       any      not at it           ReadAndReset   Done            Mismatch, Wedged
//   the same, verified                  any      any                 Read           Done            Mismatch, Wedged
//   this target, finished, failed       any      any                 Read           Done, as then   as then
//                                                                                     if forced
//   this target, finished, done         any      at it, unread       Read           Done            Wedged
//   none of these                       another  any                 Read           Done, NotBegun  NotBegun
//                                                                                     if forced
//   none of these                       same     at it      no       Read           Done            -
//   none of these                       same     unread     no       Read           -               Wedged
//   none of these                       same     any                 Flash
FlashDecision decide(const std::optional<FlashNote>& note, const FlashAsk& ask, const std::string& boot,
                     Readback readback) {
  const bool is_mine = note && note->claim == ask.claim && note->target == ask.target;
  const bool is_this_target = note && note->target == ask.target;
  if (is_mine && note->finished) {
    const Outcome was = note->outcome.value_or(Outcome::Failed);
    return {.step = FlashStep::Nothing, .at_target = was, .otherwise = was, .why = "this claim has ended on this node"};
  }
  if (is_this_target && note->begun && !note->finished) return after_beginning(*note, ask, readback);
  if (is_this_target && note->finished && note->outcome && note->outcome != Outcome::Done) {
    return only_read(ask.forces ? *note->outcome : Outcome::Done, *note->outcome,
                     fmt::format("{} was flashed before (claim {}) and that ended as \"{}\": {}", note->target,
                                 note->claim, protocol::word(*note->outcome), note->message));
  }
  if (is_this_target && note->finished && readback != Readback::Differs)
    return only_read(Outcome::Done, Outcome::Wedged,
                     fmt::format("{} was flashed before (claim {})", note->target, note->claim));
  if (boot.empty() || boot != ask.boot) {
    return only_read(ask.forces ? Outcome::NotBegun : Outcome::Done, Outcome::NotBegun,
                     fmt::format("this node runs boot {}, and this flash was meant for boot {}: it has rebooted since",
                                 boot.empty() ? "(unknown)" : boot, ask.boot));
  }
  if (!ask.forces && readback == Readback::AtTarget)
    return only_read(Outcome::Done, Outcome::Done, "every chip has this version");
  if (!ask.forces && !ask.continues_unread && readback == Readback::Unread) {
    return only_read(
        Outcome::Done, Outcome::Wedged,
        "a chip does not tell its version; set spec.flasher.continueOnReadbackFailure=true to flash it all "
        "the same, or spec.flasher.forceWrite=true");
  }
  return {.step = FlashStep::Flash, .why = "nothing was written for this target yet"};
}

FlashDecision decide_without_note(const FlashAsk& ask, const std::string& trouble) {
  return only_read(ask.forces ? Outcome::Failed : Outcome::Done, Outcome::Failed, trouble);
}

}  // namespace drover::agent
