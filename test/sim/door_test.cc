// The HTTP frontend: discovery, objects, errors, tables; each as kube-apiserver answers.
#include <gmock/gmock.h>

#include "door_fixture.h"

namespace drover::sim {
namespace {

using ::testing::HasSubstr;

TEST_F(DoorTest, HealthAndVersionNeedNoAuthentication) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/readyz?verbose", "/version"}) {
    const auto answer = visit({"GET", path, {}, {}});
    EXPECT_EQ(answer->head.code, 200) << path;
  }
  EXPECT_EQ(visit({"GET", "/readyz", {}, {}})->text, "ok");
  EXPECT_EQ(json::text_at(get("/version")->body(), {"gitVersion"}), "v1.36.3");
}

TEST_F(DoorTest, DiscoveryNamesEveryResourceOfTheServerInBothForms) {
  const auto aggregated =
      get("/apis", {{"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}});
  EXPECT_THAT(aggregated->head.content_type, HasSubstr("as=APIGroupDiscoveryList"));
  for (const kube::Resource& resource : world.server().resources()) {
    const std::string path =
        resource.group.empty() ? "/api/" + resource.version : "/apis/" + resource.group + "/" + resource.version;
    EXPECT_THAT(get(path)->text, HasSubstr("\"name\":\"" + resource.plural + "\""));
    if (resource.group.empty()) continue;
    EXPECT_THAT(aggregated->text, HasSubstr("\"resource\":\"" + resource.plural + "\""));
  }
}

TEST_F(DoorTest, AnObjectIsMadeReadChangedAndDeleted) {
  const std::string at = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(post(at, config_map("a"))->head.code, 201);
  EXPECT_EQ(post(at, config_map("a"))->head.code, 409);
  EXPECT_EQ(json::text_at(get(at + "/a")->body(), {"data", "k"}), "v");
  EXPECT_EQ(patch(at + "/a", R"({"data":{"k":"w"}})", "application/merge-patch+json")->head.code, 200);
  EXPECT_EQ(
      patch(at + "/a", R"([{"op":"add","path":"/data/j","value":"1"}])", "application/json-patch+json")->head.code,
      200);
  EXPECT_EQ(patch(at + "/a", R"({"data":{"j":null}})", "application/strategic-merge-patch+json")->head.code, 200);
  EXPECT_EQ(json::members_at(get(at + "/a")->body(), {"data"}).size(), 1U);
  EXPECT_EQ(visit(as_admin("DELETE", at + "/a"))->head.code, 200);
  EXPECT_EQ(get(at + "/a")->head.code, 404);
}

TEST_F(DoorTest, AnApplyMayBeYamlAndMakesWhatIsNotThere) {
  const std::string yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"y\"}\ndata:\n  n: \"5\"\n";
  const auto made =
      patch("/api/v1/namespaces/default/configmaps/y?fieldManager=me", yaml, "application/apply-patch+yaml");
  EXPECT_EQ(made->head.code, 201);
  EXPECT_EQ(json::text_at(made->body(), {"data", "n"}), "5");
  const auto unnamed = patch("/api/v1/namespaces/default/configmaps/y", yaml, "application/apply-patch+yaml");
  EXPECT_EQ(unnamed->head.code, 422);
  EXPECT_THAT(message_of(*unnamed), HasSubstr("fieldManager: Required value: is required for apply patch"));
}

TEST_F(DoorTest, ADryRunLeavesNothingBehind) {
  EXPECT_EQ(post("/api/v1/namespaces/default/configmaps?dryRun=All", config_map("d"))->head.code, 201);
  EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/d")->head.code, 404);
}

TEST_F(DoorTest, MissingObjectsAndUnknownPathsAreNotFound) {
  const auto page = get("/nowhere");
  EXPECT_EQ(page->head.code, 404);
  EXPECT_EQ(page->text, "404 page not found\n");
  EXPECT_EQ(message_of(*get("/api/v1/things")), "the server could not find the requested resource");
  EXPECT_EQ(get("/apis/missing.example.com/v1/things")->text, "404 page not found\n");
  EXPECT_EQ(message_of(*get("/api/v1/namespaces/default/pods/x")), "pods \"x\" not found");
  EXPECT_EQ(get("/api/v1/namespaces/default/pods/x/odd")->head.code, 404);
  EXPECT_EQ(get("/api/v1/pods/x")->head.code, 404);
  EXPECT_EQ(get("/api/v1/namespaces/default/nodes")->head.code, 404);
}

TEST_F(DoorTest, AMethodThatDoesNotFitIsRefused) {
  EXPECT_EQ(post("/api/v1/namespaces/default/pods/x", "{}")->head.code, 405);
  EXPECT_EQ(post("/api/v1/pods", "{}")->head.code, 405);
  EXPECT_EQ(visit(as_admin("PUT", "/api/v1/namespaces/default/pods"))->head.code, 405);
  EXPECT_EQ(visit(as_admin("DELETE", "/api/v1/namespaces"))->head.code, 405);
  EXPECT_EQ(visit(as_admin("BREW", "/api/v1/nodes/n"))->head.code, 405);
  EXPECT_EQ(post("/version", "")->head.code, 405);
}

TEST_F(DoorTest, BodiesThatCannotBeReadAreRefusedInTheServersWords) {
  const std::string at = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(post(at, "x", {{"Content-Type", "text/plain"}})->head.code, 415);
  EXPECT_EQ(message_of(*post(at, "x")),
            "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse "
            "error: invalid character 'x' looking for beginning of value (78)");
  EXPECT_THAT(message_of(*post(at, "[]")), HasSubstr("json: cannot unmarshal array into Go value of type struct"));
  EXPECT_EQ(post(at, R"({"kind":"Pod","apiVersion":"v1"})")->head.code, 400);
  EXPECT_EQ(message_of(*post(at, R"({"metadata":{"name":"a","namespace":"other"}})")),
            "the namespace of the provided object does not match the namespace sent on the request");
  EXPECT_EQ(patch(at + "/a", "{}", "application/json")->head.code, 415);
}

TEST_F(DoorTest, InvalidOptionsAreRefused) {
  const std::string at = "/api/v1/namespaces/default/configmaps";
  EXPECT_EQ(post(at + "?dryRun=some", config_map("a"))->head.code, 422);
  EXPECT_EQ(post(at + "?fieldValidation=some", config_map("a"))->head.code, 422);
  EXPECT_EQ(get(at + "?limit=x")->head.code, 400);
  EXPECT_EQ(get(at + "?resourceVersionMatch=Exact")->head.code, 422);
  EXPECT_EQ(visit(as_admin("DELETE", at + "/a?propagationPolicy=Odd"))->head.code, 422);
  EXPECT_EQ(
      visit(as_admin("DELETE", at + "/a", R"({"orphanDependents":true,"propagationPolicy":"Orphan"})"))->head.code,
      422);
}

TEST_F(DoorTest, ADeleteThatKeepsNoDependentsIsAcceptedAndOthersAreDone) {
  const std::string at = "/api/v1/namespaces/default/configmaps";
  make_config_maps(2);
  EXPECT_EQ(
      patch(at + "/c0", R"({"metadata":{"finalizers":["example.com/f"]}})", "application/merge-patch+json")->head.code,
      200);
  EXPECT_EQ(visit(as_admin("DELETE", at + "/c0", R"({"orphanDependents":false})"))->head.code, 202);
  EXPECT_EQ(visit(as_admin("DELETE", at + "/c1"))->head.code, 200);
}

TEST_F(DoorTest, ACollectionIsDeletedBySelector) {
  make_config_maps(3);
  const auto gone = visit(as_admin("DELETE", "/api/v1/namespaces/default/configmaps?fieldSelector=metadata.name=c1"));
  EXPECT_EQ(gone->head.code, 200);
  EXPECT_EQ(json::array_at(gone->body(), {"items"}).size(), 1U);
  EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/c1")->head.code, 404);
  EXPECT_EQ(get("/api/v1/namespaces/default/configmaps/c0")->head.code, 200);
}

TEST_F(DoorTest, AListCanBeATableOrOnlyMetadata) {
  make_config_maps(2);
  const std::string at = "/api/v1/namespaces/default/configmaps";
  const auto table = get(at, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}})->body();
  EXPECT_EQ(json::text_at(table, {"kind"}), "Table");
  EXPECT_GE(json::array_at(table, {"rows"}).size(), 2U);
  const auto partial =
      get(at, {{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}})->body();
  EXPECT_EQ(json::text_at(partial, {"kind"}), "PartialObjectMetadataList");
  EXPECT_EQ(json::find(json::array_at(partial, {"items"}).at(0), {"data"}), nullptr);
  EXPECT_EQ(
      get(at + "/c0", {{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}})->head.code,
      406);
}

TEST_F(DoorTest, ItemsOfBuiltInListsDoNotRepeatTheirKind) {
  make_config_maps(1);
  const auto list = get("/api/v1/namespaces/default/configmaps")->body();
  EXPECT_EQ(json::text_at(list, {"kind"}), "ConfigMapList");
  EXPECT_EQ(json::find(json::array_at(list, {"items"}).at(0), {"kind"}), nullptr);
}

TEST_F(DoorTest, ALongListLeavesInPiecesAndWaitsForItsReader) {
  make_config_maps(1200);
  auto reader = std::make_shared<FakeExchange>();
  reader->takes = false;
  door.answer(as_admin("GET", "/api/v1/namespaces/default/configmaps"), reader);
  world.run_for(std::chrono::seconds(1));
  reader->drain();
  for (int i = 0; i < 100 && !reader->ended; ++i) {
    world.run_for(std::chrono::milliseconds(1));
    reader->drain();
  }
  EXPECT_TRUE(reader->ended);
  EXPECT_LT(reader->largest_piece, 256U * 1024);
  EXPECT_GE(json::array_at(reader->body(), {"items"}).size(), 1200U);
  EXPECT_EQ(door.streams(), 0U);
}

TEST_F(DoorTest, AClosedConnectionEndsALongList) {
  make_config_maps(1500);
  auto reader = std::make_shared<FakeExchange>();
  reader->takes = false;
  door.answer(as_admin("GET", "/api/v1/namespaces/default/configmaps"), reader);
  EXPECT_EQ(door.streams(), 1U);
  reader->leave();
  EXPECT_EQ(door.streams(), 0U);
}

TEST_F(DoorTest, SchemasAreServedUnderTheirHashAndOldHashesLeadToNewOnes) {
  const auto index = get("/openapi/v3")->body();
  const std::string url(json::text_at(index, {"paths", "apis/apps/v1", "serverRelativeURL"}));
  ASSERT_THAT(url, HasSubstr("/openapi/v3/apis/apps/v1?hash="));
  const auto document = get(url);
  EXPECT_EQ(document->head.code, 200);
  EXPECT_THAT(document->text, HasSubstr("io.k8s.api.apps.v1.Deployment"));
  const auto old = get("/openapi/v3/apis/apps/v1?hash=old");
  EXPECT_EQ(old->head.code, 301);
  EXPECT_EQ(old->header("Location"), url);
  EXPECT_EQ(get("/openapi/v3/apis/missing/v1")->head.code, 404);
}

TEST_F(DoorTest, ACustomResourceIsServedAtOnceAndItsDeprecatedVersionWarns) {
  const auto version = [](const std::string& name, bool storage, bool deprecated) {
    return R"({"name":")" + name + R"(","served":true,"storage":)" + (storage ? "true" : "false") +
           R"(,"deprecated":)" + (deprecated ? "true" : "false") +
           R"(,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":)"
           R"({"size":{"type":"integer","default":3}}}}}},"additionalPrinterColumns":[{"name":"Size","type":"integer",)"
           R"("jsonPath":".spec.size"}],"subresources":{"status":{}}})";
  };
  EXPECT_EQ(post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                 R"({"metadata":{"name":"widgets.x.example.com"},"spec":{"group":"x.example.com","scope":"Namespaced",)"
                 R"("names":{"plural":"widgets","kind":"Widget","shortNames":["wd"]},"versions":[)" +
                     version("v1", true, false) + "," + version("v1beta1", false, true) + "]}}")
                ->head.code,
            201);
  world.run_for(std::chrono::seconds(1));
  EXPECT_THAT(get("/apis/x.example.com/v1")->text, HasSubstr("\"shortNames\":[\"wd\"]"));
  const std::string at = "/apis/x.example.com/v1/namespaces/default/widgets";
  EXPECT_EQ(
      post(at, R"({"kind":"Widget","apiVersion":"x.example.com/v1","metadata":{"name":"w"},"spec":{}})")->head.code,
      201);
  const auto table = get(at, {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}})->body();
  EXPECT_EQ(json::text_of(*json::find(json::array_at(table, {"rows"}).at(0), {"cells"})), R"(["w",3])");
  EXPECT_EQ(get(at)->header("Warning"), "");
  EXPECT_EQ(get("/apis/x.example.com/v1beta1/namespaces/default/widgets")->header("Warning"),
            "299 - \"x.example.com/v1beta1 Widget is deprecated; use x.example.com/v1 Widget\"");
  EXPECT_EQ(post(at, R"({"kind":"Gadget","apiVersion":"x.example.com/v1","metadata":{"name":"g"}})")->head.code, 400);
}

