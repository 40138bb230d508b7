#include "sim/server/catalog.h"

#include <algorithm>

#include "sim/server/access.h"
#include "sim/server/custom_kinds.h"
#include "sim/server/definitions.h"
#include "sim/server/kinds.h"

namespace drover::sim {
namespace {

std::string shelf_name(std::string_view group, std::string_view plural) {
  std::string name(plural);
  if (!group.empty()) name.append(1, '.').append(group);
  return name;
}

ResourceRules row(kube::Resource resource, ResourceRules rules) {
  rules.shelf = resource.qualified();
  rules.resource = std::move(resource);
  return rules;
}

// NOLINTNEXTLINE(readability-function-size): a table, as long as there are resources
std::vector<ResourceRules> built_in() {
  using namespace kube;
  const auto cluster = Scope::Cluster;
  return {
      row(kNamespaces, {.has_status = true,
                        .answers_deleted = true,
                        .names = NameRule::Label,
                        .fill_in = fill_in_namespace,
                        .on_create = new_namespace,
                        .on_update = keep_namespace_finalizers}),
      row(kNodes, {.has_status = true, .fill_in = fill_in_node, .on_create = new_node, .check = check_node}),
      row(kPods, {.has_status = true,
                  .has_generation = true,
                  .answers_deleted = true,
                  .fill_in = fill_in_pod,
                  .on_create = new_pod,
                  .on_update = update_pod,
                  .check = check_pod}),
      row(kEvents, {.creates_on_update = true,
                    .dependents = Dependents::Ignored,
                    .fill_in = fill_in_event,
                    .check = check_event}),
      row(kConfigMaps, {.check = check_config}),
      row(kSecrets, {.fill_in = fill_in_secret, .check = check_config}),
      row(kServices, {.has_status = true,
                      .answers_deleted = true,
                      .names = NameRule::Label,
                      .fill_in = fill_in_service,
                      .on_create = new_service}),
      row(kServiceAccounts, {.answers_deleted = true}),
      row({"", "v1", "endpoints", "Endpoints"}, {.creates_on_update = true}),
      row({"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"}, {.has_status = true, .answers_deleted = true}),
      row({"", "v1", "persistentvolumes", "PersistentVolume", cluster}, {.has_status = true, .answers_deleted = true}),
      row({"", "v1", "limitranges", "LimitRange"}, {}),
      row({"", "v1", "podtemplates", "PodTemplate"}, {.has_generation = true, .answers_deleted = true}),
      row({"", "v1", "replicationcontrollers", "ReplicationController"},
          {.has_status = true, .has_generation = true, .has_scale = true, .dependents = Dependents::Orphaned}),
      row({"", "v1", "resourcequotas", "ResourceQuota"}, {.has_status = true, .answers_deleted = true}),
      row(kDaemonSets, {.has_status = true,
                        .has_generation = true,
                        .fill_in = fill_in_daemon_set,
                        .on_create = new_daemon_set,
                        .on_update = count_daemon_template,
                        .check = check_workload}),
      row(kDeployments, {.has_status = true,
                         .has_generation = true,
                         .has_scale = true,
                         .fill_in = fill_in_deployment,
                         .check = check_workload}),
      row(kReplicaSets, {.has_status = true,
                         .has_generation = true,
                         .has_scale = true,
                         .fill_in = fill_in_replica_set,
                         .check = check_workload}),
      row({"apps", "v1", "statefulsets", "StatefulSet"},
          {.has_status = true, .has_generation = true, .has_scale = true, .check = check_workload}),
      row(kControllerRevisions, {}),
      // batch/v1 orphans by default: older clients counted on it.
      row(kJobs, {.has_status = true,
                  .has_generation = true,
                  .dependents = Dependents::Orphaned,
                  .fill_in = fill_in_job,
                  .on_create = new_job,
                  .check = check_job}),
      row({"batch", "v1", "cronjobs", "CronJob"}, {.has_status = true, .has_generation = true}),
      row(kDisruptionBudgets, {.has_status = true,
                               .has_generation = true,
                               .may_overwrite = false,
                               .on_create = new_budget,
                               .check = check_budget}),
      row(kLeases, {.may_overwrite = false, .creates_on_update = true}),
      row(kCustomResourceDefinitions, {.has_status = true,
                                       .has_generation = true,
                                       .may_overwrite = false,
                                       .answers_deleted = true,
                                       .fill_in = fill_in_definition,
                                       .on_create = new_definition,
                                       .on_update = remember_stored_versions,
                                       .check = check_custom_resource_definition}),
      row({"rbac.authorization.k8s.io", "v1", "roles", "Role"},
          {.creates_on_update = true, .names = NameRule::PathSegment, .fill_in = fill_in_role, .check = check_role}),
      row({"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"}, {.creates_on_update = true,
                                                                               .names = NameRule::PathSegment,
                                                                               .fill_in = fill_in_role_binding,
                                                                               .check = check_role_binding}),
      row({"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", cluster},
          {.creates_on_update = true, .names = NameRule::PathSegment, .fill_in = fill_in_role, .check = check_role}),
      row({"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", cluster},
          {.creates_on_update = true,
           .names = NameRule::PathSegment,
           .fill_in = fill_in_role_binding,
           .check = check_role_binding}),
      row({"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", cluster}, {.has_generation = true}),
      row({"storage.k8s.io", "v1", "storageclasses", "StorageClass", cluster}, {.answers_deleted = true}),
      row({"node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", cluster}, {}),
      row({"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "ValidatingWebhookConfiguration",
           cluster},
          {.has_generation = true, .may_overwrite = false}),
      row({"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration",
           cluster},
          {.has_generation = true, .may_overwrite = false}),
      row({"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", cluster},
          {.has_status = true, .has_generation = true, .may_overwrite = false}),
      row({"admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings",
           "ValidatingAdmissionPolicyBinding", cluster},
          {.has_generation = true, .may_overwrite = false}),
      row({"apiregistration.k8s.io", "v1", "apiservices", "APIService", cluster}, {.has_status = true}),
      row({"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"}, {.has_status = true}),
      row({"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy"}, {.has_generation = true}),
      row({"networking.k8s.io", "v1", "ingresses", "Ingress"}, {.has_status = true, .has_generation = true}),
      row({"networking.k8s.io", "v1", "ingressclasses", "IngressClass", cluster}, {.has_generation = true}),
      row({"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim"}, {.has_status = true, .answers_deleted = true}),
      row({"resource.k8s.io", "v1", "resourceclaimtemplates", "ResourceClaimTemplate"}, {.answers_deleted = true}),
      row({"resource.k8s.io", "v1", "deviceclasses", "DeviceClass", cluster},
          {.has_generation = true, .answers_deleted = true}),
      row({"resource.k8s.io", "v1", "resourceslices", "ResourceSlice", cluster},
          {.has_generation = true, .answers_deleted = true}),
      row({"storage.k8s.io", "v1", "csidrivers", "CSIDriver", cluster}, {.answers_deleted = true}),
      row({"storage.k8s.io", "v1", "csinodes", "CSINode", cluster}, {.answers_deleted = true}),
      row({"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment", cluster},
          {.has_status = true, .answers_deleted = true}),
      row({"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"}, {.has_generation = true}),
  };
}

}  // namespace

Catalog::Catalog() {
  for (ResourceRules& rules : built_in()) add(std::move(rules));
}

const ResourceRules* Catalog::find(std::string_view group, std::string_view plural) const {
  const auto at = group.empty() ? by_shelf_.find(plural) : by_shelf_.find(shelf_name(group, plural));
  return at == by_shelf_.end() ? nullptr : at->second.front().get();
}

const ResourceRules* Catalog::find(const kube::Resource& resource) const {
  const auto at = resource.group.empty() ? by_shelf_.find(resource.plural)
                                         : by_shelf_.find(shelf_name(resource.group, resource.plural));
  if (at == by_shelf_.end()) return nullptr;
  const auto& versions = at->second;
  if (!versions.front()->is_custom) return versions.front().get();
  const auto found = std::find_if(versions.begin(), versions.end(),
                                  [&](const auto& rules) { return rules->resource.version == resource.version; });
  return found == versions.end() ? nullptr : found->get();
}

bool Catalog::is_built_in(std::string_view shelf) const {
  const auto at = by_shelf_.find(shelf);
  return at != by_shelf_.end() && !at->second.front()->is_custom;
}

const kube::Resource* Catalog::find(std::string_view group, std::string_view version, std::string_view plural) const {
  const auto at = std::find_if(resources_.begin(), resources_.end(), [&](const kube::Resource& resource) {
    return resource.plural == plural && resource.version == version && resource.group == group;
  });
  return at == resources_.end() ? nullptr : &*at;
}

void Catalog::add(ResourceRules rules) {
  std::vector<ResourceRules> versions;
  versions.push_back(std::move(rules));
  add_versions(std::move(versions));
}

void Catalog::add_versions(std::vector<ResourceRules> versions) {
  if (versions.empty()) return;
  const std::string group = versions.front().resource.group;
  const std::string plural = versions.front().resource.plural;
  remove(group, plural);
  auto& row = by_shelf_[shelf_name(group, plural)];
  for (ResourceRules& rules : versions) {
    if (rules.shelf.empty()) rules.shelf = rules.resource.qualified();
    resources_.push_back(rules.resource);
    row.push_back(std::make_unique<ResourceRules>(std::move(rules)));
  }
}

void Catalog::remove(std::string_view group, std::string_view plural) {
  const auto at = by_shelf_.find(shelf_name(group, plural));
  if (at == by_shelf_.end()) return;
  for (auto& rules : at->second) retired_.push_back(std::move(rules));
  by_shelf_.erase(at);
  std::erase_if(resources_, [&](const kube::Resource& r) { return r.group == group && r.plural == plural; });
}

}  // namespace drover::sim
