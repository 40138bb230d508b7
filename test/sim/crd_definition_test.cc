// What a CRD defines, its status subresource, its 422 bodies, and the shape that server-side apply asks for.
#include "sim/crd/definition.h"

#include <gtest/gtest.h>

#include <string>

#include "sim/crd/shape.h"
#include "sim/crd/validate.h"

namespace drover::sim::crd {
namespace {

constexpr std::string_view kPolicy = R"json({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "policies.driver.example.com"},
  "spec": {"group": "driver.example.com", "scope": "Cluster",
    "names": {"plural": "policies", "kind": "Policy", "shortNames": ["dp"], "categories": ["drivers"]},
    "versions": [
      {"name": "v1alpha1", "served": true, "storage": true,
       "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                                                 "labelSelectorPath": ".status.selector"}},
       "additionalPrinterColumns": [{"name": "Version", "type": "string", "jsonPath": ".spec.version"}],
       "selectableFields": [{"jsonPath": ".spec.version"}],
       "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
         "spec": {"type": "object", "required": ["version"], "properties": {
           "version": {"type": "string", "maxLength": 20, "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
           "replicas": {"type": "integer"},
           "nodeSelector": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
           "nodeAffinity": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
           "x-kubernetes-validations": [{"rule": "has(self.nodeAffinity) != has(self.nodeSelector)",
             "message": "exactly one of spec.nodeAffinity or spec.nodeSelector must be set"}]},
         "status": {"type": "object", "properties": {
           "replicas": {"type": "integer"}, "selector": {"type": "string"},
           "phase": {"type": "string", "enum": ["A", "B"]},
           "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
             "items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}, "status": {"type": "string"}}}}}}}}}},
      {"name": "v1", "served": true, "storage": false,
       "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}},
      {"name": "v2beta1", "served": false, "storage": false, "deprecated": true, "deprecationWarning": "use v1",
       "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}})json";

Definition policy() {
  const json::Value crd = with_defaults(*json::parse(kPolicy));
  EXPECT_TRUE(check_definition(crd).empty()) << check_definition(crd).front().text();
  return *Definition::read(crd);
}

std::string message(const FieldErrors& errors) { return invalid_message("driver.example.com", "Policy", "p", errors); }

TEST(Definition, TellsItsNamesVersionsAndSubresources) {
  const Definition definition = policy();
  EXPECT_EQ(definition.group, "driver.example.com");
  EXPECT_FALSE(definition.namespaced);
  EXPECT_EQ(definition.names.singular, "policy");
  EXPECT_EQ(definition.names.list_kind, "PolicyList");
  EXPECT_EQ(definition.names.short_names, std::vector<std::string>{"dp"});
  EXPECT_EQ(definition.names.categories, std::vector<std::string>{"drivers"});
  EXPECT_EQ(definition.storage().name, "v1alpha1");
  ASSERT_NE(definition.version("v2beta1"), nullptr);
  EXPECT_FALSE(definition.version("v2beta1")->served);
  EXPECT_EQ(definition.version("v2beta1")->deprecation_warning, "use v1");
  EXPECT_EQ(definition.version("v3"), nullptr);
  EXPECT_TRUE(definition.storage().has_status);
  EXPECT_FALSE(definition.version("v1")->has_status);
  ASSERT_TRUE(definition.storage().scale.has_value());
  EXPECT_EQ(definition.storage().scale->spec_replicas, (std::vector<std::string>{"spec", "replicas"}));
  EXPECT_EQ(definition.storage().scale->label_selector, (std::vector<std::string>{"status", "selector"}));
  EXPECT_EQ(definition.storage().selectable_fields, std::vector<std::string>{".spec.version"});
  EXPECT_EQ(definition.storage().columns.at(0).name, "Version");
  EXPECT_EQ(definition.version("v1")->columns.at(0).name, "Age") << "when the CRD gives none";
}

TEST(Definition, ListsTheMostStableVersionFirst) {
  std::string order;
  const Definition definition = policy();
  for (const Version* version : definition.by_priority()) order += version->name + " ";
  EXPECT_EQ(order, "v1 v2beta1 v1alpha1 ");
}

TEST(Definition, KeepsItsNameKindScopeAndStoredVersionsForEver) {
  json::Value old = with_defaults(*json::parse(kPolicy));
  json::ensure(old, {"status"}) =
      *json::parse(R"({"conditions":[{"type":"Established","status":"True"}],"storedVersions":["v1alpha1"]})");
  EXPECT_TRUE(check_definition(old, &old).empty());
  json::Value changed = old;
  json::ensure(changed, {"spec", "scope"}) = "Namespaced";
  json::ensure(changed, {"spec", "names", "kind"}) = "Rule";
  FieldErrors errors = check_definition(changed, &old);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].text(), R"(spec.scope: Invalid value: "Namespaced": field is immutable)");
  EXPECT_EQ(errors[1].text(), R"(spec.names.kind: Invalid value: "Rule": field is immutable)");
  changed = old;
  auto& versions = json::ensure(changed, {"spec", "versions"}).get_array();
  versions.erase(versions.begin());
  versions[0].get_object()["storage"] = true;
  errors = check_definition(changed, &old);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(
      errors[0].body(),
      R"(Invalid value: "v1alpha1": missing from spec.versions; v1alpha1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1alpha1 and removes v1alpha1 from status.storedVersions)");
}

TEST(Definition, RefusesInvalidDefinitionsWithoutCrashing) {
  for (const std::string_view text :
       {"{}", "[]", "null", R"({"spec":1})", R"({"spec":{"versions":[1,null,{"schema":[]}],"names":[]}})",
        R"({"spec":{"versions":[{"name":"v1","storage":true,"schema":{"openAPIV3Schema":7}}]}})",
        R"({"spec":{"versions":[{"name":"v1","storage":true,"schema":{"openAPIV3Schema":{"type":["a"]}}}]}})"}) {
    EXPECT_FALSE(check_definition(with_defaults(*json::parse(text))).empty()) << text;
  }
  EXPECT_FALSE(Definition::read(*json::parse("{}")).has_value());
}

TEST(CustomResource, IsRefusedWithOneMessageAndACauseForEachField) {
  const Definition definition = policy();
  const json::Value object = *json::parse(R"({"spec":{"version":"1.2;rm -rf /","replicas":-1}})");
  const FieldErrors errors = definition.storage().check_new(object).errors;
  EXPECT_EQ(
      message(errors),
      R"(Policy.driver.example.com "p" is invalid: [spec.version: Invalid value: "1.2;rm -rf /": spec.version in body should match '^[0-9]+\.[0-9]+\.[0-9]+$', )"
      R"(.spec.replicas: Invalid value: -1: should be a non-negative integer, )"
      R"(spec: Invalid value: exactly one of spec.nodeAffinity or spec.nodeSelector must be set])");
  const json::Value details = invalid_details("driver.example.com", "Policy", "p", {errors[0]});
  EXPECT_EQ(
      json::text_of(details),
      R"({"name":"p","group":"driver.example.com","kind":"Policy","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: \"1.2;rm -rf /\": spec.version in body should match '^[0-9]+\\.[0-9]+\\.[0-9]+$'","field":"spec.version"}]})");
  EXPECT_EQ(
      message({errors[0]}),
      R"(Policy.driver.example.com "p" is invalid: spec.version: Invalid value: "1.2;rm -rf /": spec.version in body should match '^[0-9]+\.[0-9]+\.[0-9]+$')");
}

TEST(CustomResource, ItsStatusIsCheckedAloneWhenOnlyTheStatusIsWritten) {
  const Definition definition = policy();
  const json::Value old = *json::parse(R"({"spec":{"version":"1.2.3","nodeSelector":{"a":"b"}}})");
  json::Value object = old;
  json::ensure(object, {"status", "phase"}) = "Z";
  EXPECT_EQ(
      message(definition.storage().check_status_change(object, old).errors),
      R"(Policy.driver.example.com "p" is invalid: [status.phase: Unsupported value: "Z": supported values: "A", "B", )"
      R"(<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation])");
  json::ensure(object, {"status", "phase"}) = "A";
  json::ensure(object, {"status", "replicas"}) = "x";
  EXPECT_EQ(definition.storage().check_status_change(object, old).errors.at(0).text(),
            R"(status.replicas: Invalid value: "string": replicas in body must be of type integer: "string")");
  json::ensure(object, {"status", "replicas"}) = 1;
  EXPECT_TRUE(definition.storage().check_status_change(object, old).errors.empty());
  json::Value invalid_before = old;
  json::ensure(invalid_before, {"spec", "version"}) = "latest";
  object = invalid_before;
  json::ensure(object, {"status", "phase"}) = "B";
  EXPECT_TRUE(definition.storage().check_status_change(object, invalid_before).errors.empty())
      << "spec is not looked at";
}

TEST(CustomResource, RulesThatDidNotHoldBeforeBecomeWarnings) {
  const Definition definition = policy();
  const json::Value old = *json::parse(R"({"spec":{"version":"1.2.3"},"metadata":{"labels":{}}})");
  json::Value object = old;
  json::ensure(object, {"metadata", "labels", "a"}) = "b";
  const auto verdict = definition.storage().check_change(object, old);
  EXPECT_TRUE(verdict.errors.empty());
  ASSERT_EQ(verdict.warnings.size(), 1U);
  EXPECT_EQ(verdict.warnings[0],
            "spec: Invalid value: exactly one of spec.nodeAffinity or spec.nodeSelector must be set");
}

TEST(Shape, TellsWhichFieldsItPruned) {
  const Definition definition = policy();
  json::Value object = *json::parse(
      R"({"apiVersion":"x","kind":"y","metadata":{"odd":1},"zzz":1,"spec":{"version":"1.0.0","typo":1,"nodeAffinity":{"anything":{"goes":1}}},"status":{"conditions":[{"type":"a","x":1}]}})");
  EXPECT_EQ(prune(object, *definition.storage().schema),
            (std::vector<std::string>{"spec.typo", "status.conditions[0].x", "zzz"}));
  EXPECT_EQ(
      json::text_of(object),
      R"({"apiVersion":"x","kind":"y","metadata":{"odd":1},"status":{"conditions":[{"type":"a"}]},"spec":{"version":"1.0.0","nodeAffinity":{"anything":{"goes":1}}}})");
}

TEST(Shape, TellsServerSideApplyHowListsAndMapsMerge) {
  const Definition definition = policy();
  const Schema& root = *definition.storage().schema;
  const Schema* conditions = root.member("status")->member("conditions");
  ASSERT_NE(conditions, nullptr);
  EXPECT_EQ(conditions->list_type, "map");
  EXPECT_EQ(conditions->list_keys, std::vector<std::string>{"type"});
  EXPECT_EQ(conditions->item()->member("status")->type, "string");
  EXPECT_EQ(root.member("spec")->member("nodeSelector")->map_type, "atomic");
  EXPECT_EQ(root.member("spec")->member("missing"), nullptr);
}

TEST(CelRules, StopWhenTheWholeObjectCostsTooMuch) {
  const auto schema = read_schema(*json::parse(
      R"j({"type":"object","properties":{"l":{"type":"array","items":{"type":"array","items":{"type":"integer"},
          "x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, x + y > 0))","message":"sums"}]}}}})j"));
  ASSERT_TRUE(schema.has_value());
  json::Array numbers;
  for (int i = 0; i < 30; ++i) numbers.emplace_back(1);
  json::Array lists;
  for (int i = 0; i < 60; ++i) lists.emplace_back(numbers);
  const json::Value object = json::Members{{"l", lists}};
  const auto verdict = CelRules(*schema).check(object, nullptr, {}, {}, 100'000);
  ASSERT_EQ(verdict.errors.size(), 1U);
  EXPECT_EQ(verdict.errors[0].detail,
            "validation failed due to running out of cost budget, no further validation rules will be run");
  EXPECT_TRUE(CelRules(*schema).check(object, nullptr, {}).errors.empty()) << "a whole budget is enough for it";
}

}  // namespace
}  // namespace drover::sim::crd
