// CustomResourceDefinitions in the embedded server: from the moment they are created to the end of their last object.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/crd/definition.h"
#include "sim/objects.h"
#include "sim/server.h"

namespace drover::sim {
namespace {

using namespace kube;

constexpr std::string_view kGadgets = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.judge.example.com"},
  "spec": {
    "group": "judge.example.com", "scope": "Namespaced",
    "names": {"plural": "gadgets", "kind": "Gadget", "shortNames": ["gd"]},
    "versions": [
      {"name": "v1", "served": true, "storage": true,
       "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                "statusReplicasPath": ".status.replicas",
                                                "labelSelectorPath": ".status.selector"}},
       "selectableFields": [{"jsonPath": ".spec.color"}],
       "schema": {"openAPIV3Schema": {"type": "object", "properties": {
         "spec": {"type": "object", "properties": {
           "replicas": {"type": "integer", "default": 1, "minimum": 0,
                        "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "never shrinks"}]},
           "color": {"type": "string", "enum": ["red", "green"]},
           "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
                     "items": {"type": "object", "required": ["name"],
                               "properties": {"name": {"type": "string"}, "port": {"type": "integer"}}}}}},
         "status": {"type": "object", "properties": {"replicas": {"type": "integer"},
                                                     "selector": {"type": "string"}}}}}}},
      {"name": "v1beta1", "served": true, "storage": false,
       "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})";

const Resource kGadget{"judge.example.com", "v1", "gadgets", "Gadget"};
const Resource kOlderGadget{"judge.example.com", "v1beta1", "gadgets", "Gadget"};
const std::string kName = "gadgets.judge.example.com";

class CustomResources : public ::testing::Test {
 protected:
  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};

  Stored define(std::string_view text = kGadgets) {
    return expect(server.serve(create(kCustomResourceDefinitions, "", parsed(text))));
  }
  Stored definition() { return server.store().find(kCustomResourceDefinitions.qualified(), kName); }
  Stored make(const std::string& name, const std::string& spec, const Resource& resource = kGadget) {
    return expect(server.serve(create(resource, "default", gadget(name, spec))));
  }
  static Object gadget(const std::string& name, const std::string& spec) {
    return {{"metadata", json::Members{{"name", name}}}, {"spec", parsed(spec)}};
  }
  static std::string conditions(const Object& crd) {
    std::string text;
    for (const auto& one : json::array_at(crd, {"status", "conditions"})) {
      text += std::string(json::text_at(one, {"type"})) + "=" + std::string(json::text_at(one, {"status"})) + "/" +
              std::string(json::text_at(one, {"reason"})) + " ";
    }
    return text;
  }
  // What a watcher of the definitions sees, one line an event.
  std::vector<std::string> watched() {
    std::vector<std::string> lines;
    server.store().replay(kCustomResourceDefinitions.qualified(), 0, [&](const Commit& commit) {
      lines.push_back((commit.kind == Commit::Kind::Removed ? "gone " : "") + conditions(*commit.after));
    });
    return lines;
  }
};

TEST_F(CustomResources, AreThereOnceTheirDefinitionIs) {
  EXPECT_EQ(expect_refused(server.serve(get(kGadget, "default", "a"))).message,
            "the server could not find the requested resource");
  const Stored made = define();
  EXPECT_EQ(json::text_of(json::members_at(*made, {"status"})),
            R"({"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]})");
  EXPECT_NE(server.find_resource("judge.example.com", "v1", "gadgets"), nullptr);
  EXPECT_NE(server.find_resource("judge.example.com", "v1beta1", "gadgets"), nullptr);
  ASSERT_NE(server.definition("judge.example.com", "gadgets"), nullptr);
  EXPECT_EQ(server.definition("judge.example.com", "gadgets")->names.singular, "gadget");
  EXPECT_EQ(expect_refused(server.serve(get(kGadget, "default", "a"))).message,
            "gadgets.judge.example.com \"a\" not found");
}