TEST_F(DoorTest, AListGoesOnWhereItsTokenSays) {
  make_config_maps(3);
  const std::string at = "/api/v1/namespaces/default/configmaps?limit=2";
  const auto first = get(at)->body();
  EXPECT_EQ(json::array_at(first, {"items"}).size(), 2U);
  const std::string token(json::text_at(first, {"metadata", "continue"}));
  ASSERT_FALSE(token.empty());
  std::string escaped;
  for (const char c : token) escaped += c == '=' ? "%3D" : c == '+' ? "%2B" : std::string(1, c);
  const auto second = get(at + "&continue=" + escaped)->body();
  EXPECT_EQ(json::array_at(second, {"items"}).size(), 2U);  // the third, and the authority's certificate
  EXPECT_THAT(message_of(*get(at + "&continue=xx")), HasSubstr("continue key is not valid: invalid character"));
}

TEST_F(DoorTest, AnswersAreYamlOnRequest) {
  make_config_maps(1);
  const auto answer = get("/api/v1/namespaces/default/configmaps/c0", {{"Accept", "application/yaml"}});
  EXPECT_EQ(answer->head.content_type, "application/yaml");
  EXPECT_THAT(answer->text, HasSubstr("kind: ConfigMap\n"));
}

}  // namespace
}  // namespace drover::sim
