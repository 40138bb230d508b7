// What requests ask for, from their first line and headers alone.
#include <gtest/gtest.h>

#include "sim/door/accept.h"
#include "sim/door/go_json.h"
#include "sim/door/reply.h"
#include "sim/door/request.h"

namespace drover::sim::door {
namespace {

Wanted wanted(std::string_view method, std::string_view target) {
  auto read = read_target(method, target);
  EXPECT_TRUE(read) << target;
  return read ? *read : Wanted{};
}

TEST(DoorRequest, PathsSayWhatIsAskedFor) {
  struct Row {
    std::string_view method, target, verb, group, version, ns, resource, name, subresource;
  };
  const Row rows[] = {
      {"GET", "/api/v1/pods", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?watch=1", "watch", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/pods?watch=false", "list", "", "v1", "", "pods", "", ""},
      {"GET", "/api/v1/namespaces/a/pods/b", "get", "", "v1", "a", "pods", "b", ""},
      {"GET", "/api/v1/namespaces/a/pods/b/log", "get", "", "v1", "a", "pods", "b", "log"},
      {"POST", "/apis/apps/v1/namespaces/a/deployments", "create", "apps", "v1", "a", "deployments", "", ""},
      {"DELETE", "/api/v1/namespaces/a/pods", "deletecollection", "", "v1", "a", "pods", "", ""},
      {"DELETE", "/api/v1/nodes/n", "delete", "", "v1", "", "nodes", "n", ""},
      {"GET", "/api/v1/namespaces/a", "get", "", "v1", "a", "namespaces", "a", ""},
      {"PUT", "/api/v1/namespaces/a/finalize", "update", "", "v1", "a", "namespaces", "a", "finalize"},
      {"GET", "/api/v1/namespaces", "list", "", "v1", "", "namespaces", "", ""},
      {"GET", "/api/v1/watch/namespaces/a/pods", "watch", "", "v1", "a", "pods", "", ""},
      {"GET", "/api/v1/nodes/a%2Fb", "get", "", "v1", "", "nodes", "a/b", ""},
      {"PATCH", "/apis/x.example.com/v1alpha1/things/t/status", "patch", "x.example.com", "v1alpha1", "", "things", "t",
       "status"},
  };
  for (const Row& row : rows) {
    const Wanted read = wanted(row.method, row.target);
    EXPECT_TRUE(read.is_resource) << row.target;
    EXPECT_EQ(read.verb, row.verb) << row.target;
    EXPECT_EQ(read.group, row.group) << row.target;
    EXPECT_EQ(read.version, row.version) << row.target;
    EXPECT_EQ(read.ns, row.ns) << row.target;
    EXPECT_EQ(read.resource, row.resource) << row.target;
    EXPECT_EQ(read.name, row.name) << row.target;
    EXPECT_EQ(read.subresource, row.subresource) << row.target;
  }
}

TEST(DoorRequest, OtherPathsAreNotResources) {
  for (const std::string_view target :
       {"/", "/version", "/api", "/api/v1", "/apis/apps/v1", "/healthz", "//api/v1/pods"}) {
    const Wanted read = wanted("GET", target);
    EXPECT_FALSE(read.is_resource) << target;
    EXPECT_EQ(read.verb, "get") << target;
  }
}

TEST(DoorRequest, ANameThatAFieldSelectorAsksForIsAuthorizedAsAName) {
  EXPECT_EQ(wanted("GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx").name_selected, "x");
  EXPECT_EQ(wanted("GET", "/api/v1/pods?fieldSelector=metadata.name!%3Dx").name_selected, "");
}

TEST(DoorRequest, TargetsThatAreNotPathsAreRefused) {
  EXPECT_FALSE(read_target("GET", "api/v1"));
  EXPECT_FALSE(read_target("GET", ""));
  EXPECT_FALSE(read_target("GET", "/" + std::string(100'000, 'x')));
}

TEST(DoorRequest, QueriesAreDecodedOnce) {
  const Query query = Query::parse("a=1&b=x+y&c=%2B%zz&a=2&d");
  EXPECT_EQ(query.text("a"), "1");
  EXPECT_EQ(query.all("a").size(), 2U);
  EXPECT_EQ(query.text("b"), "x y");
  EXPECT_EQ(query.text("c"), "+%zz");
  EXPECT_TRUE(query.flag("d"));
  EXPECT_FALSE(query.flag("e"));
  EXPECT_FALSE(query.number("b"));
  EXPECT_EQ(query.number("a")->value_or(0), 1);
}

TEST(DoorAccept, TheFirstFormThatThereIsWins) {
  const auto form = [](std::string_view header) {
    const auto wish = read_accept(header, Spoken::ToObject);
    return wish ? static_cast<int>(wish->form) : -1;
  };
  EXPECT_EQ(form(""), static_cast<int>(Form::Plain));
  EXPECT_EQ(form("*/*"), static_cast<int>(Form::Plain));
  EXPECT_EQ(form("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"), static_cast<int>(Form::Table));
  EXPECT_EQ(form("application/json;as=Odd;v=v1;g=meta.k8s.io,application/json"), static_cast<int>(Form::Plain));
  EXPECT_EQ(form("application/vnd.kubernetes.protobuf,application/json"), static_cast<int>(Form::Plain));
  EXPECT_EQ(form("application/json;q=0.1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"),
            static_cast<int>(Form::PartialMetadata));
  EXPECT_EQ(form("text/html"), -1);
  EXPECT_EQ(form("application/json;as=Odd;v=v1;g=meta.k8s.io"), -1);
}

TEST(DoorReply, PiecesOfJsonAreIndentedAsOne) {
  const std::string compact = R"({"a":[1,{"b":"x,{}\"y"}],"c":{},"d":[]})";
  const std::string whole = Prettifier().feed(compact);
  EXPECT_EQ(whole,
            "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"x,{}\\\"y\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}");
  for (std::size_t cut = 0; cut <= compact.size(); ++cut) {
    Prettifier pieces;
    const std::string first = pieces.feed(compact.substr(0, cut));
    EXPECT_EQ(first + pieces.feed(compact.substr(cut)), whole) << cut;
  }
}

TEST(DoorReply, YamlQuotesWhatWouldBeReadAsSomethingElse) {
  const json::Value value = {{"b", "true"}, {"a", "5"}, {"c", json::Array{json::Value("x"), json::Value(1)}}};
  EXPECT_EQ(yaml_of(value), "a: \"5\"\nb: \"true\"\nc:\n  - x\n  - 1\n");
  EXPECT_EQ(yaml_of(json::Value("configmaps \"none\" not found")), "configmaps \"none\" not found\n");
}

TEST(DoorReply, AWarningCannotBreakItsHeader) {
  EXPECT_EQ(warning_value("unknown field \"a\"\r\nX: y"), "299 - \"unknown field \\\"a\\\"  X: y\"");
}

TEST(GoJson, ComplaintsAreTheDecodersOwn) {
  EXPECT_EQ(go_json_complaint(R"({"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{}})"), "");
  EXPECT_EQ(go_json_complaint(""), "unexpected end of JSON input");
  EXPECT_EQ(go_json_complaint("{"), "unexpected end of JSON input");
  EXPECT_EQ(go_json_complaint("x"), "invalid character 'x' looking for beginning of value");
  EXPECT_EQ(go_json_complaint("{x"), "invalid character 'x' looking for beginning of object key string");
  EXPECT_EQ(go_json_complaint("{\"a\" 1}"), "invalid character '1' after object key");
  EXPECT_EQ(go_json_complaint("{\"a\":1 2}"), "invalid character '2' after object key:value pair");
  EXPECT_EQ(go_json_complaint("[1 2]"), "invalid character '2' after array element");
  EXPECT_EQ(go_json_complaint("{} x"), "invalid character 'x' after top-level value");
  EXPECT_EQ(go_json_complaint("nul1"), "invalid character '1' in literal null (expecting 'l')");
  EXPECT_EQ(go_json_complaint("\"a\nb\""), "invalid character '\\n' in string literal");
  EXPECT_EQ(go_json_complaint(std::string(5000, '[')), "exceeded max depth");
}

}  // namespace
}  // namespace drover::sim::door