TEST_F(CustomResources, HaveTheStatusThatARealServerGivesTheirDefinition) {
  define();
  const Stored crd = definition();
  std::string messages;
  for (const json::Value& one : json::array_at(*crd, {"status", "conditions"})) {
    EXPECT_FALSE(json::text_at(one, {"lastTransitionTime"}).empty());
    messages += fmt::format("{}={}: {}; ", json::text_at(one, {"type"}), json::text_at(one, {"status"}),
                            json::text_at(one, {"message"}));
  }
  EXPECT_EQ(messages,
            "NamesAccepted=True: no conflicts found; Established=True: the initial names have been accepted; ");
  EXPECT_EQ(json::text_of(*json::find(*crd, {"status", "storedVersions"})), R"(["v1"])");
  EXPECT_EQ(json::text_at(*crd, {"status", "acceptedNames", "listKind"}), "GadgetList");
}

TEST_F(CustomResources, TellTheStepsOfTheirDefinition) {
  define();
  expect(server.serve(remove(kCustomResourceDefinitions, "", kName, "")));
  const std::string accepted = "NamesAccepted=True/NoConflicts ";
  const std::string established = accepted + "Established=True/InitialNamesAccepted ";
  EXPECT_EQ(watched(),
            (std::vector<std::string>{"", accepted + "Established=False/Installing ", established,
                                      established + "Terminating=True/InstanceDeletionPending ",
                                      established + "Terminating=True/InstanceDeletionInProgress ",
                                      "gone " + established + "Terminating=True/InstanceDeletionInProgress "}));
}

TEST_F(CustomResources, ArePrunedAndFilledIn) {
  define();
  const Stored made = make("a", R"({"color":"red","size":7})");
  EXPECT_EQ(json::text_of(json::members_at(*made, {"spec"})), R"({"color":"red","replicas":1})");
  EXPECT_EQ(json::text_at(*made, {"apiVersion"}), "judge.example.com/v1");
  EXPECT_EQ(json::int_at(*made, {"metadata", "generation"}), 1);
}

TEST_F(CustomResources, AreRefusedByTheirSchema) {
  define();
  const Rejection no = expect_refused(server.serve(create(kGadget, "default", gadget("a", R"({"color":"blue"})"))));
  EXPECT_EQ(no.code, 422);
  EXPECT_EQ(no.message,
            "Gadget.judge.example.com \"a\" is invalid: [spec.color: Unsupported value: \"blue\": supported values: "
            "\"red\", \"green\", <nil>: Invalid value: null: some validation rules were not checked because the object "
            "was invalid; correct the existing errors to complete validation]");
}

TEST_F(CustomResources, AreRefusedByTransitionRules) {
  define();
  make("a", R"({"replicas":3})");
  const Rejection no = expect_refused(
      server.serve(patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"spec":{"replicas":2}})"))));
  EXPECT_EQ(no.message, "Gadget.judge.example.com \"a\" is invalid: spec.replicas: Invalid value: 2: never shrinks");
  expect(server.serve(patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"spec":{"replicas":4}})"))));
}

TEST_F(CustomResources, AreSeenInEveryServedVersion) {
  define();
  make("a", R"({"color":"red"})");
  const Stored seen = expect(server.serve(get(kOlderGadget, "default", "a")));
  EXPECT_EQ(json::text_at(*seen, {"apiVersion"}), "judge.example.com/v1beta1");
  const Stored made = make("b", R"({"color":"green","size":1})", kOlderGadget);
  EXPECT_EQ(json::text_at(*made, {"apiVersion"}), "judge.example.com/v1beta1");
  EXPECT_EQ(json::text_at(*server.store().find(kGadget.qualified(), "default/b"), {"apiVersion"}),
            "judge.example.com/v1");
  const ListPage page = expect(server.list({kOlderGadget, "", "", ""}, 0, "", ""));
  ASSERT_EQ(page.items.size(), 2U);
  for (const Stored item : page.items) EXPECT_EQ(json::text_at(*item, {"apiVersion"}), "judge.example.com/v1beta1");
  std::vector<std::string> versions;
  expect(server.watch({kOlderGadget, "", "", ""}, 0, [&](WatchEvent::Kind, const Stored& object) {
    versions.emplace_back(json::text_at(*object, {"apiVersion"}));
  }));
  make("c", "{}");
  EXPECT_EQ(versions, (std::vector<std::string>(3, "judge.example.com/v1beta1")));
}

