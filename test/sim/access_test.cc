// Roles and bindings as objects of the embedded server, and the check against privilege escalation.
#include <gtest/gtest.h>

#include <string>

#include "sim/objects.h"
#include "sim/rbac/rbac.h"
#include "sim/server.h"

namespace drover::sim {
namespace {

using namespace kube;

const Resource kRoles{"rbac.authorization.k8s.io", "v1", "roles", "Role"};
const Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"};
const Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", Scope::Cluster};
const Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding",
                                    Scope::Cluster};

class AccessOfServer : public ::testing::Test {
 protected:
  AccessOfServer() { server.furnish("-----BEGIN CERTIFICATE-----"); }

  Answer<Reply> make(const Resource& resource, const std::string& ns, const std::string& text,
                     const rbac::User* user = nullptr) {
    const Request request = create(resource, ns, parsed(text));
    return user == nullptr ? server.reply(request) : server.reply(request, *user);
  }

  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
  const rbac::User eve{"eve", {"devs", "system:authenticated"}};
};

TEST_F(AccessOfServer, IsBornWithRolesThatPeopleKnow) {
  const auto may = [&](std::string verb, std::string group, std::string resource) {
    return server.policy()
        .decide({.user = {"jane"},
                 .verb = std::move(verb),
                 .group = std::move(group),
                 .resource = std::move(resource),
                 .ns = "default"})
        .allowed;
  };
  EXPECT_FALSE(may("get", "", "pods"));
  expect(make(kRoleBindings, "default",
              R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"edit"},
                  "subjects":[{"kind":"User","name":"jane"}]})"));
  EXPECT_TRUE(may("get", "", "pods"));  // edit takes view in
  EXPECT_TRUE(may("create", "apps", "deployments"));
  EXPECT_FALSE(may("create", "rbac.authorization.k8s.io", "roles"));
  const Stored admin = server.store().find(kClusterRoles.qualified(), "admin");
  ASSERT_NE(admin, nullptr);
  EXPECT_GT(json::array_at(*admin, {"rules"}).size(), 20U);
  EXPECT_NE(server.store().find("configmaps", "default/kube-root-ca.crt"), nullptr);
  EXPECT_NE(server.store().find("services", "default/kubernetes"), nullptr);
}

TEST_F(AccessOfServer, WritesTheRulesOfAggregatedRoles) {
  expect(make(kClusterRoles, "",
              R"({"metadata":{"name":"gpu-view","labels":{"rbac.authorization.k8s.io/aggregate-to-view":"true"}},
                  "rules":[{"apiGroups":["gpu.example.com"],"resources":["gpus"],"verbs":["get"]}]})"));
  for (const char* role : {"view", "edit", "admin"}) {
    const Stored found = server.store().find(kClusterRoles.qualified(), role);
    EXPECT_NE(json::text_of(*found).find("gpu.example.com"), std::string::npos) << role;
  }
  expect(server.serve(remove(kClusterRoles, "", "gpu-view", "")));
  for (const char* role : {"view", "edit", "admin"}) {
    const Stored found = server.store().find(kClusterRoles.qualified(), role);
    EXPECT_EQ(json::text_of(*found).find("gpu.example.com"), std::string::npos) << role;
  }
}

TEST_F(AccessOfServer, RefusesRolesThatMakeNoSense) {
  EXPECT_EQ(
      expect_refused(
          make(kRoles, "default",
               R"({"metadata":{"name":"r1"},"rules":[{"verbs":[]},{"verbs":["get"],"nonResourceURLs":["/x"]}]})"))
          .message,
      "Role.rbac.authorization.k8s.io \"r1\" is invalid: [rules[0].verbs: Required value: verbs must contain at least "
      "one value, rules[0].apiGroups: Required value: resource rules must supply at least one api group, "
      "rules[0].resources: Required value: resource rules must supply at least one resource, rules[1].nonResourceURLs: "
      "Invalid value: [\"/x\"]: namespaced rules cannot apply to non-resource URLs]");
  EXPECT_EQ(expect_refused(make(kClusterRoleBindings, "",
                                R"({"metadata":{"name":"b1"},"roleRef":{"kind":"Role","name":"x"},
                                    "subjects":[{"kind":"ServiceAccount","name":"x"}]})"))
                .message,
            "ClusterRoleBinding.rbac.authorization.k8s.io \"b1\" is invalid: [roleRef.kind: Unsupported value: "
            "\"Role\": supported values: \"ClusterRole\", subjects[0].namespace: Required value]");
}

TEST_F(AccessOfServer, KeepsTheRoleOfABinding) {
  expect(
      make(kClusterRoleBindings, "", R"({"metadata":{"name":"b2"},"roleRef":{"kind":"ClusterRole","name":"view"}})"));
  EXPECT_EQ(expect_refused(server.serve(patch(kClusterRoleBindings, "", "b2", PatchKind::Merge,
                                              parsed(R"({"roleRef":{"name":"edit"}})"))))
                .message,
            "ClusterRoleBinding.rbac.authorization.k8s.io \"b2\" is invalid: roleRef: Invalid value: "
            "{\"APIGroup\":\"rbac.authorization.k8s.io\",\"Kind\":\"ClusterRole\",\"Name\":\"edit\"}: cannot change "
            "roleRef");
}

TEST_F(AccessOfServer, RefusesPrivilegeEscalation) {
  const std::string role = R"({"metadata":{"name":"r2"},"rules":[
      {"verbs":["get","list"],"apiGroups":["","apps"],"resources":["pods","secrets"]}]})";
  const Rejection no = expect_refused(make(kRoles, "default", role, &eve));
  EXPECT_EQ(no.code, 403);
  EXPECT_EQ(no.message,
            "roles.rbac.authorization.k8s.io \"r2\" is forbidden: user \"eve\" (groups=[\"devs\" "
            "\"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n"
            "{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n"
            "{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}\n"
            "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"list\"]}\n"
            "{APIGroups:[\"apps\"], Resources:[\"secrets\"], Verbs:[\"get\" \"list\"]}");
  const std::string binding = R"({"metadata":{"name":"rb"},"roleRef":{"kind":"ClusterRole","name":"view"},
                                  "subjects":[{"kind":"User","name":"eve"}]})";
  EXPECT_EQ(expect_refused(make(kRoleBindings, "default", binding, &eve)).code, 403);
  EXPECT_EQ(expect_refused(make(kRoleBindings, "default",
                                R"({"metadata":{"name":"rb"},"roleRef":{"kind":"Role","name":"nope"}})", &eve))
                .code,
            404);
  EXPECT_EQ(
      expect_refused(
          make(kClusterRoles, "",
               R"({"metadata":{"name":"r3"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}})",
               &eve))
          .message,
      "clusterroles.rbac.authorization.k8s.io \"r3\" is forbidden: must have cluster-admin privileges to use the "
      "aggregationRule");
  expect(make(kRoleBindings, "default",
              R"({"metadata":{"name":"admins"},"roleRef":{"kind":"ClusterRole","name":"cluster-admin"},
                  "subjects":[{"kind":"User","name":"eve"}]})"));
  expect(make(kRoles, "default", role, &eve));
  const rbac::User master{"root", {"system:masters"}};
  expect(make(kClusterRoles, "", R"({"metadata":{"name":"r4"},"rules":[{"verbs":["*"],"nonResourceURLs":["*"]}]})",
              &master));
}

}  // namespace
}  // namespace drover::sim
