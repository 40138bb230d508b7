// The deliberate mistakes: each is made when it is asked for, and only then.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "sim/objects.h"
#include "sim/rbac/rbac.h"
#include "sim/server.h"
#include "sim/server/bugs.h"
#include "sim/world_fixture.h"

namespace drover::sim {
namespace {

using namespace kube;

TEST(Bugs, HaveNamesThatAreTheirOwn) {
  std::set<std::string_view> names;
  std::set<std::string_view> areas;
  std::size_t i = 0;
  for (const BugRow& row : all_bugs()) {
    EXPECT_EQ(static_cast<std::size_t>(row.bug), i++);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    areas.insert(row.area);
    EXPECT_EQ(*parse_bug(row.name), row.bug);
    EXPECT_EQ(name(row.bug), row.name);
  }
  EXPECT_GE(areas.size(), 10U);
  EXPECT_FALSE(parse_bug("no-such-bug").has_value());
}

class BuggyServer : public ::testing::TestWithParam<bool> {
 protected:
  bool buggy() const { return GetParam(); }
  void commit(Bug bug) {
    if (buggy()) server.commit_bug(bug);
  }
  Stored merge(const Resource& resource, const std::string& ns, const std::string& name, const std::string& text,
               const std::string& subresource = {}) {
    return expect(server.serve(patch(resource, ns, name, PatchKind::Merge, parsed(text), subresource)));
  }

  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
};

INSTANTIATE_TEST_SUITE_P(WithAndWithout, BuggyServer, ::testing::Bool());

TEST_P(BuggyServer, ChecksVersions) {
  commit(Bug::VersionNotChecked);
  expect(server.serve(create(kNodes, "", node_named("n"))));
  const auto answer = server.serve(
      patch(kNodes, "", "n", PatchKind::Merge, parsed(R"({"metadata":{"resourceVersion":"1","labels":{"a":"b"}}})")));
  EXPECT_EQ(answer.has_value(), buggy());
}

TEST_P(BuggyServer, CountsGenerations) {
  commit(Bug::GenerationNotCounted);
  expect(server.serve(create(
      kDeployments, "default",
      parsed(
          R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
          "spec":{"containers":[{"name":"c","image":"i"}]}}}})"))));
  EXPECT_EQ(
      json::int_at(*merge(kDeployments, "default", "d", R"({"spec":{"replicas":3}})"), {"metadata", "generation"}),
      buggy() ? 1 : 2);
}

TEST_P(BuggyServer, KeepsTheStatusOutOfOrdinaryWrites) {
  commit(Bug::StatusThroughObject);
  expect(server.serve(create(kPods, "default", pod_named("default", "p"))));
  const Stored pod = merge(kPods, "default", "p", R"({"status":{"phase":"Failed"}})");
  EXPECT_EQ(json::text_at(*pod, {"status", "phase"}), buggy() ? "Failed" : "Pending");
}

TEST_P(BuggyServer, RemovesWhatAMergePatchNulls) {
  commit(Bug::MergeKeepsNulls);
  expect(server.serve(create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c"},"data":{"a":"b"}})"))));
  const Stored map = merge(kConfigMaps, "default", "c", R"({"data":{"a":null}})");
  EXPECT_EQ(json::find(*map, {"data", "a"}) != nullptr, buggy());
}

TEST_P(BuggyServer, MergesKeyedLists) {
  commit(Bug::StrategicReplacesLists);
  expect(server.serve(create(
      kNodes, "",
      parsed(
          R"({"metadata":{"name":"n"},"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"True"}]}})"))));
  const Stored node =
      expect(server.serve(patch(kNodes, "", "n", PatchKind::Strategic,
                                parsed(R"({"status":{"conditions":[{"type":"A","status":"False"}]}})"), "status")));
  EXPECT_EQ(json::array_at(*node, {"status", "conditions"}).size(), buggy() ? 1U : 2U);
}

TEST_P(BuggyServer, SelectsWhatHasNoSuchLabel) {
  commit(Bug::UnequalWantsTheKey);
  expect(server.serve(create(kNodes, "", node_named("n"))));
  EXPECT_EQ(expect(server.list({kNodes, "", "a!=b", ""}, 0, "", "")).items.size(), buggy() ? 0U : 1U);
}

TEST_P(BuggyServer, TellsTheLastStateOfWhatIsGone) {
  commit(Bug::DeletedWithoutState);
  expect(server.serve(create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c"},"data":{"a":"b"}})"))));
  bool with_state = false;
  expect(server.watch({kConfigMaps, "", "", ""}, server.store().version(), [&](WatchEvent::Kind, const Stored& object) {
    with_state = json::find(*object, {"data"}) != nullptr;
  }));
  expect(server.serve(remove(kConfigMaps, "default", "c", "")));
  EXPECT_EQ(with_state, !buggy());
}

