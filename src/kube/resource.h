// The kinds of objects we speak about, and where an API server keeps them.
#pragma once

#include <string>
#include <string_view>

namespace drover::kube {

enum class Scope { Cluster, Namespaced };

// One resource type. The constants below are the ones we know by heart; custom resources are made from their CRD.
struct Resource {
  std::string group;    // "" for the core group
  std::string version;  // "v1"
  std::string plural;   // "pods", as in paths
  std::string kind;     // "Pod", as in objects
  Scope scope = Scope::Namespaced;

  // "v1", "apps/v1"
  std::string api_version() const { return group.empty() ? version : group + "/" + version; }
  // "pods", "daemonsets.apps": how people and messages name it.
  std::string qualified() const { return group.empty() ? plural : plural + "." + group; }
  friend bool operator==(const Resource&, const Resource&) = default;
};

// The object's address: "/api/v1/namespaces/NS/pods/NAME/eviction". Empty parts are left out; names are
// percent-encoded, so that a hostile name cannot leave its place in the path.
std::string path(const Resource& resource, std::string_view ns = {}, std::string_view name = {},
                 std::string_view subresource = {});

// What stands beside the API at the root: get(kRoot, "", "version") asks GET /version.
inline const Resource kRoot{"", "", "", "", Scope::Cluster};
inline const Resource kNamespaces{"", "v1", "namespaces", "Namespace", Scope::Cluster};
inline const Resource kNodes{"", "v1", "nodes", "Node", Scope::Cluster};
inline const Resource kPods{"", "v1", "pods", "Pod"};
inline const Resource kEvents{"", "v1", "events", "Event"};
inline const Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap"};
inline const Resource kSecrets{"", "v1", "secrets", "Secret"};
inline const Resource kServices{"", "v1", "services", "Service"};
inline const Resource kServiceAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};
inline const Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet"};
inline const Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
inline const Resource kReplicaSets{"apps", "v1", "replicasets", "ReplicaSet"};
inline const Resource kControllerRevisions{"apps", "v1", "controllerrevisions", "ControllerRevision"};
inline const Resource kJobs{"batch", "v1", "jobs", "Job"};
inline const Resource kDisruptionBudgets{"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"};
inline const Resource kResourceClaims{"resource.k8s.io", "v1", "resourceclaims", "ResourceClaim"};
inline const Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline const Resource kCustomResourceDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                                 "CustomResourceDefinition", Scope::Cluster};

}  // namespace drover::kube
