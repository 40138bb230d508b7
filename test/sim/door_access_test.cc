// Authentication and authorization: tokens, roles, reviews and impersonation.
#include <gmock/gmock.h>

#include "door_fixture.h"
#include "sim/door/tokens.h"

namespace drover::sim {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class DoorAccess : public DoorTest {
 protected:
  HttpRequest with(std::string token, std::string method, std::string target, std::string body = {}) {
    return {std::move(method), std::move(target), {{"Authorization", "Bearer " + std::move(token)}}, std::move(body)};
  }
  std::string token_of(const std::string& account, const std::string& spec = "{}") {
    const auto answer =
        post("/api/v1/namespaces/default/serviceaccounts/" + account + "/token", R"({"spec":)" + spec + "}");
    EXPECT_EQ(answer->head.code, 201) << answer->text;
    return std::string(json::text_at(answer->body(), {"status", "token"}));
  }
  void let_read_pods(const std::string& account) {
    EXPECT_EQ(
        post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles",
             R"({"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]})")
            ->head.code,
        201);
    EXPECT_EQ(
        post("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings",
             R"({"metadata":{"name":"b"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"r"},)"
             R"("subjects":[{"kind":"ServiceAccount","name":")" +
                 account + R"(","namespace":"default"}]})")
            ->head.code,
        201);
  }
  static constexpr const char* kPods = "/api/v1/namespaces/default/pods";
};

TEST_F(DoorAccess, ARequestWithoutATokenIsAnonymous) {
  const auto answer = visit({"GET", kPods, {}, {}});
  EXPECT_EQ(answer->head.code, 403);
  EXPECT_EQ(message_of(*answer),
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" in the "
            "namespace \"default\"");
  EXPECT_EQ(message_of(*visit({"GET", "/apis", {}, {}})),
            "forbidden: User \"system:anonymous\" cannot get path \"/apis\"");
}

TEST_F(DoorAccess, AWrongTokenIsUnauthorized) {
  for (const char* token : {"x", "a.b.c", "..", "secret2", "secre"}) {
    EXPECT_EQ(visit(with(token, "GET", "/version"))->head.code, 401) << token;
  }
}

TEST_F(DoorAccess, AServiceAccountMayDoWhatItsRolesAllow) {
  const std::string token = token_of("default");
  EXPECT_EQ(visit(with(token, "GET", kPods))->head.code, 403);
  let_read_pods("default");
  EXPECT_EQ(visit(with(token, "GET", kPods))->head.code, 200);
  EXPECT_EQ(visit(with(token, "GET", "/api/v1/pods"))->head.code, 403);
  EXPECT_EQ(visit(with(token, "DELETE", kPods))->head.code, 403);
  EXPECT_EQ(
      visit(as_admin("DELETE", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings/b"))->head.code,
      200);
  EXPECT_EQ(visit(with(token, "GET", kPods))->head.code, 403);
}

TEST_F(DoorAccess, ATokenEndsWithItsTimeAndWithItsAccount) {
  EXPECT_EQ(post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"s"}})")->head.code, 201);
  const std::string short_lived = token_of("s", R"({"expirationSeconds":600})");
  const std::string long_lived = token_of("s");
  EXPECT_EQ(visit(with(short_lived, "GET", "/version"))->head.code, 200);
  world.run_for(seconds(601));
  EXPECT_EQ(visit(with(short_lived, "GET", "/version"))->head.code, 401);
  EXPECT_EQ(visit(with(long_lived, "GET", "/version"))->head.code, 200);
  EXPECT_EQ(visit(as_admin("DELETE", "/api/v1/namespaces/default/serviceaccounts/s"))->head.code, 200);
  EXPECT_EQ(post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"s"}})")->head.code, 201);
  EXPECT_EQ(visit(with(long_lived, "GET", "/version"))->head.code, 401);
}

TEST_F(DoorAccess, ATokenForAnotherAudienceIsUnauthorized) {
  EXPECT_EQ(visit(with(token_of("default", R"({"audiences":["vault"]})"), "GET", "/version"))->head.code, 401);
}

