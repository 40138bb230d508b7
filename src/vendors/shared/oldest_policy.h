// Policies of which only the oldest counts: all nodes are its, and the others say in their status that they are
// ignored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "vendors/desired.h"

namespace drover::vendors {

// Which of several counts: the oldest, ties by name; nothing for none.
std::optional<std::size_t> policy_that_counts(const std::vector<const json::Value*>& policies);

// By index among all policies.
std::vector<std::size_t> policies_of_kind(const std::vector<PolicyObject>& policies, std::size_t kind);
std::optional<std::size_t> oldest_policy(const std::vector<PolicyObject>& policies,
                                         const std::vector<std::size_t>& among);
std::string name_of(const PolicyObject& policy);

// The oldest of the vendor's first kind has all nodes.
NodeOwnership oldest_has_all(const std::vector<PolicyObject>& policies);

}  // namespace drover::vendors
