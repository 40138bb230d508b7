#include "vendors/shared/oldest_policy.h"

#include <gtest/gtest.h>

namespace drover::vendors {
namespace {

TEST(OldestPolicy, CountsAndThenTheName) {
  const auto policy = [](std::string_view name, std::string_view made_at) {
    json::Value value;
    json::ensure(value, {"metadata", "name"}) = name;
    if (!made_at.empty()) json::ensure(value, {"metadata", "creationTimestamp"}) = made_at;
    return value;
  };
  const json::Value young_a = policy("a", "2026-11-15T20:00:01Z");
  const json::Value old_c = policy("c", "2026-11-15T20:00:00Z");
  const json::Value old_b = policy("b", "2026-11-15T20:00:00Z");
  const json::Value unborn = policy("0", "");
  EXPECT_EQ(policy_that_counts({}), std::nullopt);
  EXPECT_EQ(policy_that_counts({&young_a}), 0U);
  EXPECT_EQ(policy_that_counts({&young_a, &old_c}), 1U);
  EXPECT_EQ(policy_that_counts({&young_a, &old_c, &old_b}), 2U);
  EXPECT_EQ(policy_that_counts({&old_b, &old_c, &young_a}), 0U);
  EXPECT_EQ(policy_that_counts({&unborn, &young_a}), 1U);
  EXPECT_EQ(policy_that_counts({&unborn}), 0U);
}

TEST(OldestPolicy, HasAllNodesAndTheOthersSayWhichOneCounts) {
  const json::Value young =
      json::Members{{"metadata", json::Members{{"name", "a"}, {"creationTimestamp", "2026-11-15T20:00:01Z"}}}};
  const json::Value old =
      json::Members{{"metadata", json::Members{{"name", "b"}, {"creationTimestamp", "2026-11-15T20:00:00Z"}}}};
  const NodeOwnership ownership = oldest_has_all({{.object = &young}, {.object = &old}});
  EXPECT_EQ(ownership.ignored_because[0], "policy b is older and counts; delete one of the two");
  EXPECT_EQ(ownership.ignored_because[1], "");
  EXPECT_EQ(ownership.owner_of([](std::string_view) { return std::string_view(); }).policy, 1U);
  EXPECT_EQ(oldest_has_all({}).owner_of([](std::string_view) { return std::string_view(); }).policy, std::nullopt);
}

}  // namespace
}  // namespace drover::vendors
