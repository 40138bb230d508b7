// What a machine remembers of the flashes of its chips, over the death of the pod, the Job, the Node and the power.
//
// Data at rest: journal.json in the firmware folder (words.h), one note, of the last flash. It is written whole, and is
// on the disk, before the deed that it speaks of: `begun` before tt-flash is started, `reset` before the chips are
// reset. So a chip is written at most once for a claim, and at most once for a target, whatever starts this program
// again and however often: a Job that kube starts twice, a record that was lost, two operators, a Node that was made
// again. Another version, or the same with another epoch (a person's request), is another target.
//
// A note that is there and cannot be read counts as begun: then nothing is written.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/host.h"
#include "protocol/verdict.h"
#include "vendors/tenstorrent/agent/chip_reading.h"

namespace drover::agent {

struct FlashNote {
  std::string claim = {};
  std::string target = {};  // "19.9.0.0#7"
  std::string boot = {};    // on which it was begun

  bool begun = false;     // tt-flash was started, or was about to be
  bool written = false;   // tt-flash has ended
  bool verified = false;  // and had verified every write
  bool reset = false;     // the chips were reset by us, or were about to be
  bool finished = false;  // the verdict below is the last word

  std::optional<protocol::Outcome> outcome = {};
  std::string message = {};
  std::vector<protocol::Part> before = {};  // what the chips said before the flash
  std::vector<protocol::Part> read = {};    // what they said last
  std::vector<std::string> output = {};     // the last lines of tt-flash

  bool operator==(const FlashNote&) const = default;
};

// Nothing: there is none. Malformed: there is one that cannot be read.
base::Result<std::optional<FlashNote>> read_flash_note(host::Host& host);
// On the disk when it returns.
base::Result<void> write_flash_note(host::Host& host, const FlashNote& note);
// Ours until what this returns is destroyed; Conflict while another process on this machine has it.
base::Result<std::shared_ptr<void>> lock_flash_journal(host::Host& host);
std::string flash_journal_path();

// What is asked for.
struct FlashAsk {
  std::string claim;
  std::string target;  // "19.9.0.0#7"
  std::string boot;    // of the node when the claim was made
  bool forces = false;
  bool continues_unread = false;
};

enum class FlashStep {
  Flash,
  Read,          // the reading that there is decides
  ReadAndReset,  // one reset is allowed, and then another reading
  Nothing,       // the last word is in the note
};

// What may be done now, and what it means when the chips, in the end, say the target or do not.
struct FlashDecision {
  FlashStep step = FlashStep::Read;
  protocol::Outcome at_target = protocol::Outcome::Done;
  protocol::Outcome otherwise = protocol::Outcome::NotBegun;
  std::string why = {};

  protocol::Outcome outcome(Readback readback) const { return readback == Readback::AtTarget ? at_target : otherwise; }
};

// `note`: nothing where the journal is empty. `boot`: the machine's, now.
FlashDecision decide(const std::optional<FlashNote>& note, const FlashAsk& ask, const std::string& boot,
                     Readback readback);
// The same where the note cannot be read.
FlashDecision decide_without_note(const FlashAsk& ask, const std::string& trouble);

}  // namespace drover::agent
