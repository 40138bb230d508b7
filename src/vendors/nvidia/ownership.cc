#include "vendors/nvidia/ownership.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "vendors/nvidia/crd.h"
#include "vendors/nvidia/driver.h"
#include "vendors/nvidia/module.h"
#include "vendors/nvidia/operands.h"
#include "vendors/shared/oldest_policy.h"

namespace drover::vendors {
namespace {

// An NVIDIADriver that takes part.
struct Part {
  std::size_t index;
  std::string name;
  DriverScope scope;
};

std::vector<Part> parts_of(const std::vector<PolicyObject>& policies, std::vector<std::string>& ignored_because) {
  std::vector<Part> parts;
  std::vector<std::size_t> defaults;
  for (const std::size_t i : policies_of_kind(policies, 1)) {
    if (!json::text_at(*policies[i].object, {"metadata", "deletionTimestamp"}).empty()) {
      ignored_because[i] = "it is being deleted";
      continue;
    }
    parts.push_back({.index = i, .name = name_of(policies[i]), .scope = scope_of(*policies[i].object)});
    if (parts.back().scope.is_default) defaults.push_back(i);
  }
  const auto first = oldest_policy(policies, defaults);
  std::erase_if(parts, [&](const Part& part) {
    if (!part.scope.is_default || part.index == *first) return false;
    ignored_because[part.index] =
        fmt::format("{} is older and the default; give this one a nodeSelector instead", name_of(policies[*first]));
    return true;
  });
  return parts;
}

Owner owner_among(const std::vector<Part>& parts, const LabelsOf& labels) {
  if (!has_nvidia_gpu(labels)) return {};
  Owner owner;
  std::vector<const Part*> selecting;
  for (const Part& part : parts) {
    if (!part.scope.is_default && part.scope.selects(labels)) selecting.push_back(&part);
  }
  if (selecting.size() == 1) return {.policy = selecting.front()->index};
  for (const Part* part : selecting) {
    owner.rivals.push_back(part->index);
    if (labels(kDriverOwnerLabel) == part->name) owner.policy = part->index;
  }
  if (!selecting.empty()) return owner;
  for (const Part& part : parts) {
    if (part.scope.is_default && part.scope.can_be_read) owner.policy = part.index;
  }
  return owner;
}

}  // namespace

bool has_nvidia_gpu(const LabelsOf& labels) {
  bool has = labels(nvidia_driver().vendor.present_label) == "true";
  each_part(nvidia_driver().vendor.feature_labels, [&](std::string_view key) { has = has || labels(key) == "true"; });
  return has;
}

const json::Value* cluster_policy_in(const std::vector<PolicyObject>& policies) {
  const auto chosen = oldest_policy(policies, policies_of_kind(policies, 0));
  return chosen ? policies[*chosen].object : nullptr;
}

NodeOwnership allot_nvidia(const std::vector<PolicyObject>& policies) {
  NodeOwnership allotment = oldest_has_all(policies);
  const auto chosen = oldest_policy(policies, policies_of_kind(policies, 0));
  if (chosen && !json::flag_at(*policies[*chosen].object, {"spec", "driver", "useNvidiaDriverCRD"})) {
    for (const std::size_t i : policies_of_kind(policies, 1)) {
      allotment.ignored_because[i] = fmt::format(
          "ClusterPolicy {} says which driver runs; set spec.driver.useNvidiaDriverCRD to true there to use this one",
          name_of(policies[*chosen]));
    }
    return allotment;
  }
  std::vector<Part> parts = parts_of(policies, allotment.ignored_because);
  std::set<std::string> keys;
  for (const Part& part : parts) {
    for (const auto& [key, value] : part.scope.node_labels) keys.insert(key);
  }
  allotment.label_keys.assign(keys.begin(), keys.end());
  allotment.owner_of = [parts = std::move(parts)](const LabelsOf& labels) { return owner_among(parts, labels); };
  return allotment;
}

}  // namespace drover::vendors