TEST_F(CustomResources, AreSelectedByTheFieldsTheirDefinitionNames) {
  define();
  make("a", R"({"color":"red"})");
  make("b", R"({"color":"green"})");
  const ListPage page = expect(server.list({kGadget, "", "", "spec.color=green"}, 0, "", ""));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(name_of(*page.items[0].open()), "b");
  EXPECT_EQ(expect_refused(server.list({kGadget, "", "", "spec.replicas=1"}, 0, "", "")).message,
            "field label not supported: spec.replicas");
}

TEST_F(CustomResources, HaveAScaleWhereTheirDefinitionSaysSo) {
  define();
  make("a", R"({"replicas":2})");
  expect(server.serve(patch(kGadget, "default", "a", PatchKind::Merge,
                            parsed(R"({"status":{"replicas":1,"selector":"app=a"}})"), "status")));
  Request ask = get(kGadget, "default", "a");
  ask.subresource = "scale";
  const Stored scale = expect(server.serve(ask));
  EXPECT_EQ(json::text_of(json::members_at(*scale, {"status"})), R"({"replicas":1,"selector":"app=a"})");
  expect(server.serve(patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"spec":{"replicas":5}})"), "scale")));
  EXPECT_EQ(json::int_at(*server.store().find(kGadget.qualified(), "default/a"), {"spec", "replicas"}), 5);
  ask.resource = kOlderGadget;
  EXPECT_EQ(expect_refused(server.serve(ask)).code, 404);
}

TEST_F(CustomResources, MergeTheirKeyedListsWhenApplied) {
  define();
  const auto apply = [&](const std::string& manager, const std::string& spec) {
    Request request = patch(
        kGadget, "default", "a", PatchKind::Apply,
        parsed(R"({"apiVersion":"judge.example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":)" + spec + "}"));
    request.field_manager = manager;
    return server.serve(request);
  };
  expect(apply("one", R"({"ports":[{"name":"web","port":80}]})"));
  const Stored both = expect(apply("two", R"({"ports":[{"name":"admin","port":81}]})"));
  EXPECT_EQ(json::text_of(*json::find(*both, {"spec", "ports"})),
            R"([{"name":"web","port":80},{"name":"admin","port":81}])");
  EXPECT_EQ(expect_refused(apply("two", R"({"ports":[{"name":"web","port":82}]})")).message,
            "Apply failed with 1 conflict: conflict with \"one\": .spec.ports[name=\"web\"].port");
}

TEST_F(CustomResources, GoBeforeTheirDefinition) {
  define();
  make("a", "{}");
  Object held = gadget("b", "{}");
  json::ensure(held, {"metadata", "finalizers"}) = json::Array{"example.com/wait"};
  expect(server.serve(create(kGadget, "default", held)));
  const Stored marked = expect(server.serve(remove(kCustomResourceDefinitions, "", kName, "")));
  EXPECT_EQ(json::text_of(*json::find(*marked, {"metadata", "finalizers"})),
            R"(["customresourcecleanup.apiextensions.k8s.io"])");
  EXPECT_EQ(server.store().find(kGadget.qualified(), "default/a"), nullptr);
  ASSERT_NE(definition(), nullptr);
  const Rejection no = expect_refused(server.serve(create(kGadget, "default", gadget("c", "{}"))));
  EXPECT_EQ(no.code, 405);
  EXPECT_EQ(no.message, "create not allowed while custom resource definition is terminating");

  expect(server.serve(patch(kGadget, "default", "b", PatchKind::Merge, parsed(R"({"metadata":{"finalizers":null}})"))));
  EXPECT_EQ(definition(), nullptr);
  EXPECT_EQ(server.find_resource("judge.example.com", "v1", "gadgets"), nullptr);
  EXPECT_EQ(server.definition("judge.example.com", "gadgets"), nullptr);
}

