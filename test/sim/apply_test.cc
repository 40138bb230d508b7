// Server-side apply: owners of fields, conflicts, and removal of fields without an owner.
#include <gtest/gtest.h>

#include "sim/objects.h"
#include "sim/server.h"
#include "sim/server/field_set.h"

namespace drover::sim {
namespace {

using namespace kube;

class Applying : public ::testing::Test {
 protected:
  Answer<Stored> apply(const std::string& manager, std::string_view body, bool force = false,
                       std::string subresource = {}) {
    json::Value value = parsed(body);
    json::ensure(value, {"kind"}) = "ConfigMap";
    json::ensure(value, {"apiVersion"}) = "v1";
    json::ensure(value, {"metadata", "name"}) = "c";
    Request request = patch(kConfigMaps, "default", "c", PatchKind::Apply, value, std::move(subresource));
    request.field_manager = manager;
    request.force = force;
    return server.serve(request);
  }
  static std::string data(const Stored& object) {
    return json::text_of(json::Value(json::members_at(*object, {"data"})));
  }
  static std::string fields(const Stored& object, std::size_t i) {
    return json::text_of(*json::find(json::array_at(*object, {"metadata", "managedFields"}).at(i), {"fieldsV1"}));
  }
  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
};

TEST_F(Applying, CreatesWhatIsNotThereAndRecordsTheOwner) {
  const Stored made = expect(apply("a", R"({"data":{"x":"1"}})"));
  EXPECT_EQ(
      json::text_of(*json::find(*made, {"metadata", "managedFields"})),
      R"([{"manager":"a","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",)"
      R"("fieldsV1":{"f:data":{"f:x":{}}}}])");
}

TEST_F(Applying, TakesAwayWhatItsManagerNoLongerWants) {
  expect(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  EXPECT_EQ(data(expect(apply("a", R"({"data":{"x":"1"}})"))), R"({"x":"1"})");
}

TEST_F(Applying, LeavesWhatAnotherManagerAlsoWants) {
  expect(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  expect(apply("b", R"({"data":{"y":"1"}})"));
  EXPECT_EQ(data(expect(apply("a", R"({"data":{"x":"1"}})"))), R"({"x":"1","y":"1"})");
}

TEST_F(Applying, RefusesToChangeAnothersField) {
  expect(apply("a", R"({"data":{"x":"1"}})"));
  const Rejection no = expect_refused(apply("b", R"({"data":{"x":"2"}})"));
  EXPECT_EQ(no.code, 409);
  EXPECT_EQ(no.reason, "Conflict");
  EXPECT_EQ(no.message, "Apply failed with 1 conflict: conflict with \"a\": .data.x");
  EXPECT_EQ(json::text_of(no.details),
            R"({"causes":[{"reason":"FieldManagerConflict","message":"conflict with \"a\"","field":".data.x"}]})");
}

TEST_F(Applying, NamesEveryConflict) {
  expect(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  const Rejection no = expect_refused(apply("b", R"({"data":{"x":"2","y":"2"}})"));
  EXPECT_EQ(no.message, "Apply failed with 2 conflicts: conflicts with \"a\":\n- .data.x\n- .data.y");
}

TEST_F(Applying, ByForceTakesTheFieldOver) {
  expect(apply("a", R"({"data":{"x":"1","y":"1"}})"));
  const Stored taken = expect(apply("b", R"({"data":{"x":"2"}})", true));
  EXPECT_EQ(data(taken), R"({"x":"2","y":"1"})");
  EXPECT_EQ(fields(taken, 0), R"({"f:data":{"f:y":{}}})");
  EXPECT_EQ(fields(taken, 1), R"({"f:data":{"f:x":{}}})");
}

TEST_F(Applying, TheSameAgainChangesNothing) {
  const Stored first = expect(apply("a", R"({"data":{"x":"1"}})"));
  loop.run_for(std::chrono::seconds(10));
  EXPECT_EQ(version_of(*expect(apply("a", R"({"data":{"x":"1"}})"))), version_of(*first));
}

TEST_F(Applying, AnOrdinaryWriteTakesFieldsWithoutAsking) {
  expect(apply("a", R"({"data":{"x":"1"}})"));
  Request update = patch(kConfigMaps, "default", "c", PatchKind::Merge, parsed(R"({"data":{"x":"2"}})"));
  update.field_manager = "editor";
  const Stored after = expect(server.serve(update));
  ASSERT_EQ(json::array_at(*after, {"metadata", "managedFields"}).size(), 1u);  // nothing is left to "a"
  EXPECT_EQ(json::text_at(json::array_at(*after, {"metadata", "managedFields"})[0], {"operation"}), "Update");
  EXPECT_EQ(fields(after, 0), R"({"f:data":{"f:x":{}}})");
  const Rejection no = expect_refused(apply("a", R"({"data":{"x":"1"}})"));
  EXPECT_EQ(no.message, "Apply failed with 1 conflict: conflict with \"editor\" using v1: .data.x");
}

TEST_F(Applying, OnAnOlderObjectItsFieldsBelongToBeforeFirstApply) {
  expect(server.serve(create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c"},"data":{"x":"1"}})"))));
  const Rejection no = expect_refused(apply("a", R"({"data":{"x":"2"}})"));
  EXPECT_EQ(no.message, "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.x");
  const Stored shared = expect(apply("a", R"({"data":{"x":"1"}})"));
  EXPECT_EQ(json::array_at(*shared, {"metadata", "managedFields"}).size(), 2u);
}

