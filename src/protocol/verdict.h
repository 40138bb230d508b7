// What a task ends with: an object of drover's for one node (a Job that flashes, a pod that probes) that has no token
// writes this as its pod's termination message, and the operator reads it there.
//
// It speaks for one claim and one boot: a verdict of another claim says nothing about this one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace drover::protocol {

inline constexpr std::size_t kMostVerdictBytes = 4096;  // the kubelet cuts what is longer

// One for each reaction of the operator.
enum class Outcome {
  Done,        // every part of the node says the target
  Ready,       // a probe: the task can be done, and there is something to do
  NotBegun,    // nothing was touched, and it may be tried again
  Unfinished,  // begun, and ended from outside: run it again; it only looks, and never does it a second time
  CannotDo,    // the program that does the work would refuse, or skip it without a word: `message` names the field
  NoDriver,    // no driver serves the devices
  Failed,      // begun, and it may be half done: nothing may reset or reboot the node
  Mismatch,    // done, and the parts say another version
  Wedged,      // a part does not answer
};
// "done", "ready", "not-begun", "unfinished", "cannot-do", "no-driver", "failed", "mismatch", "wedged".
std::string_view word(Outcome outcome);
std::optional<Outcome> parse_outcome(std::string_view word);

// A device, and the version that it says; "" for one that could not be read.
struct Part {
  std::string name = {};
  std::string version = {};
  bool operator==(const Part&) const = default;
};

struct Verdict {
  std::string claim = {};   // "" for a probe of a node that nothing has claimed
  std::string boot = {};    // on which it was written
  std::string target = {};  // "19.9.0.0#7"; "" for a probe that only reads
  Outcome outcome = Outcome::NotBegun;
  std::vector<Part> parts = {};
  std::string message = {};              // for people: what, where, why, what to do next
  std::vector<std::string> output = {};  // the last lines of the program that did the work
  bool operator==(const Verdict&) const = default;
};

// Malformed says what is wrong with the text.
base::Result<Verdict> parse_verdict(std::string_view text);

// At most kMostVerdictBytes: first lines of the output go, then the message is cut, then parts whose names are strange.
std::string text_of(const Verdict& verdict);

// "19.8.0.0", or "19.8.0.0,19.9.0.0" where parts differ; "" where none could be read.
std::string versions_of(const std::vector<Part>& parts);

}  // namespace drover::protocol