TEST_F(CustomResources, AreNoLongerWatchedWhenTheirDefinitionHasGone) {
  define();
  make("a", "{}");
  std::string told;
  expect(server.watch(
      {kGadget, "", "", ""}, server.store().version(),
      [&](WatchEvent::Kind kind, const Stored&) { told += kind == WatchEvent::Kind::Deleted ? "deleted " : "other "; },
      [&] { told += "ended"; }));
  expect(server.serve(remove(kCustomResourceDefinitions, "", kName, "")));
  EXPECT_EQ(told, "deleted ended");
}

std::string other_definition() {
  std::string text(kGadgets);
  for (std::size_t at = text.find("gadgets"); at != std::string::npos; at = text.find("gadgets", at + 1)) {
    text.replace(at, 7, "widgets");
  }
  return text;
}

TEST_F(CustomResources, WaitUntilTheirNamesAreFree) {
  define();
  define(other_definition());
  const std::string other = "widgets.judge.example.com";
  const auto status = [&] { return conditions(*server.store().find(kCustomResourceDefinitions.qualified(), other)); };
  EXPECT_EQ(status(), "NamesAccepted=False/ListKindConflict Established=False/NotAccepted ");
  EXPECT_EQ(server.find_resource("judge.example.com", "v1", "widgets"), nullptr);
  expect(server.serve(remove(kCustomResourceDefinitions, "", kName, "")));
  EXPECT_EQ(status(), "NamesAccepted=True/NoConflicts Established=True/InitialNamesAccepted ");
  EXPECT_NE(server.find_resource("judge.example.com", "v1", "widgets"), nullptr);
}

TEST_F(CustomResources, ShowNewDefaultsInOldObjects) {
  define();
  make("a", "{}");
  expect(server.serve(patch(
      kCustomResourceDefinitions, "", kName, PatchKind::Json,
      parsed(
          R"([{"op":"add","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color/default","value":"red"}])"))));
  EXPECT_EQ(json::text_at(*expect(server.serve(get(kGadget, "default", "a"))), {"spec", "color"}), "red");
  EXPECT_EQ(json::find(*server.store().find(kGadget.qualified(), "default/a"), {"spec", "color"}), nullptr);
  EXPECT_EQ(json::int_at(*definition(), {"metadata", "generation"}), 2);
}

TEST_F(CustomResources, RememberEveryVersionTheyWereStoredIn) {
  define();
  expect(server.serve(patch(kCustomResourceDefinitions, "", kName, PatchKind::Json,
                            parsed(R"([{"op":"replace","path":"/spec/versions/0/storage","value":false},
                                       {"op":"replace","path":"/spec/versions/1/storage","value":true}])"))));
  EXPECT_EQ(json::text_of(*json::find(*definition(), {"status", "storedVersions"})), R"(["v1","v1beta1"])");
  EXPECT_NE(server.find_resource("judge.example.com", "v1beta1", "gadgets"), nullptr);
}

TEST_F(CustomResources, RefuseDefinitionsInKubesWords) {
  Object crd = parsed(kGadgets);
  json::ensure(crd, {"metadata", "name"}) = "other.judge.example.com";
  const Rejection no = expect_refused(server.serve(create(kCustomResourceDefinitions, "", crd)));
  EXPECT_EQ(no.message,
            "CustomResourceDefinition.apiextensions.k8s.io \"other.judge.example.com\" is invalid: metadata.name: "
            "Invalid value: \"other.judge.example.com\": must be spec.names.plural+\".\"+spec.group");
}

TEST_F(CustomResources, TellOrRefuseUnknownFields) {
  define();
  Request request = create(kGadget, "default", gadget("a", R"({"size":1})"));
  json::ensure(request.body, {"metadata", "foo"}) = 1;
  json::ensure(request.body, {"more"}) = 1;
  request.duplicates = {R"(duplicate field "spec.color")"};
  request.field_validation = FieldValidation::Strict;
  const Rejection no = expect_refused(server.reply(request));
  EXPECT_EQ(no.code, 400);
  EXPECT_EQ(no.message,
            "Gadget in version \"v1\" cannot be handled as a Gadget: strict decoding error: duplicate field "
            "\"spec.color\", unknown field \"metadata.foo\", unknown field \"more\", unknown field \"spec.size\"");
  request.field_validation = FieldValidation::Warn;
  const Reply reply = expect(server.reply(request));
  EXPECT_EQ(reply.code, 201);
  EXPECT_EQ(reply.warnings,
            (std::vector<std::string>{"duplicate field \"spec.color\"", "unknown field \"metadata.foo\"",
                                      "unknown field \"more\"", "unknown field \"spec.size\""}));
  Request change = patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"spec":{"size":1}})"));
  change.field_validation = FieldValidation::Strict;
  const Rejection refused = expect_refused(server.reply(change));
  EXPECT_EQ(refused.code, 422);
  EXPECT_TRUE(refused.message.ends_with("strict decoding error: unknown field \"spec.size\"")) << refused.message;
}

