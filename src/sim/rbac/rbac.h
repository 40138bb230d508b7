// Role-based access control: what a user may do, and which binding allows it.
//
// Data at rest: the four RBAC kinds, reduced to what a decision needs, and an index from subjects to the bindings that
// name them, so that a request looks only at its own user's and groups' bindings. The Server feeds it every commit of
// these kinds; it reads nothing itself and knows no HTTP.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/selector.h"

namespace drover::sim::rbac {

struct User {
  std::string name;
  std::vector<std::string> groups = {};
};
// The user that a ServiceAccount's token stands for, with the groups it is in.
User service_account(std::string_view ns, std::string_view name);

// One request: on a resource, or (when `path` is not empty) on a URL that is none.
struct Attributes {
  User user;
  std::string
      verb;  // "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; "post" … for paths
  std::string group = {};
  std::string resource = {};
  std::string subresource = {};
  std::string name = {};
  std::string ns = {};
  std::string path = {};
};

struct Decision {
  bool allowed = false;
  std::string reason;  // "RBAC: allowed by …", what went wrong on the way, or ""
};

class Policy {
 public:
  // A Role, ClusterRole, RoleBinding or ClusterRoleBinding that was created or changed; other kinds are ignored.
  void put(const json::Value& object);
  // Many at once, which costs little more than one.
  void put_all(const std::vector<std::shared_ptr<const json::Value>>& objects);
  // The same, deleted.
  void remove(const json::Value& object);

  // For a bug (sim/server/bugs.h): resourceNames limit nothing any more.
  void ignore_names() { names_count_ = false; }

  Decision decide(const Attributes& request) const;
  // status of a SubjectRulesReview: what the user may do in the namespace.
  json::Value rules_for(const User& user, std::string_view ns) const;
  // The rules that an aggregated ClusterRole has now, as the controller would write them into it.
  json::Array aggregated_rules(std::string_view cluster_role) const;

 private:
  struct Rule {
    std::vector<std::string> verbs;
    std::vector<std::string> groups;
    std::vector<std::string> resources;
    std::vector<std::string> names;
    std::vector<std::string> urls;
    json::Value text;

    bool allows(const Attributes& request, bool names_count) const;
  };
  struct Role {
    std::vector<Rule> rules;
    json::Members labels = {};
    std::vector<base::Selector> aggregates = {};
  };
  struct BindingSubject {
    std::string kind;
    std::string name;
    std::string ns;
  };
  struct Binding {
    std::string name;
    std::string ns;
    std::string role_kind;
    std::string role_name;
    std::vector<BindingSubject> subjects = {};
  };
  using Key = std::pair<std::string, std::string>;  // namespace ("" for the cluster's) and name

  static Rule read_rule(const json::Value& rule);
  static Role read_role(const json::Value& object);
  static Binding read_binding(const json::Value& object);
  static std::string subject_key(const BindingSubject& subject, std::string_view binding_ns);
  void forget_binding(const Key& key);
  // True when aggregated roles may be others now.
  bool take(const json::Value& object);
  void aggregate();
  const Role* find_role(const Binding& binding) const;
  static std::string describe(const Binding& binding, const User& user);

  // Calls `visit(binding, role)` for the bindings that apply, the cluster's first; role is nullptr when it does not
  // exist.
  template <class Visit>
  void each_binding(const User& user, std::string_view ns, Visit visit) const;

  bool names_count_ = true;
  std::map<Key, Role> roles_;  // ClusterRoles have no namespace
  std::map<Key, Binding> bindings_;
  std::map<std::string, std::set<Key>, std::less<>> by_subject_;  // "User/jane", "Group/system:masters"
};

// `pods "x" is forbidden: User "u" cannot get resource "pods" in API group "" in the namespace "ns"`, with the reason
// after it when there is one.
std::string forbidden_message(const Attributes& request, std::string_view reason);
// metav1.StatusDetails of a 403.
json::Value forbidden_details(const Attributes& request);

// The bootstrap policy of a new cluster: cluster-admin for system:masters, discovery and public information for
// authenticated and unauthenticated users.
const std::vector<json::Value>& bootstrap_policy();

}  // namespace drover::sim::rbac
