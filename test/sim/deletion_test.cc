// Deleting: grace, finalizers, propagation, preconditions, namespaces.
#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/server.h"

namespace drover::sim {
namespace {

using namespace kube;

class Deletion : public ::testing::Test {
 protected:
  Stored made(Resource resource, std::string ns, Object object) {
    return expect(server.serve(create(std::move(resource), std::move(ns), std::move(object))));
  }
  bool exists(const Resource& resource, const std::string& ns, const std::string& name) {
    return server.serve(get(resource, ns, name)).has_value();
  }

  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
};

TEST_F(Deletion, AnswersWithAStatusForANode) {
  const Stored node = made(kNodes, "", node_named("a"));
  const Stored answer = expect(server.serve(remove(kNodes, "", "a", "")));
  EXPECT_EQ(
      json::text_of(*answer),
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"a","kind":"nodes","uid":")" +
          std::string(uid_of(*node)) + R"("}})");
  EXPECT_FALSE(exists(kNodes, "", "a"));
}

TEST_F(Deletion, RefusesAnotherUid) {
  const Stored node = made(kNodes, "", node_named("a"));
  const Rejection no = expect_refused(server.serve(remove(kNodes, "", "a", "other")));
  EXPECT_EQ(no.code, 409);
  EXPECT_EQ(
      no.message,
      "Operation cannot be fulfilled on Node \"a\": the UID in the precondition (other) does not match the UID in "
      "record (" +
          std::string(uid_of(*node)) + "). The object might have been deleted and then recreated");
  EXPECT_TRUE(exists(kNodes, "", "a"));
}