TEST_F(Applying, KeyedListsAreOwnedElementByElement) {
  const auto apply_pod = [&](const std::string& manager, std::string_view spec) {
    json::Value pod = {
        {"kind", "Pod"}, {"apiVersion", "v1"}, {"metadata", json::Members{{"name", "p"}}}, {"spec", parsed(spec)}};
    Request request = patch(kPods, "default", "p", PatchKind::Apply, pod);
    request.field_manager = manager;
    return server.serve(request);
  };
  const Stored pod =
      expect(apply_pod("a", R"({"containers":[{"name":"c","image":"i:1","ports":[{"containerPort":80}]}]})"));
  EXPECT_EQ(fields(pod, 0),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:name":{},)"
            R"("f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}}}})");
  const Rejection no = expect_refused(apply_pod("b", R"({"containers":[{"name":"c","image":"i:2"}]})"));
  EXPECT_EQ(no.message, "Apply failed with 1 conflict: conflict with \"a\": .spec.containers[name=\"c\"].image");
}

TEST_F(Applying, ASubresourceIsAnotherManager) {
  expect(server.serve(create(kNodes, "", node_named("n"))));
  json::Value node = node_named("n");
  json::ensure(node, {"status", "phase"}) = "Running";
  Request request = patch(kNodes, "", "n", PatchKind::Apply, node, "status");
  request.field_manager = "kubelet";
  const Stored after = expect(server.serve(request));
  const json::Array& entries = json::array_at(*after, {"metadata", "managedFields"});
  const json::Value& entry = entries.at(0);
  EXPECT_EQ(json::text_at(entry, {"subresource"}), "status");
  EXPECT_EQ(json::text_of(*json::find(entry, {"fieldsV1"})), R"({"f:status":{"f:phase":{}}})");
}

TEST_F(Applying, EveryObjectHasItsOwnersWhenAskedTo) {
  server.always_manage_fields(true);
  Request request =
      create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c","labels":{"l":"1"}},"data":{"x":"1"}})"));
  request.field_manager = "maker";
  const Stored made = expect(server.serve(request));
  EXPECT_EQ(fields(made, 0), R"({"f:data":{".":{},"f:x":{}},"f:metadata":{"f:labels":{".":{},"f:l":{}}}})");
}

TEST_F(Applying, RefusesAPatchOfAnotherVersionOrWithoutAManager) {
  Request request = patch(kConfigMaps, "default", "c", PatchKind::Apply,
                          parsed(R"({"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"c"}})"));
  EXPECT_EQ(expect_refused(server.serve(request)).message, "invalid object type: /v2, Kind=ConfigMap");
  EXPECT_EQ(expect_refused(apply("", R"({})")).message,
            "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch");
}

