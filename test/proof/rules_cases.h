// Facts for which a rule fires that no story reaches: the moment is too short, what it needs is not in the embedded
// cluster, or only two faults at once bring it about.
#pragma once

#include <span>
#include <string_view>

#include "core/flow.h"
#include "core/view.h"

namespace drover::proof {

struct RuleCase {
  const core::Flow& (*flow)();
  core::Phase in;
  std::string_view because;  // the rule's words
  core::FleetView (*fleet)();
};

std::span<const RuleCase> rule_cases();

struct RepairCase {
  const core::Flow& (*flow)();
  std::string_view text;
  core::FleetView (*fleet)();
};

std::span<const RepairCase> repair_cases();

}  // namespace drover::proof