TEST_F(Deletion, GivesAPodOnANodeItsGrace) {
  made(kPods, "default", pod_named("default", "p", "n1"));
  const Stored going = expect(server.serve(remove(kPods, "default", "p", "")));
  EXPECT_EQ(json::text_at(*going, {"metadata", "deletionTimestamp"}), "2026-01-01T00:00:30Z");
  EXPECT_EQ(json::int_at(*going, {"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_EQ(json::int_at(*going, {"metadata", "generation"}), 2);
  EXPECT_TRUE(exists(kPods, "default", "p"));

  Request now = remove(kPods, "default", "p", "");
  now.grace = base::Span::zero();
  expect(server.serve(now));
  EXPECT_FALSE(exists(kPods, "default", "p"));
}

TEST_F(Deletion, ShortensTheGraceButNeverLengthensIt) {
  made(kPods, "default", pod_named("default", "p", "n1"));
  expect(server.serve(remove(kPods, "default", "p", "")));
  loop.run_for(std::chrono::seconds(2));
  Request longer = remove(kPods, "default", "p", "");
  longer.grace = std::chrono::seconds(60);
  EXPECT_EQ(json::int_at(*expect(server.serve(longer)), {"metadata", "deletionGracePeriodSeconds"}), 30);
  Request shorter = remove(kPods, "default", "p", "");
  shorter.grace = std::chrono::seconds(5);
  const Stored pod = expect(server.serve(shorter));
  EXPECT_EQ(json::int_at(*pod, {"metadata", "deletionGracePeriodSeconds"}), 5);
  EXPECT_EQ(json::text_at(*pod, {"metadata", "deletionTimestamp"}), "2026-01-01T00:00:05Z");
}

TEST_F(Deletion, LetsAPodWithoutANodeGoAtOnceInTwoSteps) {
  made(kPods, "default", pod_named("default", "p"));
  std::string seen;
  expect(server.watch({kPods, "", "", ""}, server.store().version(), [&](WatchEvent::Kind kind, const Stored& pod) {
    seen += kind == WatchEvent::Kind::Modified ? "M" : "D";
    EXPECT_TRUE(is_being_deleted(*pod));
  }));
  expect(server.serve(remove(kPods, "default", "p", "")));
  EXPECT_EQ(seen, "MD");
  EXPECT_FALSE(exists(kPods, "default", "p"));
}

TEST_F(Deletion, WaitsForFinalizersAndEndsWithTheLastOne) {
  Object node = node_named("a");
  json::ensure(node, {"metadata", "finalizers"}) = json::Array{"example.com/hold"};
  made(kNodes, "", node);
  const Stored going = expect(server.serve(remove(kNodes, "", "a", "")));
  EXPECT_EQ(json::int_at(*going, {"metadata", "deletionGracePeriodSeconds"}, -1), 0);
  EXPECT_TRUE(exists(kNodes, "", "a"));

  Object added = *going;
  json::ensure(added, {"metadata", "finalizers"}).get_array().emplace_back("example.com/late");
  const Rejection no = expect_refused(server.serve(replace(kNodes, added)));
  EXPECT_EQ(no.message,
            "Node \"a\" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is "
            "being deleted, found new finalizers []string{\"example.com/late\"}");

  expect(
      server.serve(patch(kNodes, "", "a", PatchKind::Merge, {{"metadata", json::Members{{"finalizers", nullptr}}}})));
  EXPECT_FALSE(exists(kNodes, "", "a"));
}

TEST_F(Deletion, ForegroundAndOrphanAreFinalizersForTheCollector) {
  const auto finalizers_after = [&](Propagation how) {
    made(kConfigMaps, "default", {{"metadata", json::Members{{"name", "c"}}}});
    Request request = remove(kConfigMaps, "default", "c", "");
    request.propagation = how;
    const Stored answer = expect(server.serve(request));
    const std::string text = json::text_of(json::array_at(*answer, {"metadata", "finalizers"}));
    (void)server.serve(
        patch(kConfigMaps, "default", "c", PatchKind::Merge, {{"metadata", json::Members{{"finalizers", nullptr}}}}));
    return text;
  };
  EXPECT_EQ(finalizers_after(Propagation::Foreground), R"(["foregroundDeletion"])");
  EXPECT_EQ(finalizers_after(Propagation::Orphan), R"(["orphan"])");
  EXPECT_EQ(finalizers_after(Propagation::Background), "[]");
  EXPECT_FALSE(exists(kConfigMaps, "default", "c"));
}

TEST_F(Deletion, JobsOrphanTheirPodsUnlessToldOtherwise) {
  made(kJobs, "default",
       {{"metadata", json::Members{{"name", "j"}}},
        {"spec", json::Members{{"template",
                                {{"spec",
                                  {{"restartPolicy", "Never"},
                                   {"containers", json::Array{json::Value{{"name", "c"}, {"image", "i:1"}}}}}}}}}}});
  const Stored job = expect(server.serve(remove(kJobs, "default", "j", "")));
  EXPECT_EQ(json::text_of(json::array_at(*job, {"metadata", "finalizers"})), R"(["orphan"])");
}

TEST_F(Deletion, ANamespaceEndsThroughItsFinalizer) {
  made(kNamespaces, "", {{"metadata", json::Members{{"name", "team"}}}});
  const Stored going = expect(server.serve(remove(kNamespaces, "", "team", "")));
  EXPECT_EQ(json::text_at(*going, {"status", "phase"}), "Terminating");

  const Rejection no = expect_refused(server.serve(create(kPods, "team", pod_named("team", "p"))));
  EXPECT_EQ(no.code, 403);
  EXPECT_EQ(no.message,
            "pods \"p\" is forbidden: unable to create new content in namespace team because it is being terminated");

  Object emptied = *going;
  json::ensure(emptied, {"spec", "finalizers"}) = json::Array();
  expect(server.serve(replace(kNamespaces, emptied, "finalize")));
  EXPECT_FALSE(exists(kNamespaces, "", "team"));
}

TEST_F(Deletion, ADryRunChangesNothing) {
  made(kPods, "default", pod_named("default", "p", "n1"));
  const std::uint64_t before = server.store().version();
  Request request = remove(kPods, "default", "p", "");
  request.dry_run = true;
  EXPECT_TRUE(is_being_deleted(*expect(server.serve(request))));
  EXPECT_EQ(server.store().version(), before);
}

TEST_F(Deletion, ACollectionGoesByItsSelector) {
  for (const char* name : {"a", "b", "c"}) {
    Object node = node_named(name);
    json::ensure(node, {"metadata", "labels", "keep"}) = name[0] == 'b' ? "yes" : "no";
    made(kNodes, "", node);
  }
  expect(server.delete_collection({kNodes, "", "keep=no", ""}, remove(kNodes, "", "", "")));
  EXPECT_FALSE(exists(kNodes, "", "a"));
  EXPECT_TRUE(exists(kNodes, "", "b"));
  EXPECT_FALSE(exists(kNodes, "", "c"));
}

}  // namespace
}  // namespace drover::sim
