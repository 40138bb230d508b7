// What single requests to the embedded API server mean.
#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/server.h"

namespace drover::sim {
namespace {

using namespace kube;

class ServerTest : public ::testing::Test {
 protected:
  VirtualLoop loop;
  Server server{loop, base::Random(1)};
};

TEST_F(ServerTest, CreatesAnObjectWithUidTimeAndVersion) {
  const Stored node = expect(server.serve(create(kNodes, "", node_named("gpu-1"))));
  EXPECT_EQ(json::text_at(*node, {"metadata", "uid"}).size(), 36u);
  EXPECT_EQ(json::text_at(*node, {"metadata", "creationTimestamp"}), "2026-01-01T00:00:00Z");
  EXPECT_EQ(version_of(*node), std::to_string(server.store().version()));
}

TEST_F(ServerTest, RefusesASecondObjectOfTheSameName) {
  expect(server.serve(create(kNodes, "", node_named("gpu-1"))));
  const Rejection no = expect_refused(server.serve(create(kNodes, "", node_named("gpu-1"))));
  EXPECT_EQ(no.code, 409);
  EXPECT_EQ(no.reason, "AlreadyExists");
  EXPECT_EQ(no.message, "nodes \"gpu-1\" already exists");
  EXPECT_EQ(json::text_of(no.details), R"({"name":"gpu-1","kind":"nodes"})");
}

TEST_F(ServerTest, RefusesANamespaceThatDoesNotExist) {
  const Rejection no = expect_refused(server.serve(create(kPods, "nowhere", pod_named("nowhere", "p"))));
  EXPECT_EQ(no.code, 404);
  EXPECT_EQ(no.message, "namespaces \"nowhere\" not found");
}

TEST_F(ServerTest, PatchesOnlyTheVersionThatThePatchNames) {
  const Stored node = expect(server.serve(create(kNodes, "", node_named("gpu-1"))));
  const std::string version(version_of(*node));
  const auto cordon = [&](bool on) {
    return patch(
        kNodes, "", "gpu-1", PatchKind::Merge,
        {{"metadata", json::Members{{"resourceVersion", version}}}, {"spec", json::Members{{"unschedulable", on}}}});
  };
  const Stored cordoned = expect(server.serve(cordon(true)));
  EXPECT_TRUE(json::flag_at(*cordoned, {"spec", "unschedulable"}));
  const Rejection no = expect_refused(server.serve(cordon(false)));
  EXPECT_EQ(no.reason, "Conflict");
  EXPECT_EQ(no.message,
            "Operation cannot be fulfilled on nodes \"gpu-1\": the object has been modified; please apply your changes "
            "to the "
            "latest version and try again");
}

}  // namespace
}  // namespace drover::sim
