// What a definition lets a status say: as the API server would keep it.
#include "observe/definition_facts.h"

#include <gmock/gmock.h>

namespace drover::observe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

json::Value parsed(std::string_view text) { return json::parse(text).value(); }

class AStatus : public ::testing::Test {
 protected:
  std::string kept(std::string_view status, std::string_view schema) {
    lost.clear();
    const auto result = kept_status(
        parsed(status), parsed(schema),
        [](std::string_view word) { return word == "HostManaged" ? std::string_view("Done") : std::string_view(); },
        lost);
    return result ? json::text_of(*result) : "refused";
  }
  std::set<std::string> lost;
};

TEST_F(AStatus, LosesTheFieldsThatTheSchemaDoesNotKnow) {
  constexpr std::string_view kSchema = R"({"type": "object", "properties": {
    "state": {"type": "string"},
    "nodes": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}}}})";
  EXPECT_EQ(kept(R"({"state": "ready", "rollout": {"a": 1}, "nodes": [{"name": "n", "code": "x"}]})", kSchema),
            R"({"state":"ready","nodes":[{"name":"n"}]})");
  EXPECT_THAT(lost, ElementsAre("status.nodes[].code", "status.rollout"));
  EXPECT_EQ(kept(R"({"state": "ready"})", kSchema), R"({"state":"ready"})");
  EXPECT_THAT(lost, IsEmpty());
}

TEST_F(AStatus, KeepsWhatTheSchemaPreservesAndMaps) {
  constexpr std::string_view kSchema =
      R"({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
    "states": {"type": "object", "additionalProperties": {"type": "integer"}}}})";
  EXPECT_EQ(kept(R"({"any": [1], "states": {"done": 2, "odd": "x"}})", kSchema), R"({"any":[1],"states":{"done":2}})");
  EXPECT_THAT(lost, ElementsAre("status.states.odd"));
}

TEST_F(AStatus, SaysTheVendorsOtherWordForOneThatTheSchemaDoesNotKnow) {
  constexpr std::string_view kSchema = R"({"type": "object", "properties": {
    "nodes": {"type": "array", "items": {"type": "object", "required": ["name", "state"], "properties": {
      "name": {"type": "string"}, "state": {"type": "string", "enum": ["Pending", "Done"]}}}}}})";
  EXPECT_EQ(kept(R"({"nodes": [{"name": "a", "state": "HostManaged"}, {"name": "b", "state": "Odd"}]})", kSchema),
            R"({"nodes":[{"name":"a","state":"Done"}]})")
      << "a row without what is required would be refused, and the whole status with it";
  EXPECT_THAT(lost, ElementsAre("status.nodes[]", "status.nodes[].state=HostManaged", "status.nodes[].state=Odd"));
}

TEST_F(AStatus, LosesWhatHasAnotherType) {
  constexpr std::string_view kSchema = R"({"type": "object", "properties": {"n": {"type": "integer"}}})";
  EXPECT_EQ(kept(R"({"n": "1"})", kSchema), "{}");
  EXPECT_EQ(kept(R"({"n": 1})", kSchema), R"({"n":1})");
}

TEST(ADefinition, SaysWhichOfOurFieldsItLacks) {
  const vendors::WorkProfile::Kind kind = {.group = "acme.example",
                                           .version = "v1",
                                           .plural = "acmes",
                                           .kind = "Acme",
                                           .own_fields = "spec.rollout.width,spec.rollout.budget,spec.free.any"};
  const DefinitionFacts facts = definition_facts(parsed(R"({"metadata": {"resourceVersion": "7"}, "spec": {"versions": [
    {"name": "v0", "schema": {}},
    {"name": "v1", "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {"type": "object", "properties": {
      "spec": {"type": "object", "properties": {
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "rollout": {"type": "object", "properties": {"width": {"type": "integer"}}}}}}}}}]}})"),
                                                 kind);
  EXPECT_THAT(facts.missing_fields, ElementsAre("spec.rollout.budget"));
  EXPECT_EQ(facts.version, "7");
  EXPECT_TRUE(facts.has_status);
  EXPECT_FALSE(facts.status_schema) << "it knows no status at all";
}

}  // namespace
}  // namespace drover::observe