TEST_F(DoorAccess, AModifiedTokenIsUnauthorized) {
  const door::TokenSigner signer("key");
  const base::WallTime now = world.loop.wall();
  const std::string token =
      signer.sign({.ns = "a", .account = "b", .account_uid = "u", .expires_at = now + seconds(10)});
  ASSERT_TRUE(signer.check(token, now));
  EXPECT_FALSE(door::TokenSigner("other").check(token, now));
  EXPECT_FALSE(signer.check(token, now + seconds(10)));
  for (std::size_t i = 0; i + 1 < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(signer.check(changed, now)) << i;
  }
}

TEST_F(DoorAccess, ATokenRequestIsChecked) {
  const std::string at = "/api/v1/namespaces/default/serviceaccounts/";
  EXPECT_EQ(post(at + "default/token", R"({"spec":{"expirationSeconds":10}})")->head.code, 422);
  EXPECT_EQ(post(at + "missing/token", "{}")->head.code, 404);
  EXPECT_EQ(post(at + "default/token", R"({"spec":{"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"x"}}})")
                ->head.code,
            404);
  EXPECT_EQ(get(at + "default/token")->head.code, 405);
}

TEST_F(DoorAccess, AccessReviewsReportAllowedActions) {
  const std::string at = "/apis/authorization.k8s.io/v1/";
  const auto mine =
      post(at + "selfsubjectaccessreviews", R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})");
  EXPECT_EQ(mine->head.code, 201);
  EXPECT_TRUE(json::flag_at(mine->body(), {"status", "allowed"}));
  let_read_pods("default");
  const auto theirs = post(at + "subjectaccessreviews",
                           R"({"spec":{"user":"system:serviceaccount:default:default","resourceAttributes":)"
                           R"({"verb":"get","resource":"pods","namespace":"default"}}})");
  EXPECT_TRUE(json::flag_at(theirs->body(), {"status", "allowed"}));
  EXPECT_THAT(std::string(json::text_at(theirs->body(), {"status", "reason"})), HasSubstr("RoleBinding \"b/default\""));
  EXPECT_EQ(post(at + "selfsubjectaccessreviews", R"({"spec":{}})")->head.code, 422);
  EXPECT_EQ(post(at + "selfsubjectrulesreviews", R"({"spec":{}})")->head.code, 400);
  EXPECT_EQ(get(at + "selfsubjectaccessreviews")->head.code, 405);
}

TEST_F(DoorAccess, TokenReviewsReportTheUser) {
  const std::string at = "/apis/authentication.k8s.io/v1/";
  const auto me = post(at + "selfsubjectreviews", "{}")->body();
  EXPECT_EQ(json::text_at(me, {"status", "userInfo", "username"}), "kubernetes-admin");
  const auto known = post(at + "tokenreviews", R"({"spec":{"token":")" + token_of("default") + "\"}}")->body();
  EXPECT_EQ(json::text_at(known, {"status", "user", "username"}), "system:serviceaccount:default:default");
  const auto unknown = post(at + "tokenreviews", R"({"spec":{"token":"x"}})")->body();
  EXPECT_FALSE(json::flag_at(unknown, {"status", "authenticated"}));
}

TEST_F(DoorAccess, OnlyAnAdministratorMayImpersonate) {
  HttpRequest as_jane = as_admin("GET", kPods, {}, {{"Impersonate-User", "jane"}, {"Impersonate-Group", "devs"}});
  EXPECT_THAT(message_of(*visit(as_jane)), HasSubstr("User \"jane\" cannot list resource \"pods\""));
  HttpRequest account = as_admin("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}",
                                 {{"Impersonate-User", "system:serviceaccount:default:default"}});
  EXPECT_EQ(json::array_at(visit(account)->body(), {"status", "userInfo", "groups"}).size(), 3U);
  HttpRequest anonymous{"GET", kPods, {{"Impersonate-User", "jane"}}, {}};
  EXPECT_THAT(message_of(*visit(anonymous)), HasSubstr("cannot impersonate-on:user-info:list"));
  EXPECT_EQ(visit(as_admin("GET", kPods, {}, {{"Impersonate-Group", "devs"}}))->head.code, 400);
}

}  // namespace
}  // namespace drover::sim