TEST_F(CustomResources, LeaveNothingBehindWhenTheRunIsDry) {
  Request dry = create(kCustomResourceDefinitions, "", parsed(kGadgets));
  dry.dry_run = true;
  expect(server.serve(dry));
  EXPECT_EQ(definition(), nullptr);
  define();
  make("a", R"({"replicas":2})");
  const std::uint64_t before = server.store().version();
  const auto dryly = [&](Request request) {
    request.dry_run = true;
    expect(server.serve(request));
    EXPECT_EQ(server.store().version(), before) << sentence(request);
  };
  dryly(create(kGadget, "default", gadget("b", "{}")));
  dryly(patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"spec":{"replicas":3}})")));
  dryly(patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"status":{"replicas":3}})"), "status"));
  dryly(patch(kGadget, "default", "a", PatchKind::Merge, parsed(R"({"spec":{"replicas":3}})"), "scale"));
  dryly(patch(kGadget, "default", "c", PatchKind::Apply,
              parsed(R"({"apiVersion":"judge.example.com/v1","kind":"Gadget","metadata":{"name":"c"}})")));
  Object changed = *server.store().find(kGadget.qualified(), "default/a");
  json::ensure(changed, {"spec", "color"}) = "red";
  dryly(replace(kGadget, changed));
  dryly(remove(kGadget, "default", "a", ""));
  dryly(remove(kCustomResourceDefinitions, "", kName, ""));
  dryly(remove(kNamespaces, "", "default", ""));
  Request all = remove(kGadget, "default", "", "");
  all.dry_run = true;
  EXPECT_EQ(expect(server.delete_collection({kGadget, "", "", ""}, all)).items.size(), 1U);
  EXPECT_EQ(server.store().version(), before);
}

TEST(DryRun, OfAnEvictionSpendsNothing) {
  base::VirtualLoop loop;
  Server server{loop, base::Random(1)};
  Object pod = pod_named("default", "p", "n");
  json::ensure(pod, {"metadata", "labels", "a"}) = "b";
  expect(server.serve(create(kPods, "default", pod)));
  expect(server.serve(
      create(kDisruptionBudgets, "default",
             parsed(R"({"metadata":{"name":"b"},"spec":{"minAvailable":0,"selector":{"matchLabels":{"a":"b"}}}})"))));
  expect(server.serve(patch(kPods, "default", "p", PatchKind::Merge,
                            parsed(R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"),
                            "status")));
  expect(server.serve(patch(kDisruptionBudgets, "default", "b", PatchKind::Merge,
                            parsed(R"({"status":{"observedGeneration":1,"disruptionsAllowed":1}})"), "status")));
  const std::uint64_t before = server.store().version();
  Request request = evict("default", "p", "");
  request.dry_run = true;
  expect(server.serve(request));
  EXPECT_EQ(server.store().version(), before);
}

}  // namespace
}  // namespace drover::sim
