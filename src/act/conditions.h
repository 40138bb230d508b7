// The conditions of a policy: what `kubectl wait` waits for and `kubectl describe` shows. Made of the classes of its
// nodes (core/node_class.h), so that Ready means: every node serves, now, what the policy wants.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "act/obstacles.h"
#include "core/decide.h"
#include "core/node_class.h"
#include "core/view.h"
#include "vendors/work_profile.h"

namespace drover::act {

struct Condition {
  enum class Status { False, True, Unknown };

  std::string type;
  Status status = Status::False;
  std::string reason;
  std::string message = {};
};

std::string_view word(Condition::Status status);

// What conditions are made of besides fleet and plan.
struct ConditionFacts {
  const vendors::Desired* wants = nullptr;
  std::string competing_operator = {};                    // the Deployment of the vendor's own operator, if it runs
  std::optional<std::vector<std::string>> disputed = {};  // nodes that other policies select too, where there can be
  // What the definition that is served does not know, and how to mend that; "" when it knows all. Nothing: it could not
  // be asked for.
  std::optional<std::string> definition_lacks = {};
};

// Only the last is made while the vendor's own operator runs: two writers of Ready would take turns for ever.
std::vector<Condition> conditions_of(const core::FleetView& fleet, const core::Plan& plan,
                                     const vendors::WorkProfile& profile, const ConditionFacts& facts);

// Whether drover writes a condition of this type.
bool is_our_condition(std::string_view type);

}  // namespace drover::act
