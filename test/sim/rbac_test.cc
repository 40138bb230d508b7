// Access decisions against a table that a real API server agreed with.
#include "sim/rbac/rbac.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "sim/rbac_table.h"

namespace drover::sim::rbac {
namespace {

Attributes read_request(const Row& row) {
  Attributes made;
  made.user.name = row.user;
  for (const auto group : base::split(row.groups, ',')) {
    if (!group.empty()) made.user.groups.emplace_back(group);
  }
  for (const auto word : base::split(row.request, ' ')) {
    const auto equals = word.find('=');
    const std::string value(equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1));
    if (made.verb.empty()) {
      made.verb = word;
    } else if (word.starts_with("ns=")) {
      made.ns = value;
    } else if (word.starts_with("name=")) {
      made.name = value;
    } else if (word.starts_with("path=")) {
      made.path = value;
    } else {
      const auto parts = base::split(word, '/');
      made.group = parts[0] == "-" ? "" : parts[0];
      made.resource = parts[1];
      if (parts.size() > 2) made.subresource = parts[2];
    }
  }
  return made;
}

Policy table_policy() {
  Policy policy;
  const json::Value objects = *json::parse(kTablePolicy);
  for (const auto& object : objects.get_array()) policy.put(object);
  return policy;
}

std::string answer(const Decision& decision) {
  if (decision.allowed) return "yes: " + decision.reason;
  return decision.reason.empty() ? "no" : "no: " + decision.reason;
}

TEST(Rbac, DecidesEveryRowOfTheTableAsARealServerDid) {
  ASSERT_GE(kRows.size(), 60U);
  const Policy policy = table_policy();
  for (const Row& row : kRows)
    EXPECT_EQ(answer(policy.decide(read_request(row))), row.answer) << row.user << " " << row.request;
}

TEST(Rbac, DoesNotDependOnTheOrderInWhichThePolicyCame) {
  Policy policy;
  const json::Value objects = *json::parse(kTablePolicy);
  for (std::size_t i = objects.get_array().size(); i-- > 0;) policy.put(objects.get_array()[i]);
  for (const Row& row : kRows)
    EXPECT_EQ(answer(policy.decide(read_request(row))), row.answer) << row.user << " " << row.request;
}

TEST(Rbac, ForgetsWhatIsDeletedAndKeepsTheRest) {
  Policy policy = table_policy();
  const Attributes read_nodes{.user = {"jane"}, .verb = "get", .resource = "nodes"};
  const Attributes read_pods{.user = {"jane"}, .verb = "get", .resource = "pods", .ns = "default"};
  policy.remove(*json::parse(R"({"kind":"ClusterRoleBinding","metadata":{"name":"t-jane-nodes"}})"));
  EXPECT_FALSE(policy.decide(read_nodes).allowed);
  EXPECT_TRUE(policy.decide(read_pods).allowed);
  policy.remove(*json::parse(R"({"kind":"Role","metadata":{"name":"t-pods","namespace":"default"}})"));
  EXPECT_EQ(answer(policy.decide(read_pods)), R"(no: RBAC: role.rbac.authorization.k8s.io "t-pods" not found)");
}

TEST(Rbac, ABindingThatChangesItsSubjectsTakesTheRightFromTheOldOnes) {
  Policy policy = table_policy();
  policy.put(*json::parse(
      R"({"kind":"ClusterRoleBinding","metadata":{"name":"t-jane-nodes"},"roleRef":{"kind":"ClusterRole","name":"t-node-reader"},"subjects":[{"kind":"User","name":"eve"}]})"));
  EXPECT_FALSE(policy.decide({.user = {"jane"}, .verb = "get", .resource = "nodes"}).allowed);
  EXPECT_TRUE(policy.decide({.user = {"eve"}, .verb = "get", .resource = "nodes"}).allowed);
}

TEST(Rbac, AnAggregatedRoleFollowsTheRolesItSelectsAlsoThroughOthers) {
  Policy policy;
  policy.put(*json::parse(
      R"({"kind":"ClusterRole","metadata":{"name":"top"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"top"}}]}})"));
  policy.put(*json::parse(
      R"({"kind":"ClusterRole","metadata":{"name":"middle","labels":{"to":"top"}},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"to":"middle"}}]}})"));
  policy.put(*json::parse(
      R"({"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"top"},"subjects":[{"kind":"User","name":"u"}]})"));
  const Attributes request{.user = {"u"}, .verb = "get", .resource = "secrets"};
  EXPECT_FALSE(policy.decide(request).allowed);
  const json::Value part = *json::parse(
      R"({"kind":"ClusterRole","metadata":{"name":"part","labels":{"to":"middle"}},"rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]})");
  policy.put(part);
  EXPECT_TRUE(policy.decide(request).allowed);
  EXPECT_EQ(policy.aggregated_rules("top").size(), 1U);
  policy.remove(part);
  EXPECT_FALSE(policy.decide(request).allowed);
}