// kubectl turns what it applied itself into what the server applies: it writes the list of managers.
TEST_F(Applying, TakesTheManagersThatAPatchWrites) {
  server.always_manage_fields(true);
  Request made = create(kConfigMaps, "default", parsed(R"({"metadata":{"name":"c"},"data":{"x":"1"}})"));
  made.field_manager = "kubectl-client-side-apply";
  const Stored before = expect(server.serve(made));
  Request change = patch(kConfigMaps, "default", "c", PatchKind::Json,
                         parsed(R"([{"op":"replace","path":"/metadata/managedFields","value":[{"manager":"kubectl",
      "operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",
      "fieldsV1":{"f:data":{".":{},"f:x":{}}}}]},{"op":"replace","path":"/metadata/resourceVersion","value":")" +
                                std::string(version_of(*before)) + R"("}])"));
  change.field_manager = "kubectl";
  const Stored after = expect(server.serve(change));
  ASSERT_EQ(json::array_at(*after, {"metadata", "managedFields"}).size(), 1u);
  EXPECT_EQ(json::text_at(json::array_at(*after, {"metadata", "managedFields"})[0], {"operation"}), "Apply");
  EXPECT_EQ(data(expect(apply("kubectl", R"({"data":{"x":"2"}})"))), R"({"x":"2"})");
}

TEST_F(Applying, AnUpdateLeavesTheFieldsOfOthersAsTheyWereSpelled) {
  expect(apply("a", R"({"data":{"x":"1","y":"1"},"metadata":{"labels":{"l":"1"}}})"));
  Request change = patch(kConfigMaps, "default", "c", PatchKind::Merge, parsed(R"({"data":{"z":"1"}})"));
  change.field_manager = "b";
  const Stored beside = expect(server.serve(change));
  EXPECT_EQ(fields(beside, 0), R"({"f:data":{"f:x":{},"f:y":{}},"f:metadata":{"f:labels":{"f:l":{}}}})");
  EXPECT_EQ(fields(beside, 1), R"({"f:data":{"f:z":{}}})");
  change.body = parsed(R"({"data":{"y":"2"}})");
  const Stored taken = expect(server.serve(change));
  EXPECT_EQ(fields(taken, 0), R"({"f:data":{"f:x":{}},"f:metadata":{"f:labels":{"f:l":{}}}})");
  EXPECT_EQ(fields(taken, 1), R"({"f:data":{"f:y":{},"f:z":{}}})");
}

TEST_F(Applying, WhatMeetsSharesAPlace) {
  const auto set = [](std::string_view text) { return FieldSet::from_json(parsed(text)); };
  const FieldSet one = set(R"({"f:a":{"f:b":{},".":{}},"f:c":{}})");
  for (const std::string_view text : {"{}", R"({"f:a":{"f:b":{}}})", R"({"f:a":{}})", R"({"f:a":{"f:x":{}}})",
                                      R"({"f:c":{"f:d":{}}})", R"({"f:z":{}})"}) {
    EXPECT_EQ(one.meets(set(text)), !one.shared(set(text)).empty()) << text;
    EXPECT_EQ(set(text).meets(one), one.meets(set(text))) << text;
  }
}

TEST_F(Applying, RefusesAKeyedListThatGivesAKeyTwice) {
  Request request =
      patch(kPods, "default", "p", PatchKind::Apply, parsed(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
                                     "spec":{"containers":[{"name":"c"},{"name":"c"}]}})"));
  const Rejection no = expect_refused(server.serve(request));
  EXPECT_EQ(no.code, 500);
  EXPECT_EQ(no.message,
            "failed to create typed patch object (/p; /v1, Kind=Pod): .spec.containers: duplicate entries for key "
            "[name=\"c\"]");
}

}  // namespace
}  // namespace drover::sim
