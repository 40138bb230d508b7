// The record: what drover remembers of a node, on the node.
//
// One annotation, drover.dev/record, JSON, at most 4 KB. Data at rest:
//   claim     at most one for a node, across vendors and kinds: what has it, what for, since when, and how to give it
//   back outcomes  the last result for each vendor and kind, and what is wanted next
// Written only together with what it speaks of (cordon, taint, label) in one PATCH, so that no crash can separate them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/cow_ptr.h"
#include "base/result.h"
#include "base/time.h"
#include "core/view.h"
#include "protocol/keys.h"

namespace drover::protocol {

inline constexpr std::size_t kMostRecordBytes = 4096;

struct ClaimRecord {
  std::string kind;  // "acme/driver"
  std::string node;  // uid: a claim does not outlive its node under the same name
  core::Claim claim;
  base::WallTime since = {};  // in this phase: for people, no clock is compared with it
  base::WallTime at = {};     // when its time was written, by the writer's clock
  std::string reason = {};
  bool autoscaler_is_told = false;  // by us, to leave the node where it is

  bool operator==(const ClaimRecord&) const = default;
};

struct OutcomeRecord {
  enum class Next { Nothing, Outdated, Asked, Alone };  // Alone: outdated, and changed without the controller

  base::CowPtr<core::Outcome> outcome = {};
  std::optional<base::WallTime> at = {};
  Next next = Next::Nothing;                         // why the node is to be upgraded, while it waits
  std::optional<base::WallTime> given_back_at = {};  // a user uncordoned it under us

  bool operator==(const OutcomeRecord&) const = default;
};

struct Record {
  base::CowPtr<ClaimRecord> held = {};
  std::map<std::string, OutcomeRecord, std::less<>> last = {};  // by kind

  bool operator==(const Record&) const = default;
};

// Malformed says what is wrong with it; a record of a newer drover is read as far as we know it.
base::Result<Record> parse_record(std::string_view text);

// At most kMostRecordBytes: reasons are cut first, then the oldest outcomes go.
std::string text_of(const Record& record);

}  // namespace drover::protocol