TEST(Rbac, AnAggregationThatCannotBeReadGivesNoRights) {
  Policy policy;
  policy.put(*json::parse(
      R"({"kind":"ClusterRole","metadata":{"name":"sum"},"aggregationRule":{"clusterRoleSelectors":[{"matchExpressions":[{"key":"a","operator":"Nonsense"}]}]}})"));
  policy.put(*json::parse(
      R"({"kind":"ClusterRole","metadata":{"name":"part"},"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})"));
  policy.put(*json::parse(
      R"({"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"sum"},"subjects":[{"kind":"User","name":"u"}]})"));
  EXPECT_FALSE(policy.decide({.user = {"u"}, .verb = "get", .resource = "secrets"}).allowed);
}

TEST(Rbac, AServiceAccountHasItsGroups) {
  const User user = service_account("drover-system", "operator");
  EXPECT_EQ(user.name, "system:serviceaccount:drover-system:operator");
  EXPECT_EQ(user.groups, (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:drover-system",
                                                   "system:authenticated"}));
}

TEST(Rbac, RefusesInTheWordsOfARealServer) {
  const User jane{"jane"};
  EXPECT_EQ(forbidden_message({.user = jane, .verb = "get", .resource = "nodes", .name = "x"}, ""),
            R"(nodes "x" is forbidden: User "jane" cannot get resource "nodes" in API group "" at the cluster scope)");
  EXPECT_EQ(
      forbidden_message({.user = jane, .verb = "list", .group = "apps", .resource = "daemonsets", .ns = "kube-system"},
                        ""),
      R"(daemonsets.apps is forbidden: User "jane" cannot list resource "daemonsets" in API group "apps" in the namespace "kube-system")");
  EXPECT_EQ(
      forbidden_message(
          {.user = jane, .verb = "create", .resource = "pods", .subresource = "eviction", .name = "p", .ns = "ml"}, ""),
      R"(pods "p" is forbidden: User "jane" cannot create resource "pods/eviction" in API group "" in the namespace "ml")");
  EXPECT_EQ(forbidden_message({.user = jane, .verb = "get", .path = "/metrics"}, ""),
            R"(forbidden: User "jane" cannot get path "/metrics")");
  EXPECT_EQ(
      forbidden_message({.user = {"<a&b>"}, .verb = "get", .resource = "nodes"}, "RBAC: why"),
      R"(nodes is forbidden: User "&lt;a&amp;b&gt;" cannot get resource "nodes" in API group "" at the cluster scope: RBAC: why)");
  EXPECT_EQ(json::text_of(forbidden_details(
                {.user = jane, .verb = "get", .group = "apps", .resource = "daemonsets", .name = "d"})),
            R"({"name":"d","group":"apps","kind":"daemonsets"})");
}

TEST(Rbac, EveryUserMayDiscoverAndAskAboutItselfFromTheBeginning) {
  Policy policy;
  for (const auto& object : bootstrap_policy()) policy.put(object);
  const User account = service_account("a", "b");
  EXPECT_TRUE(policy.decide({.user = account, .verb = "get", .path = "/apis/apps/v1"}).allowed);
  EXPECT_TRUE(policy.decide({.user = account, .verb = "get", .path = "/version"}).allowed);
  EXPECT_TRUE(policy
                  .decide({.user = account,
                           .verb = "create",
                           .group = "authorization.k8s.io",
                           .resource = "selfsubjectaccessreviews"})
                  .allowed);
  EXPECT_FALSE(policy.decide({.user = account, .verb = "get", .resource = "nodes"}).allowed);
  EXPECT_FALSE(policy.decide({.user = {"system:anonymous", {"system:unauthenticated"}}, .verb = "get", .path = "/apis"})
                   .allowed);
  EXPECT_TRUE(
      policy.decide({.user = {"system:anonymous", {"system:unauthenticated"}}, .verb = "get", .path = "/healthz"})
          .allowed);
}

TEST(Rbac, ListsWhatAUserMayDoInANamespace) {
  const json::Value status = table_policy().rules_for({"jane"}, "default");
  EXPECT_EQ(
      json::text_of(status),
      R"({"resourceRules":[{"verbs":["get","list","watch"],"apiGroups":[""],"resources":["nodes"]},)"
      R"({"verbs":["patch"],"apiGroups":[""],"resources":["nodes/status"]},)"
      R"({"verbs":["get","list"],"apiGroups":[""],"resources":["pods","pods/log"]}],"nonResourceRules":[],"incomplete":false})");
}

TEST(Rbac, GarbledObjectsGiveNoRights) {
  Policy policy;
  for (
      const std::string_view text :
      {R"({})", R"([])", R"("x")", R"({"kind":"ClusterRole"})",
       R"({"kind":"ClusterRole","metadata":{"name":"r"},"rules":[1,"x",{"verbs":"*"}]})",
       R"({"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":7,"subjects":[null,{"kind":"User"},{"kind":"ServiceAccount","name":"n"}]})"}) {
    policy.put(*json::parse(text));
    policy.remove(*json::parse(text));
    policy.put(*json::parse(text));
  }
  EXPECT_FALSE(policy.decide({.user = {"n"}, .verb = "get", .resource = "nodes"}).allowed);
}

}  // namespace
}  // namespace drover::sim::rbac
