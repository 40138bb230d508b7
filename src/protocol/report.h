// What a node's agent tells the operator (order.h says how the two talk).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/message.h"

namespace drover::protocol {

struct Report {
  std::string boot = {};    // the boot id on which this was written
  std::string id = {};      // the claim that it answers; without one, the uid of the agent's own pod
  std::string digest = {};  // of the driver that the agent is there to load
  AgentRequest wants = AgentRequest::Nothing;
  bool can_unload = true;       // false: this kernel changes drivers by a reboot only
  bool has_paused = false;      // the deploy labels that are paused were paused by the agent, which puts them back
  std::string message = {};     // for people: what it does or waits for
  std::string loaded = {};      // the version that the kernel has; empty: none, or an agent that does not tell
  std::string prepared = {};    // the version that could be loaded at once: what the order asked to prepare, or our own
  bool cannot_prepare = false;  // it was tried and did not work, and `message` says why; it is tried again
  bool is_blocked = false;      // what is loaded cannot be taken out, because it is held: `message` names the holders
  bool is_refused = false;      // what it was to load did not load, and `message` says why; this pod does not try again

  bool operator==(const Report&) const = default;
};

// Malformed says what is wrong with the text.
base::Result<Report> parse_report(std::string_view text);

// At most kMostMessageBytes: the message is cut, and no name is longer than any that `parse_report` takes.
std::string text_of(const Report& report);

}  // namespace drover::protocol
