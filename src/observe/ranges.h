// Which objects a vendor's fleet is made of: watched by the operator, listed once by the command line.
#pragma once

#include <fmt/format.h>

#include <string>

#include "kube/api.h"
#include "vendors/work_profile.h"

namespace drover::observe {

inline kube::Resource policy_kind_of(const vendors::WorkProfile& profile, std::size_t kind = 0) {
  const vendors::WorkProfile::Kind& policy = profile.policy_kind(kind);
  return {.group = std::string(policy.group),
          .version = std::string(policy.version),
          .plural = std::string(policy.plural),
          .kind = std::string(policy.kind),
          .scope = kube::Scope::Cluster};
}

inline kube::Range all_nodes() { return {.resource = kube::kNodes, .ns = {}, .labels = {}, .fields = {}}; }

inline kube::Range policies_of(const vendors::WorkProfile& profile, std::size_t kind) {
  return {.resource = policy_kind_of(profile, kind), .ns = {}, .labels = {}, .fields = {}};
}

inline kube::Range definition_of(const vendors::WorkProfile& profile, std::size_t kind) {
  return {.resource = kube::kCustomResourceDefinitions,
          .ns = {},
          .labels = {},
          .fields = "metadata.name=" + policy_kind_of(profile, kind).qualified()};
}

// The pods of drivers, validators and preflights in the namespace of the operands.
inline kube::Range operand_pods_of(const vendors::WorkProfile& profile, const std::string& ns) {
  std::string roles;
  for (const std::string_view role : {profile.driver_role, profile.validator_role, profile.preflight_role}) {
    if (!role.empty()) roles += fmt::format("{}{}", roles.empty() ? "" : ",", role);
  }
  return {
      .resource = kube::kPods, .ns = ns, .labels = fmt::format("{} in ({})", profile.role_label, roles), .fields = {}};
}

inline kube::Range daemon_sets_in(const std::string& ns) {
  return {.resource = kube::kDaemonSets, .ns = ns, .labels = {}, .fields = {}};
}

inline kube::Range all_claims() { return {.resource = kube::kResourceClaims, .ns = {}, .labels = {}, .fields = {}}; }

// The Deployment of the vendor's own operator; not asked for where it has none, as no selector would select all.
inline kube::Range competing_operators_of(const vendors::WorkProfile& profile, const std::string& ns) {
  return {.resource = kube::kDeployments, .ns = ns, .labels = std::string(profile.vendor.own_operator), .fields = {}};
}
inline kube::Projection competing_operator_projection() { return {"spec.replicas", "status.replicas"}; }

// "Deployment gpu-operator/gpu-operator" when it runs; "" when it is scaled to nothing.
inline std::string competing_operator_in(const kube::Object& deployment) {
  if (json::int_at(deployment, {"spec", "replicas"}, 1) <= 0) return {};
  return "Deployment " + kube::key_of(deployment);
}

}  // namespace drover::observe
