#include "vendors/shared/oldest_policy.h"

#include <fmt/format.h>

#include <utility>

#include "base/time.h"

namespace drover::vendors {

std::optional<std::size_t> policy_that_counts(const std::vector<const json::Value*>& policies) {
  // One without a readable time is younger than all others: it has not been stored yet.
  const auto age_of = [](const json::Value& policy) {
    const auto made_at = base::parse_rfc3339(json::text_at(policy, {"metadata", "creationTimestamp"}));
    return std::pair(made_at ? *made_at : base::WallTime::max(), json::text_at(policy, {"metadata", "name"}));
  };
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (!first || age_of(*policies[i]) < age_of(*policies[*first])) first = i;
  }
  return first;
}

std::vector<std::size_t> policies_of_kind(const std::vector<PolicyObject>& policies, std::size_t kind) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i].kind == kind) found.push_back(i);
  }
  return found;
}

std::optional<std::size_t> oldest_policy(const std::vector<PolicyObject>& policies,
                                         const std::vector<std::size_t>& among) {
  std::vector<const json::Value*> objects;
  objects.reserve(among.size());
  for (const std::size_t i : among) objects.push_back(policies[i].object);
  const auto at = policy_that_counts(objects);
  return at ? std::optional(among[*at]) : std::nullopt;
}

std::string name_of(const PolicyObject& policy) {
  return std::string(json::text_at(*policy.object, {"metadata", "name"}));
}

NodeOwnership oldest_has_all(const std::vector<PolicyObject>& policies) {
  NodeOwnership ownership;
  ownership.ignored_because.resize(policies.size());
  const std::vector<std::size_t> candidates = policies_of_kind(policies, 0);
  const auto chosen = oldest_policy(policies, candidates);
  for (const std::size_t i : candidates) {
    if (i != *chosen) {
      ownership.ignored_because[i] =
          fmt::format("policy {} is older and counts; delete one of the two", name_of(policies[*chosen]));
    }
  }
  if (chosen) ownership.owner_of = [chosen](const LabelsOf&) { return Owner{.policy = chosen}; };
  return ownership;
}

}  // namespace drover::vendors
