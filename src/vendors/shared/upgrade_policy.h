// Reads the upgrade policy that NVIDIA's document and its relatives share.
//
// Absent means the document's default; 0 means "no limit" where the document says so and is an empty optional from here
// on. What cannot be read is named with its field and what would be right; a policy with such trouble starts nothing
// new, and nothing is guessed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/selector.h"
#include "core/policy.h"

namespace drover::vendors {

struct FieldTrouble {
  std::string field;    // "spec.driver.upgradePolicy.maxUnavailable"
  std::string message;  // "is \"5x\"; a number (5) or a share (25%) is wanted"
};

struct PolicyReading {
  core::Policy policy;
  base::Selector jobs;     // pods that may finish first
  base::Selector drained;  // pods that the drain step takes
  std::vector<FieldTrouble> troubles = {};
};

// "25%"; nothing for what is not a percentage.
std::optional<core::Share> parse_percent(std::string_view text);

// `upgrade` is the upgradePolicy object (or nothing), `at` its path for messages.
PolicyReading read_upgrade_policy(const json::Value* upgrade, const std::string& at);

// Which object it was read from, and whether that is being deleted.
void identify(core::Policy& policy, const json::Value& object);

// "2 fields of spec.driver.upgradePolicy cannot be read: maxUnavailable is …": for a condition; "" without trouble.
std::string summary_of(const std::vector<FieldTrouble>& troubles);

}  // namespace drover::vendors
