// The bootstrap policy: what users and tools find on every cluster. The roles of a real cluster's own
// controllers and nodes are left out: they are not used here.
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "sim/rbac/rbac.h"

namespace drover::sim::rbac {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kLook = "get list watch";
constexpr std::string_view kChange = "create delete deletecollection patch update";
constexpr std::string_view kAll = "create delete deletecollection get list patch update watch";

// One rule of a role: words, separated by spaces; "core" is the group without a name.
struct Row {
  std::string_view role;
  std::string_view groups;
  std::string_view resources;  // or URLs, when they begin with "/" or are "*" in the group "urls"
  std::string_view verbs;
};

constexpr Row kRows[] = {
    {"cluster-admin", "*", "*", "*"},
    {"cluster-admin", "urls", "*", "*"},
    {"system:basic-user", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews", "create"},
    {"system:basic-user", "authentication.k8s.io", "selfsubjectreviews", "create"},
    {"system:discovery", "urls",
     "/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/", "get"},
    {"system:public-info-viewer", "urls", "/healthz /livez /readyz /version /version/", "get"},
    {"system:monitoring", "urls",
     "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz", "get"},
    {"system:monitoring", "core", "nodes/metrics", "get"},
    {"system:service-account-issuer-discovery", "urls",
     "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/", "get"},
    {"system:auth-delegator", "authentication.k8s.io", "tokenreviews", "create"},
    {"system:auth-delegator", "authorization.k8s.io", "subjectaccessreviews", "create"},

    {"system:aggregate-to-admin", "authorization.k8s.io", "localsubjectaccessreviews", "create"},
    {"system:aggregate-to-admin", "rbac.authorization.k8s.io", "rolebindings roles", kAll},

    {"system:aggregate-to-edit", "core", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy",
     kLook},
    {"system:aggregate-to-edit", "core", "serviceaccounts", "impersonate"},
    {"system:aggregate-to-edit", "core", "pods pods/attach pods/exec pods/portforward pods/proxy", kChange},
    {"system:aggregate-to-edit", "core", "pods/eviction", "create"},
    {"system:aggregate-to-edit", "core",
     "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts "
     "services services/proxy",
     kChange},
    {"system:aggregate-to-edit", "core", "serviceaccounts/token", "create"},
    {"system:aggregate-to-edit", "core events.k8s.io", "events", kChange},
    {"system:aggregate-to-edit", "apps",
     "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets "
     "statefulsets/scale",
     kChange},
    {"system:aggregate-to-edit", "autoscaling", "horizontalpodautoscalers", kChange},
    {"system:aggregate-to-edit", "batch", "cronjobs jobs", kChange},
    {"system:aggregate-to-edit", "extensions",
     "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets "
     "replicasets/scale replicationcontrollers/scale",
     kChange},
    {"system:aggregate-to-edit", "policy", "poddisruptionbudgets", kChange},
    {"system:aggregate-to-edit", "networking.k8s.io", "ingresses networkpolicies", kChange},
    {"system:aggregate-to-edit", "coordination.k8s.io", "leases", kAll},
    {"system:aggregate-to-edit", "resource.k8s.io", "resourceclaims resourceclaimtemplates", kChange},

    {"system:aggregate-to-view", "core",
     "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers "
     "replicationcontrollers/scale serviceaccounts services services/status",
     kLook},
    {"system:aggregate-to-view", "core",
     "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas "
     "resourcequotas/status",
     kLook},
    {"system:aggregate-to-view", "core", "namespaces", kLook},
    {"system:aggregate-to-view", "core events.k8s.io", "events", kLook},
    {"system:aggregate-to-view", "discovery.k8s.io", "endpointslices", kLook},
    {"system:aggregate-to-view", "apps",
     "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets "
     "replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
     kLook},
    {"system:aggregate-to-view", "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status", kLook},
    {"system:aggregate-to-view", "batch", "cronjobs cronjobs/status jobs jobs/status", kLook},
    {"system:aggregate-to-view", "extensions",
     "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status "
     "networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
     kLook},
    {"system:aggregate-to-view", "policy", "poddisruptionbudgets poddisruptionbudgets/status", kLook},
    {"system:aggregate-to-view", "networking.k8s.io", "ingresses ingresses/status networkpolicies", kLook},
    {"system:aggregate-to-view", "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates",
     kLook},
};

struct Bound {
  std::string_view role;
  std::string_view groups;  // of users
};
constexpr Bound kBindings[] = {
    {"cluster-admin", "system:masters"},
    {"system:basic-user", "system:authenticated"},
    {"system:discovery", "system:authenticated"},
    {"system:public-info-viewer", "system:authenticated system:unauthenticated"},
    {"system:monitoring", "system:monitoring"},
    {"system:service-account-issuer-discovery", "system:serviceaccounts"},
};

json::Array words(std::string_view text) {
  json::Array list;
  for (const std::string_view one : base::split(text, ' ')) list.emplace_back(one == "core" ? std::string_view() : one);
  return list;
}

json::Value metadata(std::string_view name, std::string_view aggregates_to = {}) {
  json::Members labels{{"kubernetes.io/bootstrapping", "rbac-defaults"}};
  if (!aggregates_to.empty()) {
    labels[std::string(kGroup) + "/aggregate-to-" + std::string(aggregates_to)] = "true";
  }
  return json::Members{{"name", name},
                       {"labels", std::move(labels)},
                       {"annotations", json::Members{{"rbac.authorization.kubernetes.io/autoupdate", "true"}}}};
}

json::Value role_object(json::Value about, json::Value rules) {
  return json::Members{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "ClusterRole"},
                       {"metadata", std::move(about)},
                       {"rules", std::move(rules)}};
}

json::Value rule_of(const Row& row) {
  if (row.groups == "urls") {
    return json::Members{{"verbs", words(row.verbs)}, {"nonResourceURLs", words(row.resources)}};
  }
  return json::Members{
      {"verbs", words(row.verbs)}, {"apiGroups", words(row.groups)}, {"resources", words(row.resources)}};
}

std::string_view aggregation_of(std::string_view role) {
  constexpr std::string_view kPrefix = "system:aggregate-to-";
  return role.starts_with(kPrefix) ? role.substr(kPrefix.size()) : std::string_view();
}

// view flows into edit, edit into admin.
json::Value aggregated_role(std::string_view name, std::string_view into) {
  json::Value role = role_object(metadata(name, into), nullptr);
  role.get_object()["aggregationRule"] = json::Members{
      {"clusterRoleSelectors",
       json::Array{json::Members{
           {"matchLabels", json::Members{{std::string(kGroup) + "/aggregate-to-" + std::string(name), "true"}}}}}}};
  return role;
}

json::Value binding_of(const Bound& bound) {
  json::Array subjects;
  for (const std::string_view group : base::split(bound.groups, ' ')) {
    subjects.push_back(json::Members{{"kind", "Group"}, {"apiGroup", kGroup}, {"name", group}});
  }
  return json::Members{{"apiVersion", "rbac.authorization.k8s.io/v1"},
                       {"kind", "ClusterRoleBinding"},
                       {"metadata", metadata(bound.role)},
                       {"roleRef", json::Members{{"apiGroup", kGroup}, {"kind", "ClusterRole"}, {"name", bound.role}}},
                       {"subjects", std::move(subjects)}};
}

}  // namespace

namespace {

std::vector<json::Value> made_policy() {
  std::vector<json::Value> objects;
  for (std::size_t i = 0; i < std::size(kRows);) {
    const std::string_view role = kRows[i].role;
    json::Array rules;
    for (; i < std::size(kRows) && kRows[i].role == role; ++i) rules.push_back(rule_of(kRows[i]));
    objects.push_back(role_object(metadata(role, aggregation_of(role)), std::move(rules)));
  }
  objects.push_back(aggregated_role("view", "edit"));
  objects.push_back(aggregated_role("edit", "admin"));
  objects.push_back(aggregated_role("admin", ""));
  for (const Bound& bound : kBindings) objects.push_back(binding_of(bound));
  return objects;
}

}  // namespace

const std::vector<json::Value>& bootstrap_policy() {
  static const std::vector<json::Value> kPolicy = made_policy();
  return kPolicy;
}

}  // namespace drover::sim::rbac
