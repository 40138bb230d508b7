// Where a node stands, by everything that is written on it.
//
// The order of truth is spec, record, label. A label without a record is what the vendor's own operator left, or a
// person's request, and is read by a table (adopted): every cell is a test.
#pragma once

#include <optional>
#include <string>

#include "core/view.h"
#include "observe/node_facts.h"
#include "protocol/record.h"
#include "vendors/work_profile.h"

namespace drover::observe {

struct RecordedState {
  core::Phase phase = core::Phase::Idle;
  std::optional<core::Phase> label = {};
  base::InternedString odd_label = {};
  base::CowPtr<protocol::ClaimRecord> held = {};  // with the claim that the record says, or that is adopted now
  base::CowPtr<core::Outcome> outcome = {};
  bool is_asked_for = false;
  bool without_controller = false;  // it waits for its turn without the controller
  base::InternedString other_claim = {};
  std::optional<base::WallTime> given_back_at = {};
  std::string distrust = {};  // what of the claim is not believed, for people (observe/trust.h)
};

// `policy` is the uid of the policy that would own a claim; `now` stamps one that is adopted; `gates` are labels that
// are paused besides the vendor's.
RecordedState recorded_state_of(const NodeFacts& facts, const vendors::WorkProfile& profile, const std::string& policy,
                                base::WallTime now, std::string_view gates = {});

}  // namespace drover::observe
