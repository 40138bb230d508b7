// A ClusterPolicy as NVIDIA's chart writes it for an ordinary cluster, and changed copies of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/text.h"

namespace drover::vendors {

inline json::Value sample_policy() {
  const auto text = base::read_file("test/vendors/golden/cluster_policy.json");
  EXPECT_TRUE(text) << "run the tests from the root of the source tree";
  json::Value policy = json::parse(text.value()).value();
  json::ensure(policy, {"metadata", "uid"}) = "uid-1";
  return policy;
}

// Merges `change` (a JSON object; null removes) into `into`, as a merge patch does.
inline void merge(json::Value& into, const json::Value& change) {
  if (!change.is_object()) {
    into = change;
    return;
  }
  if (!into.is_object()) into = json::Members{};
  for (const auto& member : change.get_object()) {
    if (member.value().is_null()) {
      into.get_object().erase(member.key());
    } else {
      merge(into.get_object()[member.key()], member.value());
    }
  }
}

// The sample with this merged into its spec.
inline json::Value sample_with(std::string_view spec) {
  json::Value policy = sample_policy();
  merge(policy.get_object()["spec"], json::parse(spec).value());
  return policy;
}

}  // namespace drover::vendors
