// Requests, and what a real API server said to them under the same roles and bindings.
#pragma once

#include <array>
#include <string_view>

namespace drover::sim::rbac {

inline constexpr std::string_view kTablePolicy = R"json([
  {"kind":"ClusterRole","metadata":{"name":"t-node-reader"},
   "rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get","list","watch"]},
            {"apiGroups":[""],"resources":["nodes/status"],"verbs":["patch"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-evictor"},
   "rules":[{"apiGroups":[""],"resources":["pods/eviction"],"verbs":["create"]},
            {"apiGroups":["*"],"resources":["*/scale"],"verbs":["update"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-all"},"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-apps"},"rules":[{"apiGroups":["apps"],"resources":["*"],"verbs":["get"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-named"},
   "rules":[{"apiGroups":["coordination.k8s.io"],"resources":["leases"],"resourceNames":["leader","other"],"verbs":["get","update"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-urls"},
   "rules":[{"nonResourceURLs":["/metrics","/logs/*","/x*"],"verbs":["get"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-all-urls"},"rules":[{"nonResourceURLs":["*"],"verbs":["*"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-part-a","labels":{"t-sum":"yes"}},
   "rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-part-b","labels":{"t-sum":"yes"}},
   "rules":[{"apiGroups":["batch"],"resources":["jobs"],"verbs":["create"]}]},
  {"kind":"ClusterRole","metadata":{"name":"t-sum"},
   "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"t-sum":"yes"}}]},"rules":[]},
  {"kind":"Role","metadata":{"name":"t-pods","namespace":"default"},
   "rules":[{"apiGroups":[""],"resources":["pods","pods/log"],"verbs":["get","list"]}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-jane-nodes"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-node-reader"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"guest"},{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"jane"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-ops-evict"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-evictor"},
   "subjects":[{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"ops"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-root"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-all"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"root"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-sa-apps"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-apps"},
   "subjects":[{"kind":"ServiceAccount","name":"drover","namespace":"kube-public"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-sas-lease"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-named"},
   "subjects":[{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"system:serviceaccounts:kube-public"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-scraper"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-urls"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"scraper"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-crawler"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-all-urls"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"crawler"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-sum"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-sum"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"summer"}]},
  {"kind":"ClusterRoleBinding","metadata":{"name":"t-lost"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-gone"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"lost"}]},
  {"kind":"RoleBinding","metadata":{"name":"t-jane-pods","namespace":"default"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"t-pods"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"jane"},{"kind":"ServiceAccount","name":"local","namespace":"default"}]},
  {"kind":"RoleBinding","metadata":{"name":"t-joe-nodes","namespace":"default"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-node-reader"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"joe"}]},
  {"kind":"RoleBinding","metadata":{"name":"t-root-here","namespace":"kube-public"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"t-all"},
   "subjects":[{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"locals"}]},
  {"kind":"RoleBinding","metadata":{"name":"t-lost-here","namespace":"default"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"t-gone"},
   "subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"lost"}]}
])json";

struct Row {
  std::string_view user;
  std::string_view groups;  // joined by commas
  std::string_view
      request;  // "VERB GROUP/RESOURCE[/SUBRESOURCE] [ns=…] [name=…]" or "VERB path=/…"; "-" is the core group
  std::string_view answer;  // "yes: REASON", "no" or "no: REASON"
};

inline constexpr std::string_view kJaneNodes =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-jane-nodes" of ClusterRole "t-node-reader" to User "jane")";
inline constexpr std::string_view kJanePods =
    R"(yes: RBAC: allowed by RoleBinding "t-jane-pods/default" of Role "t-pods" to User "jane")";
inline constexpr std::string_view kOps =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-ops-evict" of ClusterRole "t-evictor" to Group "ops")";
inline constexpr std::string_view kRoot =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-root" of ClusterRole "t-all" to User "root")";
inline constexpr std::string_view kApps =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-sa-apps" of ClusterRole "t-apps" to ServiceAccount "drover/kube-public")";
inline constexpr std::string_view kLease =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-sas-lease" of ClusterRole "t-named" to Group "system:serviceaccounts:kube-public")";
inline constexpr std::string_view kScraper =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-scraper" of ClusterRole "t-urls" to User "scraper")";
inline constexpr std::string_view kCrawler =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-crawler" of ClusterRole "t-all-urls" to User "crawler")";
inline constexpr std::string_view kSum =
    R"(yes: RBAC: allowed by ClusterRoleBinding "t-sum" of ClusterRole "t-sum" to User "summer")";
inline constexpr std::string_view kLocals =
    R"(yes: RBAC: allowed by RoleBinding "t-root-here/kube-public" of ClusterRole "t-all" to Group "locals")";

inline constexpr auto kRows = std::to_array<Row>({
    // verbs, groups, resources
    {"jane", "", "get -/nodes", kJaneNodes},
    {"jane", "", "get -/nodes name=n1", kJaneNodes},
    {"jane", "", "list -/nodes", kJaneNodes},
    {"jane", "", "watch -/nodes", kJaneNodes},
    {"jane", "", "delete -/nodes name=n1", "no"},
    {"jane", "", "patch -/nodes name=n1", "no"},
    {"jane", "", "patch -/nodes/status name=n1", kJaneNodes},
    {"jane", "", "get -/nodes/status name=n1", "no"},
    {"jane", "", "get apps/nodes", "no"},
    {"jane", "", "get metrics.k8s.io/nodes", "no"},
    {"jane", "", "get -/pods", "no"},
    {"joe", "", "get -/nodes", "no"},
    {"guest", "", "get -/nodes",
     R"(yes: RBAC: allowed by ClusterRoleBinding "t-jane-nodes" of ClusterRole "t-node-reader" to User "guest")"},
    {"Jane", "", "get -/nodes", "no"},
    {"stranger", "jane", "get -/nodes", "no"},
    // namespaces
    {"jane", "", "get -/pods ns=default", kJanePods},
    {"jane", "", "get -/pods/log ns=default name=p", kJanePods},
    {"jane", "", "get -/pods/exec ns=default name=p", "no"},
    {"jane", "", "create -/pods ns=default", "no"},
    {"jane", "", "get -/pods ns=kube-public", "no"},
    {"jane", "", "list -/pods", "no"},
    {"jane", "", "get -/nodes ns=default", kJaneNodes},
    {"joe", "", "get -/nodes ns=default",
     R"(yes: RBAC: allowed by RoleBinding "t-joe-nodes/default" of ClusterRole "t-node-reader" to User "joe")"},
    {"joe", "", "get -/nodes ns=kube-public", "no"},
    {"someone", "locals", "delete apps/deployments ns=kube-public", kLocals},
    {"someone", "locals", "get -/secrets/anything ns=kube-public name=x", kLocals},
    {"someone", "locals", "delete apps/deployments ns=default", "no"},
    {"someone", "locals", "delete apps/deployments", "no"},
    // subresources
    {"ann", "ops", "create -/pods/eviction ns=ml name=train", kOps},
    {"ann", "ops", "create -/pods ns=ml", "no"},
    {"ann", "ops", "delete -/pods/eviction ns=ml name=train", "no"},
    {"ann", "ops", "update apps/deployments/scale ns=ml name=d", kOps},
    {"ann", "ops", "update example.com/widgets/scale ns=ml name=d", kOps},
    {"ann", "ops", "update apps/deployments ns=ml name=d", "no"},
    {"ann", "ops", "update apps/deployments/status ns=ml name=d", "no"},
    {"ann", "staff,ops", "create -/pods/eviction ns=ml name=train", kOps},
    {"ann", "", "create -/pods/eviction ns=ml name=train", "no"},
    // stars
    {"root", "", "get -/nodes", kRoot},
    {"root", "", "frobnicate example.com/widgets/anything ns=x name=y", kRoot},
    {"root", "", "get path=/metrics", "no"},
    {"system:serviceaccount:kube-public:drover", "", "get apps/daemonsets ns=any", kApps},
    {"system:serviceaccount:kube-public:drover", "", "get apps/daemonsets/status ns=any name=d", kApps},
    {"system:serviceaccount:kube-public:drover", "", "list apps/daemonsets ns=any", "no"},
    {"system:serviceaccount:kube-public:drover", "", "get -/daemonsets ns=any", "no"},
    {"system:serviceaccount:default:drover", "", "get apps/daemonsets ns=any", "no"},
    // ServiceAccounts and their groups
    {"system:serviceaccount:default:local", "", "list -/pods ns=default",
     R"(yes: RBAC: allowed by RoleBinding "t-jane-pods/default" of Role "t-pods" to ServiceAccount "local/default")"},
    {"system:serviceaccount:kube-public:local", "", "list -/pods ns=default", "no"},
    {"system:serviceaccount:kube-public:any", "system:serviceaccounts,system:serviceaccounts:kube-public",
     "get coordination.k8s.io/leases ns=kube-public name=leader", kLease},
    {"system:serviceaccount:kube-public:any", "system:serviceaccounts",
     "get coordination.k8s.io/leases ns=kube-public name=leader", "no"},
    // resourceNames
    {"x", "system:serviceaccounts:kube-public", "update coordination.k8s.io/leases ns=a name=other", kLease},
    {"x", "system:serviceaccounts:kube-public", "update coordination.k8s.io/leases ns=a name=third", "no"},
    {"x", "system:serviceaccounts:kube-public", "get coordination.k8s.io/leases ns=a", "no"},
    {"x", "system:serviceaccounts:kube-public", "create coordination.k8s.io/leases ns=a name=leader", "no"},
    // URLs that are no resources
    {"scraper", "", "get path=/metrics", kScraper},
    {"scraper", "", "get path=/metrics/cadvisor", "no"},
    {"scraper", "", "post path=/metrics", "no"},
    {"scraper", "", "get path=/logs/kubelet.log", kScraper},
    {"scraper", "", "get path=/logs/", kScraper},
    {"scraper", "", "get path=/logs", "no"},
    {"scraper", "", "get path=/xyz", kScraper},
    {"scraper", "", "get -/nodes", "no"},
    {"crawler", "", "delete path=/anything/at/all", kCrawler},
    {"crawler", "", "get -/nodes", "no"},
    // aggregation
    {"summer", "", "get -/secrets ns=a", kSum},
    {"summer", "", "create batch/jobs ns=a", kSum},
    {"summer", "", "delete batch/jobs ns=a", "no"},
    // roles that are gone
    {"lost", "", "get -/nodes", R"(no: RBAC: clusterrole.rbac.authorization.k8s.io "t-gone" not found)"},
    {"lost", "", "get -/pods ns=default",
     R"(no: RBAC: [clusterrole.rbac.authorization.k8s.io "t-gone" not found, role.rbac.authorization.k8s.io "t-gone" not found])"},
    // always
    {"any-user", "system:masters", "delete -/nodes name=n1", "yes: "},
    {"any-user", "system:masters", "post path=/anything", "yes: "},
});

}  // namespace drover::sim::rbac