TEST_P(BuggyServer, AsksTheBudget) {
  commit(Bug::EvictionIgnoresBudget);
  Object pod = pod_named("default", "p", "n");
  json::ensure(pod, {"metadata", "labels", "a"}) = "b";
  expect(server.serve(create(kPods, "default", pod)));
  merge(kPods, "default", "p", R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})",
        "status");
  expect(server.serve(
      create(kDisruptionBudgets, "default",
             parsed(R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})"))));
  EXPECT_EQ(server.serve(evict("default", "p", "")).has_value(), buggy());
}

TEST_P(BuggyServer, WaitsForFinalizers) {
  commit(Bug::FinalizersIgnored);
  expect(server.serve(
      create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c","finalizers":["example.com/wait"]}})"))));
  expect(server.serve(remove(kConfigMaps, "default", "c", "")));
  EXPECT_EQ(server.store().find("configmaps", "default/c") == nullptr, buggy());
}

TEST_P(BuggyServer, LivesBySchemas) {
  commit(Bug::DefaultsForgotten);
  commit(Bug::PruningForgotten);
  commit(Bug::TransitionRulesSkipped);
  expect(server.serve(
      create(kCustomResourceDefinitions, "",
             parsed(
                 R"({"metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Cluster",
          "names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,
          "schema":{"openAPIV3Schema":{"type":"object","properties":{"size":{"type":"integer","default":3,
          "x-kubernetes-validations":[{"rule":"self >= oldSelf"}]}}}}}]}})"))));
  const Resource things{"example.com", "v1", "things", "Thing", Scope::Cluster};
  const Stored made = expect(server.serve(create(things, "", parsed(R"({"metadata":{"name":"t"},"color":"red"})"))));
  EXPECT_EQ(json::find(*made, {"size"}) == nullptr, buggy());
  EXPECT_EQ(json::find(*made, {"color"}) != nullptr, buggy());
  merge(things, "", "t", R"({"size":5})");
  EXPECT_EQ(server.serve(patch(things, "", "t", PatchKind::Merge, parsed(R"({"size":4})"))).has_value(), buggy());
}

TEST_P(BuggyServer, DefendsAppliedFields) {
  commit(Bug::ApplyNeverConflicts);
  const auto apply = [&](const std::string& manager, const std::string& value) {
    Request request = patch(
        kConfigMaps, "default", "c", PatchKind::Apply,
        parsed(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":")" + value + R"("}})"));
    request.field_manager = manager;
    return server.serve(request);
  };
  expect(apply("one", "x"));
  EXPECT_EQ(apply("two", "y").has_value(), buggy());
}

TEST_P(BuggyServer, LimitsRolesToNames) {
  server.furnish("");
  commit(Bug::RoleNamesIgnored);
  const Resource roles{"rbac.authorization.k8s.io", "v1", "roles", "Role"};
  const Resource bindings{"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"};
  expect(server.serve(create(
      roles, "default",
      parsed(
          R"({"metadata":{"name":"r"},"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]}]})"))));
  expect(server.serve(create(
      bindings, "default",
      parsed(
          R"({"metadata":{"name":"b"},"roleRef":{"kind":"Role","name":"r"},"subjects":[{"kind":"User","name":"jane"}]})"))));
  EXPECT_EQ(server.policy()
                .decide({.user = {"jane"}, .verb = "get", .resource = "pods", .name = "other", .ns = "default"})
                .allowed,
            buggy());
}

TEST_P(BuggyServer, GivesTheRightReason) {
  commit(Bug::WrongReason);
  expect(server.reply(create(kNodes, "", node_named("n"))));
  EXPECT_EQ(expect_refused(server.reply(create(kNodes, "", node_named("n")))).reason,
            buggy() ? "Conflict" : "AlreadyExists");
}

class BuggyWorld : public WorldTest {};

TEST_F(BuggyWorld, RunsDaemonsOnTaintedNodes) {
  world.server().commit_bug(Bug::DaemonOnTaintedNode);
  add_node("node-0", "{}", 0, R"([{"key":"example.com/keep-out","effect":"NoSchedule"}])");
  add_daemonset("d");
  EXPECT_TRUE(soon([&] { return !pods("d").empty(); }));
}

TEST_F(BuggyWorld, LeavesDependents) {
  world.server().commit_bug(Bug::DependentsStay);
  const Stored owner = create(kConfigMaps, R"({"metadata":{"name":"owner","namespace":"default"}})");
  create(kConfigMaps, fmt::format(R"({{"metadata":{{"name":"owned","namespace":"default","ownerReferences":[
      {{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"{}"}}]}}}})",
                                  uid_of(*owner)));
  remove(kConfigMaps, "default", "owner");
  world.run_for(1min);
  EXPECT_NE(find("configmaps", "default/owned"), nullptr);
}

}  // namespace
}  // namespace drover::sim
