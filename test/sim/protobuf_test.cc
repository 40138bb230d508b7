// The wire format of typed clients, written by hand here and read by us.
#include <gmock/gmock.h>

#include "door_fixture.h"
#include "sim/protobuf/decode.h"
#include "sim/protobuf/messages.h"

namespace drover::sim::protobuf {
namespace {

std::string number(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
std::string whole(std::uint32_t field, std::uint64_t value) { return number(field << 3) + number(value); }
std::string bytes(std::uint32_t field, const std::string& value) {
  return number(field << 3 | 2) + number(value.size()) + value;
}
std::string enveloped(const std::string& api_version, const std::string& kind, const std::string& raw) {
  return std::string("k8s\0", 4) + bytes(1, bytes(1, api_version) + bytes(2, kind)) + bytes(2, raw) + bytes(3, "") +
         bytes(4, "");
}

TEST(Protobuf, AnObjectIsReadAsItsJsonWouldBe) {
  const std::string metadata =
      bytes(1, "web") + bytes(2, "") + bytes(11, bytes(1, "app") + bytes(2, "web")) + bytes(8, "");
  const std::string container =
      bytes(1, "c") + bytes(2, "img") + bytes(16, "") + bytes(8, bytes(1, bytes(1, "cpu") + bytes(2, bytes(1, "2")))) +
      bytes(11, bytes(1, bytes(2, bytes(1, "/") + bytes(2, whole(1, 0) + whole(2, 80) + bytes(3, "")))) + whole(3, 5));
  const std::string pod_template = bytes(1, "") + bytes(2, bytes(2, container) + whole(4, 30) + whole(11, 0));
  const std::string spec = whole(1, 0) + bytes(3, pod_template) + whole(5, 0) + whole(7, 0);
  const auto read = decode(enveloped("apps/v1", "Deployment", bytes(1, metadata) + bytes(2, spec) + bytes(3, "")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(
      json::text_of(*read),
      R"({"metadata":{"name":"web","labels":{"app":"web"}},"spec":{"replicas":0,"template":{"metadata":{},"spec":)"
      R"({"containers":[{"name":"c","image":"img","resources":{"limits":{"cpu":"2"}},"readinessProbe":)"
      R"({"httpGet":{"path":"/","port":80},"timeoutSeconds":5}}],"terminationGracePeriodSeconds":30}}},"status":{},)"
      R"("kind":"Deployment","apiVersion":"apps/v1"})");
}

TEST(Protobuf, BytesTimesAndTextListsHaveTheirJsonForm) {
  const auto secret = decode(enveloped("v1", "Secret", bytes(2, bytes(1, "k") + bytes(2, "hi"))));
  ASSERT_TRUE(secret);
  EXPECT_EQ(json::text_at(*secret, {"data", "k"}), "aGk=");
  const auto pod = decode(enveloped("v1", "Namespace", bytes(1, bytes(8, whole(1, 1'700'000'000)))));
  ASSERT_TRUE(pod);
  EXPECT_EQ(json::text_at(*pod, {"metadata", "creationTimestamp"}), "2023-11-14T22:13:20Z");
  const auto review =
      decode(enveloped("authorization.k8s.io/v1", "SubjectAccessReview",
                       bytes(2, bytes(5, bytes(1, "scopes") + bytes(2, bytes(1, "a") + bytes(1, "b"))))));
  ASSERT_TRUE(review);
  EXPECT_EQ(json::array_at(*review, {"spec", "extra", "scopes"}).size(), 2U);
}

TEST(Protobuf, WhatIsBrokenOrUnknownIsRefused) {
  EXPECT_FALSE(decode(""));
  EXPECT_FALSE(decode("{}"));
  EXPECT_FALSE(decode(enveloped("v1", "Odd", "")));
  EXPECT_FALSE(decode(enveloped("v1", "Pod", "\x0a\xff")));
  const std::string good = enveloped("v1", "Pod", bytes(1, bytes(1, "p")) + bytes(2, bytes(10, "n")));
  for (std::size_t cut = 0; cut < good.size(); ++cut) (void)decode(good.substr(0, cut));
}

TEST(Protobuf, EveryMessageThatAFieldNamesIsInTheTables) {
  for (const char* root : {"core.Pod", "core.Node", "apps.Deployment", "apps.DaemonSet", "batch.Job", "batch.CronJob",
                           "policy.Eviction", "rbac.ClusterRole", "meta.DeleteOptions", "autoscaling.Scale"}) {
    std::vector<const Message*> left = {find_message(root)};
    std::vector<const Message*> seen;
    while (!left.empty()) {
      const Message* message = left.back();
      left.pop_back();
      ASSERT_NE(message, nullptr) << root;
      if (std::find(seen.begin(), seen.end(), message) != seen.end()) continue;
      seen.push_back(message);
      for (const auto& [number, field] : message->fields) {
        EXPECT_GT(number, 0U) << message->name;
        if (field.shape != ProtoShape::Message || field.is_text_list) continue;
        EXPECT_NE(field.message, nullptr) << message->name << "." << field.name;
        if (field.message != nullptr) left.push_back(field.message);
      }
    }
  }
}

class DoorProtobuf : public DoorTest {};

TEST_F(DoorProtobuf, KubectlsNamespacesAreUnderstood) {
  const auto made = post("/api/v1/namespaces", enveloped("v1", "Namespace", bytes(1, bytes(1, "team"))),
                         {{"Content-Type", "application/vnd.kubernetes.protobuf"},
                          {"Accept", "application/vnd.kubernetes.protobuf,application/json"}});
  EXPECT_EQ(made->head.code, 201);
  EXPECT_EQ(made->head.content_type, "application/json");
  EXPECT_EQ(get("/api/v1/namespaces/team")->head.code, 200);
}

}  // namespace
}  // namespace drover::sim::protobuf
