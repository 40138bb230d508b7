// Which rules have decided something: rows of flows, and repairs. Seen from outside: after a pass the fleets that it
// decided on are decided on once more, which is the same decision.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/decide.h"
#include "core/flow.h"
#include "operator/operator.h"

namespace drover::proof {

class RulesSeen {
 public:
  // Of all policies, after a pass.
  void look(operate::Operator& drover);
  // One decision on a fleet.
  void look(const core::Flow& flow, const core::FleetView& fleet);

  // One line for each that has not fired: its phases, and its words.
  std::vector<std::string> missing(const core::Flow& flow) const;
  std::vector<std::string> missing_repairs() const;
  bool has_fired(const core::Flow& flow, const core::Rule& rule) const;

 private:
  std::map<const core::Flow*, std::set<const core::Rule*>> fired_;
  std::set<const core::Repair*> repaired_;
};

// "restart, validate: the node was lost"
std::string text_of(const core::Rule& rule);

}  // namespace drover::proof
