// OpenAPI documents: what kubectl explain, apply and field validation look for is there.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "sim/openapi/openapi.h"

namespace drover::sim::openapi {
namespace {

const std::vector<kube::Resource> kBuiltIn = {kube::kPods, kube::kNodes, kube::kServiceAccounts, kube::kDeployments};

Stored widgets(std::string_view color = "which color") {
  auto crd = json::parse(R"({"metadata":{"name":"widgets.shop.example"},"spec":{"group":"shop.example",
    "scope":"Namespaced","names":{"plural":"widgets","kind":"Widget","listKind":"WidgetList"},"versions":[
    {"name":"v1","served":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",
      "description":"a widget","properties":{"spec":{"type":"object","properties":{"color":{"type":"string"}}}}}}},
    {"name":"v2","served":true},{"name":"v3","served":false}]}})");
  EXPECT_TRUE(crd);
  json::ensure(*crd, {"metadata", "annotations", "x"}) = color;
  json::Value* first = json::find(*crd, {"spec", "versions"});
  json::ensure(first->get_array()[0],
               {"schema", "openAPIV3Schema", "properties", "spec", "properties", "color", "description"}) = color;
  return std::make_shared<const json::Value>(*crd);
}

json::Value document_at(Library& library, std::string_view place) {
  const CachedDocument* page = library.find(place);
  EXPECT_NE(page, nullptr) << place;
  return page == nullptr ? json::Value() : *json::parse(page->body);
}

const json::Value& schema_of(const json::Value& document, std::string_view name) {
  static const json::Value kNothing;
  const json::Value* found = json::find(document, {"components", "schemas", name});
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? kNothing : *found;
}

TEST(OpenApi, TheIndexNamesEveryGroupAndVersion) {
  Library library;
  library.look(kBuiltIn, {widgets()});
  const json::Value index = *json::parse(library.index());
  for (const std::string_view place : {"api/v1", "apis/apps/v1", "apis/shop.example/v1", "apis/shop.example/v2"}) {
    const std::string url = std::string("/openapi/v3/") + std::string(place) + "?hash=" + library.find(place)->hash;
    EXPECT_EQ(json::text_at(index, {"paths", place, "serverRelativeURL"}), url);
  }
  EXPECT_EQ(library.find("apis/shop.example/v3"), nullptr);
  EXPECT_EQ(library.find("apis/batch/v1"), nullptr);
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  Library library;
  library.look(kBuiltIn, {widgets()});
  for (const std::string_view place : {"api/v1", "apis/apps/v1", "apis/shop.example/v1", "apis/shop.example/v2"}) {
    const json::Value document = document_at(library, place);
    std::size_t seen = 0;
    const std::function<void(const json::Value&)> walk = [&](const json::Value& value) {
      if (const auto* array = value.if_array()) {
        for (const json::Value& item : *array) walk(item);
      }
      if (const auto* object = value.if_object()) {
        for (const auto& member : *object) {
          walk(member.value());
          if (member.key() != "$ref" || !member.value().is_string()) continue;
          ++seen;
          std::string_view name = member.value().get_string();
          name.remove_prefix(std::string_view("#/components/schemas/").size());
          EXPECT_FALSE(schema_of(document, name).is_null()) << name;
        }
      }
    };
    walk(document);
    EXPECT_GT(seen, 10U) << place;
  }
}

TEST(OpenApi, ADocumentKnowsItsKindsAndTheirPatches) {
  Library library;
  library.look(kBuiltIn, {});
  const json::Value document = document_at(library, "apis/apps/v1");
  EXPECT_EQ(json::text_of(schema_of(document, "io.k8s.api.apps.v1.Deployment").at("x-kubernetes-group-version-kind")),
            R"([{"group":"apps","kind":"Deployment","version":"v1"}])");
  const json::Value& ports = schema_of(document, "io.k8s.api.core.v1.Container").at("properties").at("ports");
  EXPECT_EQ(json::text_of(ports.at("x-kubernetes-list-map-keys")), R"(["containerPort","protocol"])");
  EXPECT_EQ(json::text_at(ports, {"x-kubernetes-patch-merge-key"}), "containerPort");

  const json::Value* patch =
      json::find(document, {"paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(json::text_at(*patch, {"x-kubernetes-group-version-kind", "kind"}), "Deployment");
  EXPECT_NE(json::find(*patch, {"requestBody", "content", "application/strategic-merge-patch+json"}), nullptr);
  bool validates = false;
  for (const json::Value& parameter : json::array_at(*patch, {"parameters"}))
    validates = validates || json::text_at(parameter, {"name"}) == "fieldValidation";
  EXPECT_TRUE(validates);
}

TEST(OpenApi, ACustomKindHasWhatEveryObjectHas) {
  Library library;
  library.look(kBuiltIn, {widgets()});
  const json::Value document = document_at(library, "apis/shop.example/v1");
  const json::Value& widget = schema_of(document, "example.shop.v1.Widget");
  EXPECT_EQ(json::text_at(widget, {"description"}), "a widget");
  EXPECT_EQ(json::text_at(widget, {"properties", "spec", "properties", "color", "type"}), "string");
  EXPECT_NE(json::find(widget, {"properties", "metadata", "allOf"}), nullptr);
  EXPECT_FALSE(schema_of(document, "example.shop.v1.WidgetList").is_null());
  const json::Value* patch =
      json::find(document, {"paths", "/apis/shop.example/v1/namespaces/{namespace}/widgets/{name}", "patch"});
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(json::find(*patch, {"requestBody", "content", "application/strategic-merge-patch+json"}), nullptr);
}

TEST(OpenApi, DocumentsAreKeptUntilTheirSchemasChange) {
  Library library;
  library.look(kBuiltIn, {widgets()});
  const std::string before = library.find("apis/shop.example/v1")->hash;
  const std::string core = library.find("api/v1")->hash;
  const char* body = library.find("api/v1")->body.data();

  library.look(kBuiltIn, {widgets()});  // written again, the same
  EXPECT_EQ(library.find("apis/shop.example/v1")->hash, before);

  library.look(kBuiltIn, {widgets("another color")});
  EXPECT_NE(library.find("apis/shop.example/v1")->hash, before);
  EXPECT_EQ(library.find("api/v1")->hash, core);
  EXPECT_EQ(library.find("api/v1")->body.data(), body);

  library.look(kBuiltIn, {});
  EXPECT_EQ(library.find("apis/shop.example/v1"), nullptr);
}

TEST(OpenApi, DefinitionsThatAreAnythingElseDefineNothing) {
  for (const std::string_view odd :
       {"null", "3", "{}", R"({"spec":3})", R"({"spec":{"versions":[3,{"served":true}]}})"}) {
    const json::Value crd = *json::parse(odd);
    for (const ServedResource& served : defined_by(crd))
      EXPECT_TRUE(document(std::vector<ServedResource>{served}).is_object());
  }
}

}  // namespace
}  // namespace drover::sim::openapi
